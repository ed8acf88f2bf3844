# SPDX-License-Identifier: Apache-2.0
"""`breakeven compare` and `breakeven report`, on rounds made of the example's rows."""

import csv
import json
import pathlib
import re
import shutil
import subprocess
import unittest

from program import ProgramTest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "reports" / "examples"
COMPARE = pathlib.Path("/usr/share/benchmark/compare.py")
EXAMPLE = EXAMPLES / "two-core-epyc.csv"
TIMES = ("median_ns", "median_low_ns", "median_high_ns", "min_ns", "p25_ns", "p75_ns", "p95_ns")
RATES = ("flops_per_s", "bytes_per_s")


def write(test, name, factor=1.0, rounds=(1, 2, 3, 4, 5), **changes):
    """Products on the first device; a round's times differ by a tenth of a percent. Gives the number of cases."""
    with open(EXAMPLE, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows, names = list(reader), reader.fieldnames
    rows = [row for row in rows if row["case"] == "matmul" and row["backend"] == "serial" and row["status"] == "ok"]
    with open(test.folder / name, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        for number in rounds:
            for row in rows:
                longer = factor * (1 + 0.001 * (number - 3))
                times = {column: float(row[column]) * longer for column in TIMES if row[column] != "NA"}
                rates = {column: float(row[column]) / longer for column in RATES if row[column] != "NA"}
                follows = {**times, **rates, "samples_ns": "NA", **changes}
                writer.writerow(dict(row, run_id=name, round=number, **follows))
    return len(rows)


class Export(ProgramTest):
    """The readers of other tools read it."""

    def export(self, *arguments):
        done = self.run_program("export", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_google_benchmarks_compare_sees_a_slower_report(self):
        write(self, "old.csv")
        cases = write(self, "new.csv", factor=1.25)
        for name in ("old", "new"):
            self.export(f"{name}.csv", "-o", f"{name}.json")
        found = json.loads((self.folder / "new.json").read_text())["benchmarks"]
        self.assertEqual(len(found), 5 * cases)
        self.assertEqual({one["repetitions"] for one in found}, {5})
        self.assertEqual([one["repetition_index"] for one in found[::cases]], [0, 1, 2, 3, 4])
        if not COMPARE.exists():
            self.skipTest("compare.py of Google Benchmark (libbenchmark-tools) is not installed")
        done = subprocess.run(["/usr/bin/python3", COMPARE, "--no-color", "benchmarks", "old.json", "new.json"],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stdout.splitlines() if line.startswith("matmul/serial:0/f32/resident/n:256 ")]
        self.assertEqual(len(lines), 5, done.stdout)
        self.assertEqual({line.split()[1] for line in lines}, {"+0.2500"})

    def test_a_case_without_a_time_is_an_error_there(self):
        write(self, "bad.csv", rounds=(1,), status="crashed", reason="SIGSEGV", median_ns="NA", median_low_ns="NA",
              median_high_ns="NA")
        for one in json.loads(self.export("bad.csv"))["benchmarks"]:
            self.assertEqual((one["error_occurred"], one["error_message"]), (True, "crashed: SIGSEGV"))
        self.assertEqual(json.loads(self.export("bad.csv", "--format", "bencher")), {})

    def test_bencher_gets_medians_with_intervals(self):
        cases = write(self, "a.csv")
        found = json.loads(self.export("a.csv", "--format", "bencher"))
        self.assertEqual(len(found), cases)
        for one in found.values():
            latency = one["latency"]
            self.assertLess(latency["lower_value"], latency["value"])
            self.assertLess(latency["value"], latency["upper_value"])
        write(self, "b.csv", machine="another")
        refused = self.run_program("export", "a.csv", "b.csv", "--format", "bencher")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("export one at a time", refused.stderr)

    def test_prometheus_reads_the_text(self):
        write(self, "a.csv", machine='a "quoted" \\ name')
        text = self.export("a.csv", "--format", "openmetrics")
        self.assertTrue(text.endswith("\n# EOF\n"))
        self.assertIn('machine="a \\"quoted\\" \\\\ name"', text)
        promtool = shutil.which("promtool")
        if not promtool:
            self.skipTest("promtool (of the package prometheus) is not installed")
        done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_report_is_not_replaced(self):
        write(self, "a.csv")
        self.assert_refused("export", "a.csv", "-o", "a.csv", saying="a.csv")


class Compare(ProgramTest):
    write = write

    def compare(self, *arguments):
        return self.run_program("compare", *arguments)

    def test_the_exit_status_says_what_was_found(self):
        self.write("old.csv")
        self.write("same.csv", factor=1.0001)
        self.write("slow.csv", factor=1.05)
        self.write("few.csv", rounds=(1, 2))
        self.write("built.csv", compiler="clang 14")
        self.assertEqual(self.compare("old.csv", "same.csv").returncode, 0)
        self.assertEqual(self.compare("old.csv", "slow.csv").returncode, 1)
        self.assertEqual(self.compare("slow.csv", "old.csv").returncode, 0)
        self.assertEqual(self.compare("old.csv", "slow.csv", "--base", "slow.csv").returncode, 0)
        self.assertEqual(self.compare("old.csv", "slow.csv", "--margin", "10").returncode, 0)
        self.assertEqual(self.compare("old.csv", "few.csv").returncode, 0)
        self.assertEqual(self.compare("old.csv", "few.csv", "--strict").returncode, 4)
        self.assertEqual(self.compare("old.csv", "built.csv").returncode, 3)
        self.assertEqual(self.compare("old.csv", "built.csv", "--expect", "compiler,flags").returncode, 0)

    # Two builds on one machine, five rounds each, as docs/reading.md shows them.
    def test_a_build_for_an_older_processor_costs_kokkos_half_and_serial_nothing(self):
        builds = [str(EXAMPLES / f"two-core-epyc-{build}.csv") for build in ("native", "portable")]
        arguments = [*builds, "--group-by", "label:build", "--filter", "n:(100|1024)$"]
        undeclared = self.compare(*arguments)
        self.assertEqual(undeclared.returncode, 3)
        self.assertIn("2 equivalent, 2 not comparable\n", undeclared.stdout)
        declared = self.compare(*arguments, "--expect", "library")
        self.assertEqual(declared.returncode, 1)
        self.assertIn("2 regressed, 2 equivalent\n", declared.stdout)
        shown = (EXAMPLES.parents[1] / "docs" / "reading.md").read_text(encoding="utf-8")
        lines = self.in_terminal(100, "compare", *arguments, "--expect", "library").splitlines()
        for line in lines[lines.index("Base: native. A ratio above 1 is slower than the base."):]:
            self.assertIn(line + "\n", shown)

    def test_every_format_tells_the_same(self):
        cases = self.write("old.csv")
        self.write("slow.csv", factor=1.05)
        table = self.compare("old.csv", "slow.csv").stdout
        self.assertEqual(table.count("regressed: time +5.0 %"), cases)
        self.assertIn(f"{cases} regressed\n", table)
        markdown = self.compare("old.csv", "slow.csv", "--format", "markdown").stdout
        self.assertEqual(markdown.count("| regressed: time +5.0 % |"), cases)
        rows = list(csv.DictReader(self.compare("old.csv", "slow.csv", "--format", "csv").stdout.splitlines()))
        told = json.loads(self.compare("old.csv", "slow.csv", "--format", "json").stdout)
        self.assertEqual(told["exit_status"], 1)
        for row, case in zip(rows, told["cases"], strict=True):
            self.assertEqual(row["verdict"], case["verdict"])
            self.assertAlmostEqual(float(row["ratio"]), 1.05, 6)
            self.assertEqual(float(row["ratio"]), case["ratio"])

    def test_builds_taken_in_turns_are_put_together_by_their_label(self):
        files = []
        for number in range(1, 6):
            for build, factor in (("old", 1), ("new", 1.05)):
                files.append(f"{build}{number}.csv")
                cases = self.write(files[-1], factor, (number,), labels=f"build={build}", compiler_flags=build)
        arguments = (*files, "--group-by", "label:build", "--base", "old", "--expect", "flags")
        done = self.compare(*arguments)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stdout.count("regressed: time +5.0 %"), cases)

    def test_the_filter_leaves_cases_out(self):
        self.write("old.csv")
        self.write("slow.csv", factor=1.05)
        done = self.compare("old.csv", "slow.csv", "--filter", "n:1024$", "--format", "json")
        self.assertEqual([case["name"] for case in json.loads(done.stdout)["cases"]],
                         ["matmul/serial:0/f32/resident/n:1024"])

    def test_a_report_without_a_row_is_refused_with_its_line(self):
        self.write("old.csv")
        self.write("same.csv")
        whole = (self.folder / "old.csv").read_text(encoding="utf-8")
        header = whole.index("\n") + 1
        (self.folder / "torn.csv").write_text(whole[:header + 200], encoding="utf-8")
        (self.folder / "header.csv").write_text(whole[:header], encoding="utf-8")
        for files in (("old.csv", "torn.csv"), ("old.csv", "same.csv", "torn.csv")):
            done = self.compare(*files)
            self.assertEqual(done.returncode, 2)
            self.assertIn("torn.csv:2: the last line is torn", done.stderr.splitlines()[-1])
            self.assertIn("`breakeven run` measures again", done.stderr.splitlines()[-1])
        self.assertIn("header.csv: has no rows", self.compare("old.csv", "header.csv").stderr)
        self.assertIn("no case of old.csv has such a name",
                      self.compare("old.csv", "same.csv", "--filter", "nothing").stderr)
        self.assert_refused("compare", "old.csv", "old.csv", saying="old.csv is given twice")

    def test_what_is_no_report_is_refused(self):
        self.write("old.csv")
        (self.folder / "list.csv").write_text("a,b\n1,2\n", encoding="utf-8")
        self.assertEqual(self.compare("old.csv", "list.csv").returncode, 2)
        self.assertEqual(self.compare("old.csv", "missing.csv").returncode, 2)
        self.assertEqual(self.compare("old.csv", "--expect", "weather").returncode, 2)


class Report(ProgramTest):
    write = write

    def test_answers_of_several_reports_have_their_names_above(self):
        self.write("old.csv")
        self.write("new.csv", factor=1.05)
        text = self.run_program("report", "old.csv", "new.csv").stdout
        self.assertEqual(text.count("old.csv\n\n"), 1)
        self.assertLess(text.index("old.csv\n\n"), text.index("new.csv\n\n"))
        old, new = re.findall(r"1024×1024 \(f32\) takes serial:0: ([0-9.]+) ms", text)
        self.assertAlmostEqual(float(new) / float(old), 1.05, places=2)
        self.assertLess(text.index(f"serial:0: {old} ms"), text.index("Cannot be answered here"))

    def test_a_page_that_cannot_be_written_is_an_error(self):
        self.write("old.csv")
        done = self.run_program("report", "old.csv", "-o", "no/such/folder.html")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no/such/folder.html: cannot be written", done.stderr)


class Fleet(ProgramTest):
    """`breakeven fleet` on ten nodes made of one."""

    write = write

    def write_nodes(self, *names, **factors):
        for name in names:
            self.write(f"{name}.csv", factor=factors.get(name, 1.0), machine=name)

    def test_the_slow_node_is_handed_to_the_scheduler(self):
        names = [f"n{number}" for number in range(1, 11)]
        self.write_nodes(*names)
        sound = self.run_program("fleet", ".", "--save-baseline", "normal.json")
        self.assertEqual(sound.returncode, 0, sound.stderr)
        self.write_nodes("n4", n4=1.2)
        slow = self.run_program("fleet", ".", "-o", "fleet.html")
        self.assertEqual(slow.returncode, 1, slow.stderr)
        self.assertIn("n4: slow ×1.200", slow.stdout)
        self.assertIn('href="#node=n4"', (self.folder / "fleet.html").read_text(encoding="utf-8"))
        line = self.run_program("fleet", ".", "--exclude")
        self.assertEqual((line.returncode, line.stdout), (1, "--exclude=n4\n"))
        self.assertEqual(self.run_program("fleet", "n4.csv").returncode, 0)
        self.assertEqual(self.run_program("fleet", "n4.csv", "--baseline", "normal.json").returncode, 1)
        self.assertEqual(self.run_program("fleet", "n5.csv", "--baseline", "normal.json").returncode, 0)
        data = json.loads(self.run_program("fleet", ".", "--format", "json").stdout)
        self.assertEqual(data["take_out"], ["n4"])
        self.assert_refused("fleet", ".", "--filter", "n:(?=64)", saying="not a regular expression")

    def test_what_cannot_be_judged_is_refused_in_one_line(self):
        self.assert_refused("fleet", "nowhere", saying="nowhere: there is no such file or folder")
        self.assert_refused("fleet", ".", saying="no CSV is below it")
        self.write_nodes("n1")
        self.assert_refused("fleet", ".", "--filter", "no-such-case", saying="--filter no-such-case")
        self.assert_refused("fleet", ".", "--baseline", "missing.json", saying="cannot be read")

    # Two processors, as a person would tell them apart.
    def test_the_examples_are_two_types_of_machine_of_which_one_is_slower(self):
        told = self.run_program("fleet", *sorted(map(str, EXAMPLES.glob("two-core-*.csv"))))
        self.assertEqual(told.returncode, 0, told.stderr)
        words = " ".join(told.stdout.split())
        self.assertIn("2 nodes in 2 groups", words)
        self.assertIn("A takes ×2.", words)
        self.assertIn("vector extensions avx512f", words)
        self.assertIn("No node is judged.", words)


if __name__ == "__main__":
    unittest.main()
