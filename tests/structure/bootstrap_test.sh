#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bootstrap_test.sh SOURCE_DIR: what `./bootstrap run` builds without being asked, with a cmake that only tells what it
# was called with, and every package there.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*" >&2; exit 1; }
cp "$1/bootstrap" "$1/CMakePresets.json" "$folder"
mkdir -p "$folder/tools" "$folder/none" "$folder/some" "$folder/build/default/bin"
touch "$folder/some/device.icd"
printf '#!/bin/sh\necho "$@" >>"%s/said"\n' "$folder" >"$folder/tools/cmake"
printf '#!/bin/sh\necho "install ok installed $*" >>"%s/packages"\necho install ok installed\n' "$folder" \
  >"$folder/tools/dpkg-query"
printf '#!/bin/sh\n' | tee "$folder/tools/ninja" "$folder/tools/apt-get" "$folder/build/default/bin/breakeven" >/dev/null
chmod +x "$folder"/tools/* "$folder/build/default/bin/breakeven"

# run VARIABLE=VALUE...: the options of CMake, and the packages asked for, of a first run
run() {
  rm -f "$folder"/said "$folder"/packages "$folder/build/default/.bootstrap"
  env -u BREAKEVEN_GPU -u BREAKEVEN_OPENCL -u BREAKEVEN_PRESET PATH="$folder/tools:$PATH" "$@" "$folder/bootstrap" run
  cat "$folder/said" "$folder/packages"
}
off=-DBREAKEVEN_OPENCL=OFF
[[ $(run OCL_ICD_VENDORS="$folder/none") == *$off* ]] || fail "OpenCL's plugin is built where no driver is"
[[ $(run OCL_ICD_VENDORS="$folder/none") != *libclblast-dev* ]] || fail "its packages are installed"
for wish in "OCL_ICD_VENDORS=$folder/some" BREAKEVEN_OPENCL=yes; do
  [[ $(run OCL_ICD_VENDORS="$folder/none" "$wish") != *$off* ]] || fail "$wish: OpenCL's plugin is not built"
  [[ $(run OCL_ICD_VENDORS="$folder/none" "$wish") == *libclblast-dev* ]] || fail "$wish: its packages are missing"
done
[[ $(run OCL_ICD_VENDORS="$folder/some" BREAKEVEN_OPENCL=no) == *$off* ]] || fail "BREAKEVEN_OPENCL=no: it is built"
! said=$(run BREAKEVEN_OPENCL=perhaps 2>&1) || fail "BREAKEVEN_OPENCL=perhaps passed"
[[ $said == *"BREAKEVEN_OPENCL is yes or no, not 'perhaps'"* ]] || fail "said: $said"

# Kernels of this processor alone are for this machine alone.
native=-DBREAKEVEN_SERIAL_KERNELS=native
[[ $(run) == *$native* ]] || fail "kernels are built that this processor would not take"
cp -r "$folder/build/default" "$folder/build/bundle"
[[ $(run BREAKEVEN_PRESET=bundle) != *$native* ]] || fail "a bundle has kernels of this processor alone"

# A second run configures nothing, unless a driver has come.
run OCL_ICD_VENDORS="$folder/none" >/dev/null
rm "$folder/said"
touch "$folder/build/default/build.ninja"
env -u BREAKEVEN_OPENCL PATH="$folder/tools:$PATH" OCL_ICD_VENDORS="$folder/none" "$folder/bootstrap" run
[[ ! -e $folder/said ]] || fail "a second run configures again"
env -u BREAKEVEN_OPENCL PATH="$folder/tools:$PATH" OCL_ICD_VENDORS="$folder/some" "$folder/bootstrap" run
grep -q . "$folder/said" || fail "a driver that came later changes nothing"

# A first run needs neither `breakeven` nor what it alone is made of, which is built after the table.
printf '#!/bin/sh\necho "built $*" >>"%s/order"\n' "$folder" >"$folder/tools/ninja"
printf '#!/bin/sh\necho "first $*" >>"%s/order"\nexit $STATUS\n' "$folder" >"$folder/build/default/bin/breakeven-first"
printf '#!/bin/sh\necho "whole $*" >>"%s/order"\n' "$folder" >"$folder/whole"
chmod +x "$folder/build/default/bin/breakeven-first" "$folder/whole"
# expect ORDER STATUS ARGUMENT...: what is built and started, in that order, and how it ends
expect() {
  local order=$1 status=0
  rm -f "$folder/order"
  env -u BREAKEVEN_PRESET -u BREAKEVEN_JOBS STATUS="$2" PATH="$folder/tools:$PATH" "$folder/bootstrap" run "${@:3}" 2>"$folder/told" || status=$?
  [[ $(sed 's/.*default //' "$folder/order" | paste -sd' ') == "$order" ]] ||
    fail "run ${*:3}: $(paste -sd' ' "$folder/order"), not $order"
  [[ $status == "$2" ]] || fail "run ${*:3} ended with $status, not $2"
}
rm "$folder/build/default/bin/breakeven"
expect 'first_table first run --out a.csv program' 3 --out a.csv
grep -q 'after the table' "$folder/told" || fail "it does not say what is built after the table"
expect 'first_table first run' 130
grep -q 'run list` builds them' "$folder/told" || fail "after an interruption it does not say what is missing"
for arguments in 'compare a.csv b.csv' 'run --history a.db' 'run --plugin serial@old=a.so'; do
  # shellcheck disable=SC2086  # several arguments
  expect 'program' 127 $arguments # a whole program that ninja did not make here
done
cp "$folder/whole" "$folder/build/default/bin/breakeven"
expect 'program whole run' 0
