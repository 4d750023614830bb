#!/bin/bash
#SBATCH --job-name=sglint-selftest
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
#SBATCH --time=00:15:00
#SBATCH --exclusive
# sbatch --nodes=16 slurm.sh [options of sglint selftest, such as --full or --model kimi-k3 --tp 8]
# One report a node under $REPORTS, then one table. The job fails when a GPU fails.
set -u
SGLINT=${SGLINT:-sglint}
REPORTS=${REPORTS:-$SLURM_SUBMIT_DIR/selftest-$SLURM_JOB_ID}
mkdir -p "$REPORTS"
export SGLINT REPORTS

# A node that cannot run the test leaves no report but a message; it must not end the others (--kill-on-bad-exit=0).
srun --ntasks-per-node=1 --kill-on-bad-exit=0 bash -c '
  node=${SLURMD_NODENAME:-$(hostname)}
  "$SGLINT" selftest --json "$@" >"$REPORTS/$node.json" 2>"$REPORTS/$node.log"
  code=$?
  if [ $code -eq 2 ]; then
    rm -f "$REPORTS/$node.json"
    echo "$node: $(tail -n 1 "$REPORTS/$node.log")" >&2
  fi
  exit $code' selftest "$@"
ran=$?

shopt -s nullglob
reports=("$REPORTS"/*.json)
if ((${#reports[@]} == 0)); then
  echo "no node could run the self-test" >&2
  exit 2
fi
echo "${#reports[@]} of $SLURM_JOB_NUM_NODES nodes reported"
"$SGLINT" selftest --merge "${reports[@]}"
merged=$?
((merged != 0)) && exit $merged
exit $ran
