#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# compare_test.sh PROGRAM SERIAL.so ACTION: what a pull request gets, from a plugin beside itself, and from one that
# is not there.
set -euo pipefail
export BREAKEVEN=$1
serial=$2 action=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$serial" base.so
fail() { echo "$*"; exit 1; }

export GITHUB_STEP_SUMMARY=$folder/summary.md
status=0
"$action/compare" "$serial" base.so --case dispatch --mode empty --rounds 3 --case-budget 100ms >said.txt 2>&1 || status=$?
((status <= 1)) || fail "ended with $status: $(cat said.txt)"
grep -q '^| dispatch/serial:0/' summary.md || fail "the summary has no table: $(cat summary.md)"
(($(grep -c ',ok,' breakeven.csv) == 6)) || fail "not three rounds of both"

rm breakeven.csv summary.md
status=0
"$action/compare" "$serial" none.so --case dispatch >said.txt 2>&1 || status=$?
((status > 1)) || fail "a base that is not there ended with $status: $(cat said.txt)"
[[ ! -e summary.md ]] || fail "it has a summary"
python3 - "$action/action.yml" <<'E2'
import sys
text = open(sys.argv[1], encoding="utf-8").read()
try:
    import yaml
except ImportError:
    sys.exit(0)
action = yaml.safe_load(text)
assert action["runs"]["using"] == "composite"
for step in action["runs"]["steps"]:
    for value in step["env"].values():
        name = value.removeprefix("${{ inputs.").removesuffix(" }}")
        assert name in action["inputs"], name
E2
