# SPDX-License-Identifier: Apache-2.0
"""Breakeven as a test of ReFrame (4.x): every row verified, and the rate of one product.

    reframe -C SITE.py -c packaging/cluster/reframe_breakeven.py -r -S program=/opt/breakeven/bin/breakeven

`-S reference_case=NAME` chooses the row whose rate is reported; set `reference` in a class of your own to hold it to one.
`--distribute` runs it on every node; `breakeven fleet` then judges the reports under ReFrame's output folder."""

import csv
import os
import sys

import reframe as rfm
import reframe.utility.sanity as sn
import reframe.utility.typecheck as types
from reframe.core.builtins import performance_function, run_before, sanity_function, variable

csv.field_size_limit(sys.maxsize)


@rfm.simple_test
class BreakevenTest(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    program = variable(str, value="breakeven")
    run_options = variable(types.List[str], value=["--case", "matmul", "--mode", "resident", "--size", "64,512",
                                                   "--backend", "serial", "--type", "f32"])
    reference_case = variable(str, value="matmul/serial:0/f32/resident/n:512")
    keep_files = ["report.csv"]

    @run_before("run")
    def set_command(self):
        self.executable = self.program
        self.executable_opts = ["run", *self.run_options, "--rounds", "3", "--samples", "none", "--out", "report.csv",
                                "--resume"]

    def rows(self):
        with open(os.path.join(self.stagedir, "report.csv"), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    @sanity_function
    def every_row_is_verified(self):
        faults = [row["name"] for row in self.rows() if row["status"] not in ("ok", "unsupported", "unavailable")]
        good = [row for row in self.rows() if row["status"] == "ok"]
        return sn.all([sn.assert_eq(faults, []), sn.assert_gt(len(good), 0, "no row is ok")])

    @performance_function("FLOP/s")
    def rate(self):
        rates = sorted(float(row["flops_per_s"]) for row in self.rows()
                       if row["name"] == self.reference_case and row["status"] == "ok")
        return rates[len(rates) // 2]
