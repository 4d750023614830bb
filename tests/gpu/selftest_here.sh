#!/bin/sh
# selftest_here.sh SGLINT PLUGIN: on a host with GPUs the quick self-test must pass; on one without, the call must say
# in words that no GPU test was run, with exit code 2.
said=$(mktemp) || exit 1
trap 'rm -f "$said"' EXIT
"$1" selftest --quick --plugin "$2" >"$said" 2>&1
code=$?
cat "$said"
if grep -q "no GPU test was run" "$said"; then
  echo "not run here: gpu/numerics, gpu/shapes, gpu/consistency, gpu/speculative, gpu/bandwidth, gpu/speed"
  [ $code -eq 2 ]
else
  [ $code -eq 0 ]
fi
