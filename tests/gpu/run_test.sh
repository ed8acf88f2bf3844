#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `run` on the double, with a stand-in for compute-sanitizer: what succeeds leaves its reports, what
# fails is named and makes the whole fail.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { echo "run_test: $*" >&2 && exit 1; }

# Drops its own options; PRETEND is the status it ends with instead of the program's.
cat >"$folder/compute-sanitizer" <<'STAND_IN'
#!/usr/bin/env bash
while [[ $1 == --* ]]; do shift 2; done
[[ -n ${PRETEND:-} ]] && exit "$PRETEND"
exec "$@"
STAND_IN
chmod +x "$folder/compute-sanitizer"
export PATH=$folder:$PATH

"$here/run" sanitize "$folder/good" >"$folder/good.txt" 2>&1 ||
  fail "a good run failed: $(tail -n 20 "$folder/good.txt")"
for backend in cublas multi-gpu; do
  grep -q verified "$folder/good/sanitize-$backend.txt" || fail "$backend measured nothing"
  [[ -s $folder/good/sanitize-$backend.csv ]] || fail "$backend left no report"
done
tail -n 1 "$folder/good.txt" | grep -q 'nothing failed' || fail "success is not said"

PRETEND=3 "$here/run" sanitize "$folder/bad" >"$folder/bad.txt" 2>&1 && fail "a failure went unseen"
grep -q 'failed: sanitize multi-gpu (exit 3)' "$folder/bad.txt" || fail "the failure is not named"
exit 0
