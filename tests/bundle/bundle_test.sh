# SPDX-License-Identifier: Apache-2.0
# bundle_test.sh BUILD SCRATCH: packs the bundle, unpacks it elsewhere and runs it from another folder
# with an empty environment.
set -eu
build=$1 scratch=$2
fail() { echo "$*"; exit 1; }

cmake --build "$build" --target bundle >"$build/bundle.log" 2>&1 || { cat "$build/bundle.log"; exit 1; }
archive=$(ls "$build"/bundle/*.tar.gz)
bytes=$(wc -c <"$archive")
echo "$archive: $bytes bytes"
[ "$bytes" -lt $((50 << 20)) ] || fail "the bundle is larger than 50 MiB"

rm -rf "$scratch"
mkdir -p "$scratch"
tar xzf "$archive" -C "$scratch"
root=$(ls -d "$scratch"/*)
cd /
env -i "$root/bin/breakeven" --version
env -i "$root/bin/breakeven" list --why

# Not newer than what RHEL 9 has, for every file that is packed.
find "$root" -type f \( -name '*.so*' -o -perm -u+x \) | while read -r file; do
  versions=$(objdump -T "$file" 2>/dev/null | grep -oE '(GLIBC|GLIBCXX|GCC)_[0-9.]+' | sort -uV) || continue
  newest() { printf '%s\n' "$versions" "$1_0" | grep "^$1_" | sort -V | tail -n 1; }
  for most in GLIBC_2.34 GLIBCXX_3.4.29 GCC_12.0.0; do
    has=$(newest "${most%%_*}")
    [ "$(printf '%s\n' "$has" "$most" | sort -V | tail -n 1)" = "$most" ] || fail "$file needs $has, $most at most"
  done
done

# What comes from outside of the bundle is glibc, the compiler's libraries, that of udev and, for GPU plugins, CUDA.
# Programs find what is inside
# by themselves; plugins are loaded by a program that has.
expect_inside() { # FILE [VARIABLE=VALUE]
  outside=$(env -i ${2+"$2"} ldd "$1" | grep -v "$root" | grep -vE 'linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|resolv|util|mvec|stdc\+\+|gcc_s|udev|cap)\.so|lib(cuda|cudart|cublas|cublasLt|nvidia-ml)\.so' || true)
  [ -z "$outside" ] || fail "$1 needs from the machine: $outside"
}
expect_inside "$root/bin/breakeven"
for file in "$root"/lib/breakeven/plugins/*.so; do
  expect_inside "$file" LD_LIBRARY_PATH="$root/lib/breakeven"
done

# The script for GPU machines, as far as it goes without a GPU: one line says what is missing, and
# nothing is left behind.
gpu="$root/lib/breakeven/gpu"
if [ -e "$gpu/run" ] && ! nvidia-smi >/dev/null 2>&1; then
  expect_inside "$gpu/gpu_figures"
  mkdir "$scratch/empty" && cd "$scratch/empty"
  status=0
  env -i PATH=/usr/bin:/bin "$gpu/run" check >said.txt 2>&1 || status=$?
  [ "$status" = 1 ] || fail "gpu/run without a GPU ended with $status: $(cat said.txt)"
  grep -q "'cublas' .* not loaded: no NVIDIA driver" said.txt || fail "gpu/run does not say why: $(cat said.txt)"
  [ ! -e gpu-report ] || fail "gpu/run left a folder"
  cd /
fi

env -i "$root/bin/breakeven" check "$root/lib/breakeven/plugins/serial.so"
env -i "$root/bin/breakeven" run --backend serial --case matmul --size 64 --out "$scratch/bundle.csv"
grep -q ',ok,' "$scratch/bundle.csv" || fail "no verified row in bundle.csv"
# The skeleton and the SDK are inside.
"$root/bin/breakeven" new packed "$scratch/packed"
cmake -S "$scratch/packed" -B "$scratch/packed/build" -D CMAKE_PREFIX_PATH="$root" >/dev/null
cmake --build "$scratch/packed/build" >/dev/null
"$root/bin/breakeven" check "$scratch/packed/build/packed.so"
