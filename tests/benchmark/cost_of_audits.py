# SPDX-License-Identifier: Apache-2.0
"""What audits cost: their share of the time of a run.

cost_of_audits.py PROGRAM [OPTION OF RUN ...]

Without options the course preset on `serial` and `blas`. Every row says what its audits took, the poisoning, reading
and repeating included, in `details`.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile
import time

csv.field_size_limit(sys.maxsize)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    program, *options = sys.argv[1:]
    options = options or ["--preset", "course", "--backend", "serial,blas"]
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "audited.csv"
        begin = time.monotonic()
        subprocess.run([program, "run", *options, "--out", str(report)], stdout=subprocess.DEVNULL)
        whole = time.monotonic() - begin
        with open(report, newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["status"] == "ok"]
    costs = {}
    for row in rows:
        details = dict(pair.split("=", 1) for pair in row["details"].split() if "=" in pair)
        costs[row["name"]] = costs.get(row["name"], 0) + float(details.get("audits_ns", 0)) * 1e-9
    audits = sum(costs.values())
    print(f"{len(rows)} rows, {whole:.1f} s, audits {audits:.2f} s: {100 * audits / whole:.1f} %")
    for name, seconds in sorted(costs.items(), key=lambda cost: -cost[1])[:5]:
        print(f"  {seconds:.2f} s  {name}")


if __name__ == "__main__":
    main()
