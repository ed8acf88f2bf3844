# SPDX-License-Identifier: Apache-2.0
"""Runs the pandas and the DuckDB snippet of reports/README.md on a stored report, as written there.

    readers_test.py README.md REPORT.csv

DuckDB has no Debian package: where it is not installed its part is skipped with a message
(`pip install duckdb` in a virtual environment runs it).
"""
import os
import re
import shutil
import sys
import tempfile


def snippet(readme, language):
    return re.search(rf"```{language}\n(.*?)```", readme, re.DOTALL).group(1)


def check_pandas(readme):
    names = {}
    exec(snippet(readme, "python"), names)
    rows, ok = names["rows"], names["ok"]
    assert len(ok) > 0
    for column in ("median_ns", "flops_per_s", "n", "round", "disturbed"):
        assert rows[column].dtype.kind in "if", f"{column} is read as {rows[column].dtype}"
    for column in ("name", "status", "samples_ns"):
        assert isinstance(ok[column].iloc[0], str), f"{column} is not text"
    assert rows.reason.isna().any(), "NA is not read as missing"
    assert len(names["visits"]) == ok.n_visits.iloc[0]
    assert sum(map(len, names["visits"])) == ok.n_samples.iloc[0]
    return len(ok)


def check_duckdb(readme, measured):
    try:
        import duckdb
    except ImportError:
        print("skipped: DuckDB is not installed (pip install duckdb)")
        return
    result = duckdb.sql(snippet(readme, "sql").rstrip().rstrip(";")).fetchall()
    assert sum(rounds for _, _, rounds in result) == measured, result
    assert all(isinstance(ns, float) and ns > 0 for _, ns, _ in result), result
    print(f"DuckDB {duckdb.__version__}: {len(result)} cases")


def main():
    readme, report = map(os.path.abspath, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(report, os.path.join(folder, "report.csv"))
        os.chdir(folder)
        text = open(readme, encoding="utf-8").read()
        check_duckdb(text, check_pandas(text))
        os.chdir("/")


main()
