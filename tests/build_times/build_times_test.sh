#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
build_times=$(dirname "${BASH_SOURCE[0]}")/build_times
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*" >&2; exit 1; }

# log FOLDER SECONDS OUTPUT...
log() {
  local to=$folder/$1/.ninja_log
  mkdir -p "$folder/$1"
  [[ -e $to ]] || echo '# ninja log v5' >"$to"
  printf '%d\t%d\t0\t%s\tabc\n' 1000 $((1000 + 1000 * $2)) "$3" >>"$to"
}

"$build_times" "$folder" 2>/dev/null && fail "a folder without a log passed"
log tree 400 slow.cpp.o
log tree 20 slow.cpp.o # built again
log tree 89 other.cpp.o
log tree 400 kokkos.so # a build of its own, with a log of its own
log tree/kokkos 30 inner.cpp.o
[[ $("$build_times" "$folder") == "longest of 3: 89 s, $folder/tree/other.cpp.o" ]] ||
  fail "sources within twice their budget: $("$build_times" "$folder")"
log tree/kokkos 91 inner.cpp.o
found=$("$build_times" "$folder") && fail "a source over twice its budget passed"
[[ $found == "$folder/tree/kokkos/inner.cpp.o took 91 s to compile"* ]] || fail "found: $found"
