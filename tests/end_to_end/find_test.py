# SPDX-License-Identifier: Apache-2.0
"""`breakeven find`, from the command line to the CSV and back."""

import collections
import json
import os
import signal
import subprocess
import time
import unittest

from program import ProgramTest, workers_of

COPIES = ("find", "--case", "matmul", "--from", "serial", "--from-mode", "resident",
          "--to-mode", "offload-always")
SHORT = (*COPIES, "--range", "8:128")




class Search(ProgramTest):
    def start_with_rows(self, count):
        """A search that has written so many rows, and is not done."""
        process = self.start_program(*COPIES, "--range", "8:512", "--out", "a.csv", "--budget", "30")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if (self.folder / "a.csv").exists() and len(self.rows("a.csv")) >= count:
                break
            time.sleep(0.02)
        return process

    def test_takes_variants_of_one_backend(self):
        done = self.run_program("find", "--case", "matmul", "--from", "serial@slow", "--to", "serial",
                                "--option", "serial@slow.variant=plain", "--range", "32:64",
                                "--budget", "10", "--out", "a.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        facts = {row["backend"]: row["backend_facts"] for row in self.rows("a.csv")}
        self.assertIn("gemm_variant=plain", facts["serial@slow"])
        self.assertNotIn("gemm_variant=plain", facts["serial"])

    def test_refuses_what_is_set_on_neither_side(self):
        done = self.run_program(*SHORT, "--out", "a.csv", "--option", "blas.threads=1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--option blas.threads: blas is neither side; leave it out", done.stderr)
        self.assertFalse((self.folder / "a.csv").exists())

    def test_leaves_a_row_of_each_side_for_every_visit(self):
        done = self.run_program(*SHORT, "--out", "a.csv", "--budget", "15")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [row for row in self.rows("a.csv") if row["status"] == "ok"]
        self.assertGreaterEqual(len(rows), 6)
        self.assertEqual({row["mode"] for row in rows}, {"find"})
        visits = collections.defaultdict(list)
        for row in rows:
            self.assertEqual(row["search"], "serial:0/resident|serial:0/offload-always")
            self.assertIn(row["faster"], ("from", "to", "neither", "undecided"))
            self.assertIn("exact", row["verify_method"])
            self.assertEqual(row["stop_reason"],
                             "budget" if row["faster"] == "undecided" else "precision")
            self.assertEqual(row["disturbed"], "NA", "nobody watched")
            self.assertEqual(len(row["sweeps"].split()), row["samples_ns"].count(";") + 1)
            visits[row["n"], row["line_up"]].append((row["side"], row["searched_mode"],
                                                     row["sweeps"]))
        for sides in visits.values():
            self.assertEqual([side[:2] for side in sides],
                             [("from", "resident"), ("to", "offload-always")])
            self.assertEqual(sides[0][2], sides[1][2], "blocks are pairs")
        names = collections.Counter((row["name"], row["round"]) for row in rows)
        self.assertEqual(max(names.values()), 1)
        self.assertIn("resident against offload-always", done.stdout)

    def test_is_read_back_from_its_report(self):
        done = self.run_program(*SHORT, "--out", "a.csv", "--budget", "15")
        again = self.run_program("find", "--case", "matmul", "--from-report", "a.csv")
        self.assertEqual(again.returncode, 0, again.stderr)
        found = [line for line in done.stdout.splitlines() if "faster" in line and "=" in line]
        self.assertEqual(len(found), 1, done.stdout)
        self.assertIn(found[0], again.stdout)

    def test_leaves_the_bracket_for_programs(self):
        done = self.run_program(*SHORT, "--out", "a.csv", "--budget", "15", "--export", "a.env",
                                "--export-as", "MIN_N")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "a.env").read_text()
        told = [line for line in done.stdout.splitlines() if "faster" in line and "=" in line]
        self.assertIn(f"# {told[0]}\n", text)
        stored = ("find", "--case", "matmul", "--from-report", "a.csv")
        done = self.run_program(*stored, "--format", "json", "--export-as", "MIN_N")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        size = document["settings"]["MIN_N"]
        set_here = dict(line.split("=") for line in text.splitlines() if line[0] != "#")
        self.assertEqual(set_here.get("MIN_N"), size and str(size))
        self.run_program(*stored, "--export", "a.h")
        compiled = subprocess.run(["cc", "-fsyntax-only", "-Wall", "-Werror", "-x", "c", "a.h"],
                                  cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(compiled.returncode, 0, compiled.stderr)

    def test_writes_nothing_but_the_csv_to_standard_output_when_asked(self):
        done = self.run_program(*SHORT, "--out", "-", "--budget", "5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("schema_version,"))
        for line in done.stdout.splitlines()[1:]:
            self.assertTrue(line.startswith("2,"), line[:80])

    def test_goes_on_where_it_was_interrupted(self):
        process = self.start_with_rows(4)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 130)
        before = (self.folder / "a.csv").read_bytes()
        done = self.run_program(*COPIES, "--range", "8:512", "--out", "a.csv", "--budget", "30",
                                "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "a.csv").read_bytes().startswith(before))
        rows = self.rows("a.csv")
        self.assertEqual(len({row["run_id"] for row in rows}), 1)
        names = collections.Counter((row["name"], row["round"]) for row in rows)
        self.assertEqual(max(names.values()), 1)
        visits = collections.Counter((row["resumed"], row["n"]) for row in rows)
        self.assertEqual(visits["0", "8"], 2, "what was measured is not measured again")

    def test_survives_a_worker_that_dies(self):
        process = self.start_with_rows(2)
        os.kill(workers_of(process)[0], signal.SIGKILL)
        self.assertEqual(process.wait(120), 1)
        statuses = collections.Counter(row["status"] for row in self.rows("a.csv"))
        self.assertEqual(statuses["crashed"], 1)
        self.assertGreaterEqual(statuses["ok"], 2)

    def test_refuses_what_makes_no_search(self):
        self.assert_refused("find", saying="--from")
        self.assert_refused("find", "--from", "nothing", saying="unknown backend 'nothing'")
        self.assert_refused("find", "--from", "serial", saying="both sides are the same")
        self.assert_refused("find", "--from", "serial:99", "--to", "serial",
                            saying="unknown device 'serial:99'")
        self.assert_refused(*COPIES, "--range", "128:8", saying="holds no two sizes")
        self.assert_refused(*COPIES, "--range", "8", saying="LOW:HIGH")
        self.assert_refused("find", "--case", "nothing", "--from", "serial",
                            saying="unknown case 'nothing'")
        self.assert_refused("find", "--from", "serial", "--to-mode", "nothing",
                            saying="unknown mode 'nothing'")
        self.assert_refused(*COPIES, "--range", "-5:9", saying="LOW:HIGH")
        self.assert_refused("find", "--case", "dispatch", "--from", "serial", "--to-mode",
                            "queued", saying="no size to search over")
        self.assert_refused("find", "--from-report", "none.csv", saying="none.csv")
        self.assert_refused(*COPIES, "--export-as", "N", saying="--export-as needs --export")
        self.assert_refused(*COPIES, "--export", "a.env", "--export-as", "1-N",
                            saying="no name of a variable")
        self.assert_refused(*COPIES, "--export", "-", "--out", "-", saying="standard output")
        self.assert_refused("find", "--from-report", "none.csv", "--out", "b.csv",
                            saying="--from-report excludes --out")

    def test_ends_in_order_where_nobody_reads(self):
        process = self.start_program(*COPIES, "--range", "64:512")
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.wait(120), 0, "whoever reads may have read enough")


if __name__ == "__main__":
    unittest.main()
