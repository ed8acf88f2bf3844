#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The figures program on the double: every claim is measured, and requests are answered. What it
# measures there says nothing.
set -euo pipefail
program=$1 plugins=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
claims=$folder/claims.csv

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

# A product that takes over half a second is left out, and a row says so: by the double's clock, on a GPU that has
# hardly any f64.
echo 'f64_per_clock 1e-5' >"$folder/slow.profile"
LD_PRELOAD=$(ls "$plugins"/lib/libfake_clock.so.*) FAKE_CUDA_PROFILE=$folder/slow.profile \
  "$program" "$plugins" "$claims" --small
grep -q '^gemm f64 n=48: plugin / bare cuBLAS,NA,,"not measured: a single product takes 3' "$claims" ||
  fail "a product of seconds was measured"
grep -qE '^gemm f32 n=48: plugin / bare cuBLAS,[0-9.e+-]+,' "$claims" || fail "others were left out with it"

# So it is beside PyTorch, here one that does nothing, where the plugin says what a product takes.
cat >"$folder/torch.py" <<'STAND_IN'
import sys
import unittest.mock
sys.modules[__name__] = unittest.mock.MagicMock()
STAND_IN
cat >"$folder/plugin" <<'STAND_IN'
#!/usr/bin/env bash
while read -r type n count; do
  echo "$type $n $count" >>"$(dirname "$0")/asked.txt"
  if [[ $type == f64 ]]; then echo 4; else echo 0.05; fi
done
STAND_IN
chmod +x "$folder/plugin"
PYTHONPATH=$folder python3 "$(dirname "$0")/torch_figures.py" "$folder/plugin" "$plugins" "$claims" || true
grep -qx 'gemm f64 n=8192: plugin / torch.matmul,NA,,not measured: a single product takes 4 s' "$claims" ||
  fail "a product of seconds was measured beside PyTorch"
grep -qE '^gemm f32 n=8192: plugin / torch.matmul,[0-9.e+-]+,' "$claims" || fail "others were left out with it"
[[ $(grep -c '^f64 8192' "$folder/asked.txt") == 2 ]] || fail "it was computed more than twice"
