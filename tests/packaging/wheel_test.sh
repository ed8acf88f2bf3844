#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# wheel_test.sh WHEEL: installs the wheel into an empty environment, as an ordinary user where root asks, and does there
# what its README says: a first table, a frame, a plugin of one's own.
set -euo pipefail
wheel=$(realpath "$1")
fail() { echo "$*" >&2; exit 1; }
if ((EUID == 0)) && [[ -z ${WHEEL_TEST_FOLDER:-} ]]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  cp "$wheel" "${BASH_SOURCE[0]}" "$folder"
  chmod 755 "$folder"/*.sh && chown -R nobody "$folder" && cd "$folder"
  setpriv --reuid=nobody --regid=nogroup --clear-groups env HOME="$folder" WHEEL_TEST_FOLDER="$folder" \
    PATH=/usr/local/bin:/usr/bin:/bin "$folder/$(basename "${BASH_SOURCE[0]}")" "$folder/$(basename "$wheel")"
  exit
fi
folder=${WHEEL_TEST_FOLDER:-$(mktemp -d)}
cd "$folder"
python3 -m venv fresh
fresh/bin/pip install --quiet "$wheel"
echo "installed after $SECONDS s"
fresh/bin/breakeven run --out first.csv
echo "the first table after $SECONDS s"
fresh/bin/breakeven list --why
fresh/bin/breakeven list --json | grep -q '"blas": "OpenBLAS"' || fail "no OpenBLAS"
fresh/bin/python - <<'E2'
import breakeven
rows = breakeven.run(case="matmul", mode="resident", size=64, case_budget="200ms", progress=False)
measured = rows[rows.status == "ok"]
assert {"serial", "blas", "kokkos-openmp"} <= set(measured.backend), rows[["name", "status", "reason"]]
assert set(rows.status) <= {"ok", "unavailable"}, rows.status  # GPUs, and OpenCL's platforms
assert str(rows.n.dtype) == "Int64"
E2
if command -v cmake g++ >/dev/null; then
  prefix=$(fresh/bin/python -c 'import breakeven; print(breakeven.program().parents[1])')
  fresh/bin/breakeven new mine
  cmake -S mine -B mine/build -D CMAKE_PREFIX_PATH="$prefix" >/dev/null
  cmake --build mine/build >/dev/null
  fresh/bin/breakeven check mine/build/mine.so
fi
