#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An error that breaks a device for good costs the case it happened in: its row says which call
# failed on which GPU, and the other cases are measured in a fresh worker.
#   sticky_run_test.sh BREAKEVEN PLUGIN
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { echo "sticky_run_test: $*" >&2 && cat "$folder/shown.txt" >&2 && exit 1; }

FAKE_CUDA_FAIL=cudaGraphLaunch@0:5:700 "$1" run --plugin "$2" --backend cublas --case matmul \
  --mode resident,sequence --type f32 --size 5,33 --rounds 1 --case-budget 0.2s --precision 50% \
  --budget 60s --out "$folder/report.csv" >"$folder/shown.txt" 2>&1
[[ $? == 1 ]] || fail "a run with failed rows has to end with 1"
[[ $(grep -c 'failed: cudaGraphLaunch on GPU 0' "$folder/shown.txt") -ge 2 ]] ||
  fail "the failed call is not named"
grep -q '^2 of 4 rows measured and verified' "$folder/shown.txt" ||
  fail "the other cases were not measured"
