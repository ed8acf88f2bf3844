#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On GPUs that one process at a time may use, backends take turns, their rows say so, and `find` between
# them says why it cannot.
#   exclusive_run_test.sh BREAKEVEN CUBLAS MULTI_GPU
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export FAKE_CUDA_DEVICES=2 FAKE_CUDA_EXCLUSIVE=$folder

fail() { echo "exclusive_run_test: $*" >&2 && cat "$folder/shown.txt" >&2 && exit 1; }

"$1" run --plugin "$2" --plugin "$3" --backend cublas,multi-gpu --case matmul --mode resident \
  --type f32 --size 16,33 --rounds 1 --case-budget 0.2s --precision 50% --budget 300s \
  --out "$folder/report.csv" >"$folder/shown.txt" 2>&1 || fail "a row is missing"
[[ $(grep -c ',ok,.*unpaired=exclusive' "$folder/report.csv") == 4 ]] || fail "not every row says so"
[[ $(grep -o ',0\.1\.[12],' "$folder/report.csv" | sort | uniq -c | tr -s ' ') == \
  ' 2 ,0.1.1,
 2 ,0.1.2,' ]] || fail "they were not measured one after the other"

"$1" find --plugin "$2" --plugin "$3" --case matmul --from cublas --to multi-gpu \
  >"$folder/shown.txt" 2>&1
[[ $? == 2 ]] || fail "find has to refuse"
grep -q 'one process at a time' "$folder/shown.txt" || fail "find does not say why"
