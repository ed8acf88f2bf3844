# SPDX-License-Identifier: Apache-2.0
"""Circumstances and files that nobody wishes for: nothing is lost or wrong without a word."""

import os
import pathlib
import shutil
import subprocess
import unittest

from program import PROGRAM, ProgramTest
from reports_test import EXAMPLE, write

ZOO = pathlib.Path(os.environ["BREAKEVEN_ZOO"])
SHORT_RUN = ("run", "--backend", "serial", "--case", "matmul", "--mode", "resident", "--type", "f32", "--size", "16",
             "--case-budget", "0.1s", "--budget", "5s", "--out", "a.csv")


class Streams(ProgramTest):
    write = write

    def in_shell(self, redirection, *arguments):
        """With the streams as a shell sets them: `2>&-` closes standard error."""
        return subprocess.run(["sh", "-c", f'exec "$0" "$@" {redirection}', PROGRAM, *map(str, arguments)],
                              cwd=self.folder, text=True, capture_output=True, timeout=300)

    def test_what_does_not_arrive_is_an_error(self):
        self.write("a.csv")
        for arguments in (("--help",), ("--version",), ("list",), ("list", "--json"), ("report", "a.csv"),
                          ("report", "a.csv", "-o", "-"), ("run", "--dry-run"), ("check", "--rules"),
                          ("check", ZOO / "sound.so", "--rule", "loads"),
                          ("find", "--from-report", EXAMPLE, "--from", "serial", "--to", "blas"),
                          ("compare", "a.csv", "--group-by", "type")):
            with self.subTest(arguments=arguments):
                done = self.in_shell(">/dev/full", *arguments)
                self.assertNotEqual(done.returncode, 0)
                self.assertEqual(len([line for line in done.stderr.splitlines() if "cannot" in line]), 1, done.stderr)

    def test_whoever_has_read_enough_is_told_nothing(self):
        self.write("a.csv")
        for arguments in ("run --help", "run --preset full --dry-run", "list --json", "compare a.csv --group-by type",
                          "report a.csv", f"report {EXAMPLE}", "export a.csv", "fleet a.csv"):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([PROGRAM, *arguments.split()], cwd=self.folder, stdout=writer, stderr=subprocess.PIPE,
                                  text=True, check=False)
            os.close(writer)
            self.assertIn(done.returncode, (0, 3), arguments)
            self.assertNotIn("roken pipe", done.stderr, arguments)
            self.assertNotIn("cannot", done.stderr, arguments)

    def test_closed_streams_are_nobody_else(self):
        for redirection in ("2>&-", "<&- >&- 2>&-"):
            with self.subTest(redirection=redirection):
                done = self.in_shell(redirection, *SHORT_RUN)
                self.assertEqual(done.returncode, 0, done.stderr)
                text = (self.folder / "a.csv").read_text(encoding="utf-8")
                self.assertTrue(text.startswith("schema_version,"))
                self.assertEqual(text.count("\n"), 2)
                self.assertEqual([row["status"] for row in self.rows("a.csv")], ["ok"])
                (self.folder / "a.csv").unlink()

    def test_too_few_files_are_called_so(self):
        done = self.in_shell("", "list")
        for limit in (4, 6, 8):
            done = subprocess.run(["sh", "-c", f'ulimit -n {limit}; exec "$0" list', PROGRAM], cwd=self.folder,
                                  text=True, capture_output=True, timeout=300)
            self.assertNotIn("machine number 0", done.stdout + done.stderr)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("ulimit -n", done.stderr)


class Files(ProgramTest):
    write = write

    def test_a_report_is_not_replaced_by_its_page(self):
        self.write("a.csv")
        (self.folder / "link.csv").symlink_to("a.csv")
        os.link(self.folder / "a.csv", self.folder / "hard.csv")
        before = (self.folder / "a.csv").read_bytes()
        for output in ("a.csv", "./a.csv", "link.csv", "hard.csv"):
            self.assert_refused("report", "a.csv", "-o", output, saying="is the file that is read")
        self.assertEqual((self.folder / "a.csv").read_bytes(), before)

    def test_a_page_is_whole_or_the_old_one(self):
        self.write("a.csv")
        (self.folder / "page.html").write_text("old", encoding="utf-8")
        done = subprocess.run(["sh", "-c", 'ulimit -f 8; exec "$0" report a.csv -o page.html', PROGRAM],
                              cwd=self.folder, text=True, capture_output=True, timeout=300)
        self.assertEqual(done.returncode, 2)
        self.assertIn("page.html: cannot be written", done.stderr)
        self.assertEqual((self.folder / "page.html").read_text(encoding="utf-8"), "old")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["a.csv", "page.html"])

    def test_an_option_takes_no_files(self):
        self.write("a.csv")
        self.write("b.csv")
        done = self.run_program("compare", "--expect", "library", "a.csv", "b.csv")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_row_that_contradicts_itself_decides_nothing(self):
        self.write("a.csv", rounds=(1,))
        whole = self.rows("a.csv")
        self.write("b.csv", rounds=(1,), median_low_ns="-5")
        for command in (("report", "b.csv"), ("compare", "a.csv", "b.csv")):
            done = self.run_program(*command)
            self.assertIn("b.csv:2: column median_low_ns: '-5' is negative; the row is left out", done.stderr)
            self.assertIn(f"{len(whole) - 5} more like this", done.stderr)
        self.assertEqual(done.returncode, 2)

    def test_several_machines_in_one_file_are_answered_for_each(self):
        self.write("a.csv", rounds=(1,), machine="alpha")
        self.write("b.csv", factor=2, rounds=(1,), machine="beta")
        second = (self.folder / "b.csv").read_text(encoding="utf-8").split("\n", 1)[1]
        with open(self.folder / "a.csv", "a", encoding="utf-8") as file:
            file.write(second)
        told = self.run_program("report", "a.csv").stdout
        for machine in ("alpha", "beta"):
            self.assertIn(f"{machine}: What does one large product take", told)
        self.assertIn("1 round: ", told)

    def test_names_of_any_length_are_no_crash(self):
        self.write("a.csv", rounds=(1,))
        self.write("b.csv", rounds=(1,))
        text = (self.folder / "b.csv").read_text(encoding="utf-8")
        (self.folder / "b.csv").write_text(text.replace("matmul/serial", "a" * 100_000, 1), encoding="utf-8")
        done = self.run_program("compare", "a.csv", "b.csv", "--filter", "(m|a)*x|resident")
        self.assertIn("column name: ", done.stderr)
        self.assertIn(done.returncode, (0, 3))
        self.assert_refused("compare", "a.csv", "b.csv", "--filter", "(?=a)b", saying="look-ahead")
        self.assert_refused("run", "--dry-run", "--filter", "(?=a)b", saying="look-ahead")


class Runs(ProgramTest):
    def test_a_short_budget_measures(self):
        arguments = list(SHORT_RUN)
        arguments[arguments.index("5s")] = "1.5s"
        for _ in range(5):  # a busy machine may take that long to start a worker
            (self.folder / "a.csv").unlink(missing_ok=True)
            if self.run_program(*arguments).returncode == 0:
                break
        self.assertEqual([row["status"] for row in self.rows("a.csv")], ["ok"])

    def test_a_report_that_is_cut_off_ends_the_run(self):
        run = self.start_program(*SHORT_RUN[:-2], "--rounds", "500", "--out", "a.csv")
        while not (self.folder / "a.csv").exists() or len(self.rows("a.csv")) < 1:
            self.assertIsNone(run.poll())
        os.truncate(self.folder / "a.csv", 0)
        _, errors = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertIn("another program changed the report", errors)
        done = self.run_program(*SHORT_RUN, "--rounds", "500", "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.rows("a.csv"))


if __name__ == "__main__":
    unittest.main()
