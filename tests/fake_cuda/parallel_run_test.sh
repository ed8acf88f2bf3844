#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A run of the cases of several devices on fake GPUs: every row is verified and tells its figures, a
# slow GPU is told as the cause, and one that fails is named and costs no more than the rows it is
# in. parallel_case_test.cpp has the other numbers of GPUs: most of a run's time goes to what a run
# measures besides its cases.
#   parallel_run_test.sh BREAKEVEN PLUGIN
set -uo pipefail
program=$1 plugin=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { echo "parallel_run_test: $*" >&2 && cat "$folder/shown.txt" >&2 && exit 1; }

measure() { # OPTION…: one report
  rm -f "$folder/report.csv"
  "$program" run --plugin "$plugin" --backend cublas --size 33 --type f32 --rounds 1 \
    --case-budget 0.1s --precision 50% --out "$folder/report.csv" "$@" >"$folder/shown.txt" 2>&1
}

# Three GPUs are more threads than processors: a row may stay without a verdict, which the run says. Each
# has one in some run.
export FAKE_CUDA_DEVICES=3
for attempt in 1 2 3 4; do
  measure --case parallel,overlap --count 5 || fail "a row is wrong or failed on 3 GPUs"
  grep -E '^\[[0-9]+/[0-9]+\] .* verified' "$folder/shown.txt" >>"$folder/verified.txt"
  rows=$(grep -Eo ' of [0-9]+ rows measured' "$folder/shown.txt" | grep -Eo '[0-9]+')
  verified=$(cut -d' ' -f2 "$folder/verified.txt" | sort -u | wc -l)
  [[ $verified == "$rows" ]] && break
  grep -q 'run it again where less else runs' "$folder/shown.txt" || fail "not every row was measured"
done
[[ $verified == "$rows" ]] || fail "$verified of $rows rows were measured in $attempt runs"
for work in throughput/n:33 many-small/n:33/count:5 strong/n:33; do
  for devices in 2 3; do
    grep -q "parallel/cublas:0/f32/$work/devices:$devices/feeders:$devices .*verified.* cause=" \
      "$folder/verified.txt" || fail "$work on $devices GPUs has no verified row with a cause"
  done
done

export FAKE_CUDA_DEVICES=2
FAKE_CUDA_SLOW=1:20000 measure --case parallel --mode throughput || fail "a slow GPU failed"
grep -q 'devices:2/feeders:2 .*verified.* cause=slow-device:' "$folder/shown.txt" ||
  fail "the slow GPU is not the cause"

FAKE_CUDA_FAIL='kernel@1:9:700' measure --case parallel --mode throughput,strong
[[ $? == 1 ]] || fail "a run with a failed row has to end with 1"
grep -q 'devices:2/feeders:2  failed: .* on GPU 1: ' "$folder/shown.txt" || fail "GPU 1 is not named"
[[ $(grep -c 'n:33  .*verified' "$folder/shown.txt") -ge 2 ]] || fail "the rows of GPU 0 were lost"
