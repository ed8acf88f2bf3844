#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ranks of MPI that compute on fake GPUs, each on one of its own: rows are verified, and too few GPUs are told.
#   ranks_test.sh BREAKEVEN CUBLAS            every rank is a device; CUBLAS is a file without its .so
#   ranks_test.sh BREAKEVEN --grid CUBLASMP   all of them are one
set -uo pipefail
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { echo "ranks_test: $*" >&2 && cat "$folder/shown.txt" >&2 && exit 1; }

if [[ $2 == --grid ]]; then
  name=cublasmp modes=resident,sequence,offload-always,strong
  options=(--plugin "$3" --option cublasmp.ranks=2 --option cublasmp.block=16 --option cublasmp.limit=60)
else
  name=mpi modes=single,resident,sequence,offload-always,strong
  options=(--option mpi.ranks=2 --option "mpi.backend=$2" --option mpi.limit=60)
fi

FAKE_CUDA_DEVICES=1 "$program" list --why "${options[@]}" >"$folder/shown.txt" 2>&1
grep -q "rank 2 on .*more ranks than devices on its node" "$folder/shown.txt" || fail "one GPU does for two ranks"

export FAKE_CUDA_DEVICES=2
"$program" run "${options[@]}" --backend $name --case matmul,transfer,parallel --mode $modes --type f32,f64 --size 33,64 \
  --rounds 1 --case-budget 0.1s --precision 50% --out "$folder/report.csv" >"$folder/shown.txt" 2>&1 ||
  fail "a row is wrong or failed"
grep -Eq '^([0-9]+) of [0-9]+ rows measured and verified' "$folder/shown.txt" || fail "nothing was verified"
if [[ $name == mpi ]]; then
  grep -q ',ok,.*direction:peer\|direction:peer.*,ok,' "$folder/report.csv" || fail "no copy between two GPUs"
  grep -q 'computes_by=[^ ]*cublas ' "$folder/report.csv" || fail "no row tells what computes"
  grep -q ',GPU-[0-9a-f-]*' "$folder/report.csv" || fail "ranks do not tell their GPUs"
else
  grep -q 'cublasMpGemm nb=16' "$folder/report.csv" || fail "no row tells what computed"
  grep -q 'computes_by=cuBLASMp' "$folder/report.csv" || fail "no row tells cuBLASMp's version"
  # From the second block on, and of what lies one after the other; transposed, scaled, added to.
  "$program" check "$3" "${options[@]:2}" --rule gemm --rule copy --rule events --time-limit 600 >"$folder/shown.txt" 2>&1 ||
    fail "a rule of the contract is broken"
fi
