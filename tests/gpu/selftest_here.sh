#!/bin/sh
# selftest_here.sh SGLINT PLUGIN: on a host with GPUs the quick self-test must pass; on one without, the call must say
# in words that no GPU test was run, with exit code 2.
"$1" selftest --quick --plugin "$2" >out.txt 2>err.txt
code=$?
cat out.txt err.txt
if grep -q "no GPU test was run" err.txt; then
  echo "not run here: gpu/numerics, gpu/shapes, gpu/consistency, gpu/speculative, gpu/bandwidth, gpu/speed"
  [ $code -eq 2 ]
else
  [ $code -eq 0 ]
fi
