#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The figures program on the double: every claim is measured, and requests are answered. What it
# measures there says nothing.
set -euo pipefail
program=$1 plugins=$2
claims=$(mktemp)
trap 'rm -f "$claims"' EXIT

fail() { echo "figures_test: $*" >&2 && cat "$claims" >&2 && exit 1; }

"$program" "$plugins" "$claims" --small
for claim in 'gemm f32' 'gemm f64' 'gemm tf32' 'gemm bf16' 'gemm f16' 'enqueue f32' \
  'pinned copy to device' 'pinned copy to host' 'products as a sequence' \
  'products one by one / as a sequence' 'products one by one / as a batch' 'Q1 f32' \
  'two products on two GPUs'; do
  grep -E "^$claim.*,[0-9.e+-]+," "$claims" >/dev/null || fail "no figure for '$claim'"
done
grep -q '^kokkos-cuda / cuBLAS,NA,,"not measured: ' "$claims" || fail "kokkos-cuda is not accounted for"

answers=$(printf 'f32 16 3\nbf16 8 1\n' | "$program" "$plugins" --serve | grep -cE '^[0-9.e+-]+$')
[[ $answers == 2 ]] || fail "two requests got $answers answers"
