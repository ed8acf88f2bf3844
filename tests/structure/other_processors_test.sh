#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# other_processors_test.sh CMAKE SOURCE COMPILER FLAG...: configuring for a processor that is not supported says so, and
# why, before anything is looked for.
set -euo pipefail
cmake=$1 source=$2 compiler=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for flag in "$@"; do
  rm -rf "$folder/build"
  # Compiling tells the size and order of numbers; there need be nothing to link with.
  ! "$cmake" -S "$source" -B "$folder/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flag" \
    -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY >"$folder/log" 2>&1 || { echo "$flag was accepted"; exit 1; }
  # CMake breaks lines where it likes.
  tr -s ' \n' ' ' <"$folder/log" | grep -q 'Breakeven needs a 64-bit little-endian processor' ||
    { cat "$folder/log"; exit 1; }
done
