#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Completion for bash. What can be typed is asked of the program: commands, options and their words stand in
# `--help`, backends in `list --json`. Run with a command line as arguments (`breakeven run --ty`), it prints what
# the last one may become, a line each, and nothing where a file is wanted: so zsh and fish ask.

_breakeven_candidates() { # PROGRAM WORD... LAST_WORD
  local program=$1 command= last=${!#} before= help= line words=
  shift
  (($# > 1)) && before=${*: -2:1}
  [[ $# -gt 1 && $1 != -* ]] && command=$1
  help=$("$program" ${command:+"$command"} --help 2>/dev/null)

  if [[ $before == --* ]]; then # a value: of what the option's help lists before its first bracket or stop
    case $before in
      --backend | --from | --to) words=$("$program" list --json 2>/dev/null | sed -n 's/^      "name": "\(.*\)",*$/\1/p') ;;
      *)
        line=$(awk "/^  (-[a-z],)*$before[ ,:]/ { found = 1; print; next } found && /^          / { print; next } found { exit }" \
          <<<"$help")
        if [[ $line == *:\{*\}* ]]; then
          words=${line#*:\{} words=${words%%\}*}
        else
          words=$(sed 's/^ *[^ ]* *\(TEXT\)* *\(\.\.\.\)* *//; s/([^)]*)//g' <<<"${line//$'\n'/ }" |
            tr ',' '\n' | sed -nE 's/^ *([a-z0-9][a-z0-9-]*) *$/\1/p')
        fi
        words=${words//,/ }
        ;;
    esac
    local chosen= # of a list the last item is completed
    [[ $last != *,* ]] || chosen=${last%,*},
    for line in $words; do
      [[ $chosen$line != "$last"* ]] || echo "$chosen$line"
    done
    return
  fi
  case $last in
    -*) words=$(grep -oE '^  (-[a-z],)?--[a-z-]+(,--[a-z-]+)*' <<<"$help" | grep -oE -- '--[a-z-]+') ;;
    *) [[ -n $command ]] || words=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' <<<"$help") ;;
  esac
  for line in $words; do
    [[ $line != "$last"* ]] || echo "$line"
  done
}

_breakeven() {
  local words=("${COMP_WORDS[@]:0:COMP_CWORD+1}")
  mapfile -t COMPREPLY < <(_breakeven_candidates "${words[@]}")
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  _breakeven_candidates "$@"
else
  complete -o default -F _breakeven breakeven
fi
