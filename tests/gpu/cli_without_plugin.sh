#!/bin/sh
# cli_without_plugin.sh SGLINT FOLDER: whatever the plugin is, checks go on, and what needs it ends with 2 and a reason.
sglint=$1
failed=0
said=$(mktemp) || exit 1 # not a fixed name: tests run side by side in one folder
trap 'rm -f "$said"' EXIT
expect() { # code, text, command…
  want=$1 text=$2
  shift 2
  "$@" >"$said" 2>&1
  code=$?
  if [ $code -ne "$want" ] || ! grep -q "$text" "$said"; then
    echo "FAILED ($code): $*"
    cat "$said"
    failed=1
  fi
}
command="python -m sglang.launch_server --model-path Qwen/Qwen3-8B"
for kind in missing wrong_abi no_symbols crashes exits incomplete good; do
  export SGLINT_PLUGIN="$2/plugin_$kind.so"
  expect 0 "" "$sglint" check --machine h200x1 -- $command
done
for pair in "missing:there is no GPU plugin" "wrong_abi:it has ABI 7" "no_symbols:is not a plugin of sglint" \
  "crashes:it crashes while it is loaded" "exits:it ends the process" "incomplete:does not fill in"; do
  export SGLINT_PLUGIN="$2/plugin_${pair%%:*}.so"
  expect 2 "${pair#*:}" "$sglint" check --here -- $command
  expect 2 "${pair#*:}" "$sglint" detect
  expect 2 "${pair#*:}" "$sglint" selftest --quick
done
# What is wrong with the host is said once, wherever it is said.
export SGLINT_PLUGIN="$2/plugin_busy_gpu.so"
for what in check "upgrade --from 0.5.17 --to 0.5.18"; do
  "$sglint" $what --here -- $command >"$said" 2>&1
  times=$(grep -c "GPU 0 is in use: 1 processes" "$said")
  if [ "$times" -ne 1 ]; then
    echo "FAILED: $what --here says $times times that the GPU is in use"
    failed=1
  fi
done
expect 0 "Why" "$sglint" explain host/gpu-busy
expect 0 "host/pcie-width" "$sglint" rules
expect 2 "there is no rule host/nothing" "$sglint" explain host/nothing
exit $failed
