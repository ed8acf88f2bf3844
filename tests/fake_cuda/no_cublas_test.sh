#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A GPU and a driver, but no cuBLAS: `list --why` and the report give one line that says what to
# do, and a run that asks for the backend fails with it.
#   no_cublas_test.sh BREAKEVEN PLUGIN CUDA_MAJOR
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
reason="no libcublas.so.$3 (.*cannot open shared object file.*): install cuBLAS of CUDA $3 or add its folder to LD_LIBRARY_PATH"

fail() { echo "no_cublas_test: $*" >&2 && cat "$folder/shown.txt" >&2 && exit 1; }

"$1" list --why --plugin "$2" >"$folder/shown.txt" 2>&1
[[ $(grep -c "backend 'cublas' ($2) not loaded: $reason" "$folder/shown.txt") == 1 ]] ||
  fail "list does not say it in one line"

"$1" run --plugin "$2" --backend cublas --case matmul --size 5 --out "$folder/report.csv" \
  >"$folder/shown.txt" 2>&1 && fail "a run of a backend that cannot be used succeeded"
[[ $(grep -c "$reason" "$folder/shown.txt") == 1 ]] || fail "run does not say it in one line"
