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
log tree 400 kokkos.so
"$build_times" "$folder" 2>/dev/null && fail "a log without an object passed"
log tree 400 slow.cpp.o
log tree 20 slow.cpp.o # built again
log tree 89 other.cpp.o
log tree 400 kokkos.so # a build of its own, with a log of its own
log tree/kokkos 30 inner.cpp.o
[[ $("$build_times" "$folder") == "longest of 3: 89 s, $folder/tree/other.cpp.o" ]] ||
  fail "sources within twice their budget: $("$build_times" "$folder")"

# Compiled once more: one that waited for others, one that computes, one that fails.
log tree/kokkos 3 idle.cpp.o
log tree/kokkos 3 busy.cpp.o
log tree/kokkos 3 broken.cpp.o
cat >"$folder/tree/kokkos/build.ninja" <<'TEXT'
rule sleep
  command = sleep 0.1 && ./leave -MF $out.d -o $out -c $in
rule spin
  command = (ulimit -t 4; while :; do :; done); : -o $out -c $in
rule fail
  command = false -o $out -c $in
build idle.cpp.o: sleep idle.cpp
build busy.cpp.o: spin busy.cpp
build broken.cpp.o: fail broken.cpp
TEXT
printf '#!/bin/sh\ntouch "$2" "$4"\n' >"$folder/tree/kokkos/leave"
chmod +x "$folder/tree/kokkos/leave"
found=$(BUDGET=1 "$build_times" "$folder/tree/kokkos") && fail "sources over twice their budget passed"
[[ $found == *"idle.cpp.o took 3 s beside others, 0 s of a processor alone"* ]] || fail "idle: $found"
[[ $found == *"busy.cpp.o took "[345]" s to compile"* ]] || fail "busy: $found"
[[ $found == *"broken.cpp.o took 3 s to compile"* ]] || fail "broken: $found"
[[ -z $(find "$folder" -name '*.o' -o -name '*.d') ]] || fail "objects were replaced"
