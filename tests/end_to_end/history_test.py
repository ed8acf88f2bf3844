# SPDX-License-Identifier: Apache-2.0
"""Runs of many nodes and of many nights: names that are filled in, reports without samples, and the history."""

import os
import statistics
import subprocess

from program import PROGRAM, ProgramTest

ONE_CASE = ["run", "--case", "matmul", "--mode", "resident", "--size", "64", "--type", "f32", "--case-budget", "100ms",
            "--backend", "serial"]


class Nodes(ProgramTest):
    def on_node(self, *arguments, **variables):
        return self.run_program(*ONE_CASE, *arguments, env={**os.environ, **variables})

    def test_every_node_has_a_report_named_after_it(self):
        for node in ("n1", "n2"):
            done = self.on_node("--out", "reports/{job}/{node}.csv", SLURMD_NODENAME=node, SLURM_JOB_ID="17")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual({row["machine"] for row in self.rows(f"reports/17/{node}.csv")}, {node})

    def test_a_second_writer_of_one_report_is_refused(self):
        started = [self.start_program(*ONE_CASE, "--rounds", "3", "--out", "{node}.csv", "--machine", "n1")
                   for _ in range(3)]
        said = [process.communicate(timeout=300)[1] for process in started]
        self.assertEqual(sorted(process.returncode for process in started), [0, 2, 2], said)
        self.assertEqual(len(self.rows("n1.csv")), 3)

    def test_what_nobody_says_is_an_error(self):
        self.assert_refused(*ONE_CASE, "--out", "{moon}.csv", saying="{moon} is not known")

    def test_a_report_without_samples_keeps_pairs(self):
        done = self.run_program(*ONE_CASE[:-1], "serial,serial@plain", "--option", "serial@plain.variant=plain", "--samples",
                                "none", "--out", "r.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        for row in self.rows("r.csv"):
            visits = [visit.split() for visit in row["samples_ns"].split(";")]
            self.assertEqual({len(visit) for visit in visits}, {1})
            self.assertEqual(len(visits), len(row["sweeps"].replace("|", " ").split()))
            self.assertGreaterEqual(int(row["n_samples"]), len(visits))
            middle = statistics.median(float(visit[0]) for visit in visits)
            self.assertAlmostEqual(middle / float(row["median_ns"]), 1, places=6)
        compared = self.run_program("compare", "r.csv", "--group-by", "backend", "--format", "json")
        self.assertIn('"paired"', compared.stdout, compared.stderr)


class Nights(ProgramTest):
    def test_a_run_is_kept_and_shown(self):
        done = self.run_program(*ONE_CASE, "--out", "r.csv", "--history", "h.db")
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = self.run_program("history", "h.db", "-o", "h.html")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("1 machine, 1 run", shown.stdout)
        self.assertIn("matmul/serial:0", (self.folder / "h.html").read_text())
        again = self.run_program("history", "h.db", "--import", "r.csv")
        self.assertIn("0 of 1 rows of 1 report are new", again.stderr)

    def test_several_write_one_history(self):
        commands = [[PROGRAM, *ONE_CASE, "--out", f"{i}.csv", "--history", "h.db"] for i in range(4)]
        running = [subprocess.Popen(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                    text=True) for command in commands]
        for process in running:
            said = process.communicate(timeout=300)[1]
            self.assertEqual(process.returncode, 0, said)
        self.assertIn("1 machine, 4 runs", self.run_program("history", "h.db").stdout)

    def test_what_is_no_history_is_refused(self):
        (self.folder / "r.csv").write_text("schema_version,run_id\n" + "x" * 4000)
        self.assert_refused("history", "r.csv", saying="r.csv: file is not a database; name a file")
        self.assert_refused("history", "none.db", saying="none.db: there is no such file")
        self.assert_refused(*ONE_CASE, "--out", "a.csv", "--history", "r.csv", saying="r.csv: file is not a database")
        for since in ("yesterday", "2026-13-01", "2026-02-30", "2026-02-03T25:00:00Z"):
            self.assert_refused("history", "r.csv", "--since", since, saying="write a day as 2026-03-05")
