#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# completion_test.sh PROGRAM COMPLETION: what a command line may become, asked of the real program.
set -euo pipefail
program=$1 completion=$2
expect() { # CANDIDATES WORD...
  local wanted=$1 said
  shift
  said=$(bash "$completion" "$program" "$@" | paste -sd' ')
  [[ $said == $wanted ]] || { echo "'breakeven $*' becomes '$said', not '$wanted'"; exit 1; }
}
expect 'find' fi
expect '--case --cache --case-budget' run --ca
expect 'matmul' run --case mat
expect 'matmul,norm-log' run --case matmul,norm
expect 'overlap' run --case overl # far down in what the help says of it
expect 'quick course full' run --preset ''
expect 'cold' run --cache c
expect 'markdown' compare --format m
expect 'serial' run --backend se
expect '*--probe-limit*' list --
expect '' report run.c # a file: the shell's own

# As bash itself asks.
source "$completion"
COMP_WORDS=("$program" run --type f3) COMP_CWORD=3
_breakeven
[[ ${COMPREPLY[*]} == f32 ]] || { echo "bash offers '${COMPREPLY[*]}'"; exit 1; }
