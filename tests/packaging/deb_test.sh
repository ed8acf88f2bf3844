#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# deb_test.sh PACKAGE: what it needs is told as packages, nothing of it is another's, and unpacked it runs.
set -euo pipefail
package=$1
fail() { echo "$*" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
depends=$(dpkg-deb --field "$package" Depends)
for name in libc6 libopenblas libhwloc15 libgomp1; do
  [[ $depends == *$name* ]] || fail "it does not depend on $name: $depends"
done
dpkg-deb --extract "$package" "$folder"
outside=$(find "$folder" -type f ! -path "$folder/usr/*")
[[ -z $outside ]] || fail "it holds $outside"
foreign=$(find "$folder/usr/lib" -name 'lib*.so*')
[[ -z $foreign ]] || fail "it holds libraries of others: $foreign"
"$folder/usr/bin/breakeven" run --backend serial --case matmul --size 64 --case-budget 200ms --out "$folder/a.csv"
grep -q ',ok,' "$folder/a.csv" || fail "no verified row"
"$folder/usr/bin/breakeven" list --why
