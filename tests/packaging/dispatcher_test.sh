#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dispatcher_test.sh DISPATCHER SMALL.so LARGE.so: the example takes its size from the setting.
set -euo pipefail
dispatcher=$1 small=$2 large=$3
expect() { # SETTING, and the backends of 64 and 96
  local chosen
  chosen=$(env ${1:+"BREAKEVEN_MATMUL_F32_N=$1"} "$dispatcher" "$small" "$large" 1 |
    sed -nE 's/^n = (64|96): //p' | paste -sd' ')
  [[ $chosen == "$2" ]] || { echo "with '$1' 64 and 96 go to '$chosen', not '$2'"; exit 1; }
}
expect 65 "serial blas"
expect 64 "blas blas"
expect '' "serial serial"
