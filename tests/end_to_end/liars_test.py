# SPDX-License-Identifier: Apache-2.0
"""Plugins whose times are false have no time. BREAKEVEN_RUNS says how often each is tried; without it only the
quickest are (`.ci/long` tries all)."""

import os
import unittest

from program import ProgramTest

ZOO = os.environ["BREAKEVEN_ZOO"]
LIARS = ["lazy", "hurries", "remembers", "samples", "hashes", "watches-copies", "works-ahead",
         "repairs", "does-a-quarter", "skips-every-other", "rounds-to-half", "sums-half",
         "keeps-the-first", "late"]


ALL = unittest.skipUnless("BREAKEVEN_RUNS" in os.environ, "BREAKEVEN_RUNS is not set")


class Liars(ProgramTest):
    """Each passes every check of a result that was not renewed since."""

    def judge(self, liars, *case, verdicts=("wrong", "implausible"), returns=(1,)):
        plugins = [word for name in liars for word in ("--plugin", os.path.join(ZOO, name + ".so"))]
        for attempt in range(int(os.environ.get("BREAKEVEN_RUNS", "1"))):
            report = f"{len(os.listdir(self.folder))}.csv"
            done = self.run_program("run", *plugins, "--backend", ",".join([*liars, "serial"]),
                                    *case, "--type", "f32", "--case-budget",
                                    "0.3s", "--out", report)
            rows = {}
            for row in self.rows(report):
                if row["status"] != "unsupported":
                    rows.setdefault(row["backend"], []).append(row)
            self.assertIn(done.returncode, returns, done.stderr)
            for row in rows["serial"]:
                self.assertEqual(row["status"], "ok", row["name"] + ": " + row["reason"])
            for row in (row for name in liars for row in rows[name]):
                with self.subTest(row["name"], attempt=attempt):
                    self.assertIn(row["status"], verdicts)
                    self.assertEqual(row["median_ns"], "NA")
                    self.assertNotEqual(row["reason"], "NA")

    @ALL
    def test_have_no_time_where_a_product_is_repeated(self):
        self.judge([*LIARS, "works-rested"], "--case", "matmul", "--mode", "resident", "--size", "64")

    def test_have_no_time_where_they_work_for_a_while_after_an_audit(self):
        for microseconds, size in ((300, 24), (2000, 24), (4000, 24), (10000, 24), (150000, 160)):
            self.judge(["repents"], "--option", f"repents.microseconds={microseconds}",
                       "--case", "matmul", "--mode", "resident", "--size", str(size),
                       verdicts=("wrong", "implausible", "over-budget"), returns=(0, 1))

    def test_have_no_time_where_the_first_product_is_computed_when_it_is_read(self):
        self.judge(["lazy"], "--case", "first-use", "--mode", "first-run", "--size", "100")

    @ALL
    def test_have_no_time_where_products_are_a_sequence(self):
        liars = [name for name in LIARS if name != "hurries"]  # its sequences are sound
        self.judge([*liars, "drops-repeats"], "--case", "matmul", "--mode", "sequence", "--size",
                   "32")

    def test_have_no_time_where_bytes_are_copied(self):
        self.judge(["skips-copies", "forgets-to-copy"], "--case", "transfer", "--mode", "single",
                   "--size", "1048576", "--filter", "direction:(h2d|d2h|d2d)")


if __name__ == "__main__":
    unittest.main()
