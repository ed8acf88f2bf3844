#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `run` on the double, with a stand-in for compute-sanitizer: what succeeds leaves its reports, what
# fails is named and makes the whole fail.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { echo "run_test: $*" >&2 && exit 1; }

# Drops its own options, runs the program, and adds what PRETEND says as the count of one process.
mkdir "$folder/bin"
cat >"$folder/bin/compute-sanitizer" <<'STAND_IN'
#!/usr/bin/env bash
while [[ $1 == --* ]]; do shift 2; done
[[ ${PRETEND:-} == unsupported ]] && echo "========= Error: Device not supported" && exit 1
[[ ${PRETEND:-} == idle ]] && echo "========= ERROR SUMMARY: 0 errors" && exit
"$@" || exit
echo "========= ERROR SUMMARY: ${PRETEND:-0} errors"
STAND_IN
chmod +x "$folder/bin/compute-sanitizer"
export PATH=$folder/bin:$PATH

"$here/run" sanitize "$folder/good" >"$folder/good.txt" 2>&1 ||
  fail "a good run failed: $(tail -n 20 "$folder/good.txt")"
for backend in cublas multi-gpu; do
  grep -qE '^gemm +kept' "$folder/good/sanitize-$backend-gemm.txt" || fail "$backend tried nothing"
done
tail -n 1 "$folder/good.txt" | grep -q 'nothing failed' || fail "success is not said"

# Found in a child, which the tool's own exit status may not tell.
PRETEND=3 "$here/run" sanitize "$folder/bad" >"$folder/bad.txt" 2>&1 && fail "a failure went unseen"
grep -q 'failed: sanitize multi-gpu, norm (errors in a child process)' "$folder/bad.txt" ||
  fail "the failure is not named"

PRETEND=idle "$here/run" sanitize "$folder/idle" >"$folder/idle.txt" 2>&1 &&
  fail "a tool that starts nothing counts as success"

PRETEND=unsupported "$here/run" sanitize "$folder/not" >"$folder/not.txt" 2>&1 ||
  fail "a GPU that the tool cannot watch counts as failed"
grep -q 'skipped: compute-sanitizer cannot watch' "$folder/not.txt" || fail "a skip is not said"

# One GPU: multi-gpu is checked as two logical devices of it.
FAKE_CUDA_DEVICES=1 "$here/run" check "$folder/one" >"$folder/one.txt" 2>&1 ||
  fail "check on one GPU failed: $(tail -n 20 "$folder/one.txt")"
grep -qE '^gemm +kept' "$folder/one/check-multi-gpu.txt" || fail "multi-gpu was not checked"

# A word that is no part is not taken for a folder.
(cd "$folder" && "$here/run" chek >"$folder/wrong.txt" 2>&1)
[[ $? == 2 && ! -e $folder/chek ]] || fail "a misspelt part was run"

# cuBLAS beside nvcc, where the loader does not look.
mkdir -p "$folder/cuda/bin" "$folder/cuda/lib64" "$folder/prefix/bin"
touch "$folder/cuda/lib64/libcublas.so.99" "$folder/cuda/bin/nvcc"
chmod +x "$folder/cuda/bin/nvcc"
cat >"$folder/prefix/bin/breakeven" <<'STAND_IN'
#!/usr/bin/env bash
if [[ ${LD_LIBRARY_PATH:-} == */cuda/lib64* ]]; then
  [[ $1 == list ]] && echo "cublas  0.1.0  cublas:0  gpu  1 GiB" || echo kept
  echo "$*" >>"$(dirname "$0")/asked.txt"
else
  echo "backend 'cublas' (here) not loaded: no libcublas.so.99 (no such file): install cuBLAS"
fi
STAND_IN
chmod +x "$folder/prefix/bin/breakeven"
PATH=$folder/cuda/bin:$PATH BREAKEVEN_PREFIX=$folder/prefix BREAKEVEN_PLUGINS=$folder \
  "$here/run" check "$folder/found" >"$folder/found.txt" 2>&1 ||
  fail "cuBLAS beside nvcc was not found: $(cat "$folder/found.txt")"

# A GPU whose f64 is slow must not take the sweep's time with single products.
PATH=$folder/cuda/bin:$PATH BREAKEVEN_PREFIX=$folder/prefix BREAKEVEN_PLUGINS=$folder \
  "$here/run" sweep "$folder/sweep" >"$folder/sweep.txt" 2>&1
grep -q -- '--case matmul .*--case-budget 500ms' "$folder/prefix/bin/asked.txt" ||
  fail "the sweep gives a single product more than half a second"
exit 0
