# SPDX-License-Identifier: Apache-2.0
"""Runs the pandas and the DuckDB snippets of the READMEs on a stored report, as written there.

    readers_test.py docs/reading.md reports/README.md REPORT.csv

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
    result = query(readme)
    assert sum(rounds for _, _, rounds in result) == measured, result
    assert all(isinstance(ns, float) and ns > 0 for _, ns, _ in result), result


# The front door's tables: a product's median of every size and backend.
def products_by_pandas(readme):
    names = {}
    exec(snippet(readme, "python").replace("print(", "table = ("), names)
    return {
        (type_, n, backend): ns
        for (type_, n), row in names["table"].iterrows()
        for backend, ns in row.dropna().items()
    }


def check_products(readme, measured):
    result = query(readme)
    assert {(type_, n, backend) for type_, n, backend, _ in result} == set(measured), result
    assert all(isinstance(ns, float) and ns > 0 for _, _, _, ns in result), result


def query(readme):
    import duckdb
    return duckdb.sql(snippet(readme, "sql").rstrip().rstrip(";")).fetchall()


def main():
    front, columns, report = map(os.path.abspath, sys.argv[1:])
    texts = [open(path, encoding="utf-8").read() for path in (front, columns)]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("run.csv", "report.csv"):
            shutil.copy(report, os.path.join(folder, name))
        os.chdir(folder)
        products, measured = products_by_pandas(texts[0]), check_pandas(texts[1])
        assert products and all(ns > 0 for ns in products.values()), products
        try:
            check_products(texts[0], products)
            check_duckdb(texts[1], measured)
        except ImportError:
            print("skipped: DuckDB is not installed (pip install duckdb)")
        os.chdir("/")


main()
