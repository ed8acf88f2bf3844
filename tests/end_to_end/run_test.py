# SPDX-License-Identifier: Apache-2.0
"""`breakeven run`, from the command line to the CSV."""

import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
import time
import unittest

import memory_group
from program import PROGRAM, ProgramTest, blocked_signals, stop_in_a_request, workers_of

try:
    import pandas
except ImportError:
    pandas = None

# A short budget: these tests look at rows, not at their precision.
ON_SERIAL = ("run", "--backend", "serial", "--case", "matmul", "--mode", "resident", "--type", "f32")
BRIEFLY = (*ON_SERIAL, "--case-budget", "0.1s")


class Report(ProgramTest):
    def test_has_a_verified_row_for_every_size(self):
        done = self.run_program(*ON_SERIAL, "--size", "1,17,64", "--out", "a.csv", "--machine", "m",
                                "--label", "who=me", "--seed", "7")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows("a.csv")
        self.assertEqual([row["name"] for row in rows],
                         [f"matmul/serial:0/f32/resident/n:{n}" for n in (1, 17, 64)])
        for row in rows:
            self.assertEqual(row["status"], "ok")
            self.assertIn("exact", row["verify_method"])
            self.assertLessEqual(float(row["verify_error"]), float(row["verify_tolerance"]))
            self.assertEqual((row["machine"], row["labels"], row["seed"]), ("m", "who=me", "7"))
            visits = [list(map(float, visit.split())) for visit in row["samples_ns"].split(";")]
            self.assertGreaterEqual(len(visits), 10)
            self.assertEqual(int(row["n_visits"]), len(visits))
            self.assertEqual(int(row["n_samples"]), sum(map(len, visits)))
            self.assertLessEqual(float(row["median_low_ns"]), float(row["median_ns"]))
            self.assertLessEqual(float(row["median_ns"]), float(row["median_high_ns"]))
            self.assertAlmostEqual(float(row["min_ns"]) / min(map(min, visits)), 1, delta=1e-8)
            self.assertEqual(float(row["flops"]), 2 * int(row["n"]) ** 3)
            self.assertEqual(row["backend_flags"], row["compiler_flags"])  # of one build
            self.assertEqual((row["made_by"], row["compute_threads"]), ("plugin", "1"))
            self.assertRegex(row["routines"], r"^gemm( plan=[a-z0-9_+]+)?$")
            self.assertEqual((row["device_kind"], row["hardware"]), ("cpu", "host"))
            self.assertRegex(row["creation"], r"^load_ns=\d+ probe_ns=\d+ create_ns=\d+$")
            self.assertNotIn("gemm_variant", row["libraries"])  # facts are told once

    def test_holds_a_task_of_one_thread_against_one_core(self):
        done = self.run_program("run", "--backend", "blas", "--case", "elementwise,matmul", "--mode",
                                "multiply-add,resident", "--type", "f32", "--size", "64", "--out", "a.csv",
                                "--case-budget", "0.2s")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["case"]: row for row in self.rows("a.csv")}
        self.assertEqual(rows["matmul"]["made_by"], "library")
        self.assertEqual(rows["matmul"]["routines"], "cblas_sgemm")
        one = rows["elementwise"]
        self.assertEqual((one["made_by"], one["compute_threads"]), ("plugin", "1"))
        self.assertNotRegex(one["ceiling_source"], r"_all|\*")

    def test_an_operation_that_a_plugin_does_not_know_is_unsupported(self):
        sound = os.path.join(os.environ["BREAKEVEN_ZOO"], "sound.so")
        self.run_program("run", "--plugin", sound, "--backend", "sound", "--case", "elementwise", "--mode",
                         "sum", "--type", "f32", "--size", "64", "--out", "a.csv")
        [row] = self.rows("a.csv")
        self.assertEqual((row["status"], row["reason"]), ("unsupported", "a sum in f32"))

    def test_types_that_are_set_aside_are_not_supported(self):
        self.assert_refused(*ON_SERIAL[:-1], "f8_e4m3", saying="unknown type 'f8_e4m3'; there are: f32, f64")

    def test_compares_variants_of_one_backend(self):
        variants = ("--option", "serial@slow.variant=plain")
        done = self.run_program("run", "--backend", "serial,serial@slow", *variants, "--case", "matmul",
                                "--mode", "resident", "--type", "f64", "--size", "64,65", "--out",
                                "a.csv", "--case-budget", "0.8s")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"serial@slow:0 takes \d+\.\d\d times as long as serial:0 "
                                      r"\(\d+\.\d\d to \d+\.\d\d, 2 cases\)")
        rows = self.rows("a.csv")
        self.assertEqual(sorted({row["device"] for row in rows}), ["serial:0", "serial@slow:0"])
        for row in rows:
            slow = row["backend"] == "serial@slow"
            self.assertEqual("gemm_variant=plain" in row["backend_facts"], slow)
            self.assertEqual("variant=plain" in row["options"], slow)
        self.assert_refused("run", "--backend", "serial@slow", *variants, "--in-process",
                            saying="a variant needs a process of its own")

    def test_holds_a_norm_against_the_rate_of_reading(self):
        self.run_program("run", "--backend", "serial", "--case", "elementwise", "--mode",
                         "norm,sum,multiply-add", "--type", "f32", "--size", "100000", "--out", "a.csv")
        kernels = {row["mode"]: [name.split("_")[0] for name in row["ceiling_source"].split("+")]
                   for row in self.rows("a.csv")}
        self.assertEqual(kernels, {"multiply-add": ["triad", "read"], "norm": ["read"], "sum": ["read"]})

    @unittest.skipIf(pandas is None, "pandas is not installed")
    def test_is_read_by_pandas_with_the_right_types(self):
        self.run_program(*ON_SERIAL, "--size", "16,32", "--out", "a.csv")
        frame = pandas.read_csv(self.folder / "a.csv")
        self.assertEqual(len(frame), 2)
        for name in ("median_ns", "median_low_ns", "median_high_ns", "ceiling_share"):
            self.assertEqual(frame[name].dtype.kind, "f", name)
        # Reals that happen to be whole.
        for name in ("flops", "flops_per_s", "verify_error"):
            self.assertIn(frame[name].dtype.kind, "fi", name)
        for name in ("n", "round", "n_samples", "n_visits", "devices", "schema_version"):
            self.assertEqual(frame[name].dtype.kind, "i", name)

    def test_goes_to_standard_output_alone_when_asked(self):
        done = self.run_program(*ON_SERIAL, "--size", "16", "--out", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("schema_version,"))
        self.assertEqual(done.stdout.count("\n"), 2)

    def test_is_never_overwritten(self):
        (self.folder / "a.csv").write_text("precious")
        self.assert_refused(*ON_SERIAL, "--size", "16", "--out", "a.csv", saying="not overwritten")
        self.assertEqual((self.folder / "a.csv").read_text(), "precious")

    def test_has_the_rows_of_every_round(self):
        self.run_program(*ON_SERIAL, "--size", "16", "--rounds", "3", "--case-budget", "0.1s",
                         "--out", "a.csv")
        self.assertEqual([row["round"] for row in self.rows("a.csv")], ["1", "2", "3"])

    def test_says_over_budget_for_what_takes_too_long(self):
        done = self.run_program(*ON_SERIAL, "--size", "64,2500", "--case-budget", "0.05s", "--out",
                                "a.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["status"] for row in self.rows("a.csv")], ["ok", "over-budget"])


COMMANDS = ("run", "find", "compare", "list", "check", "new", "report", "fleet", "export", "history")


class Usage(ProgramTest):
    def test_bad_input_is_one_line_before_anything_is_measured(self):
        for arguments, saying in (
                (("--nonsense",), "--nonsense"),
                (("--case", "matmull"), "unknown case 'matmull' (did you mean matmul?)"),
                (("--backend", "seriall,serial"), "unknown backend 'seriall' (did you mean serial?)"),
                (("--backend", "serial,serial@a"), "unknown backend 'serial@a': "
                 "`--option serial@a.NAME=VALUE` or `--plugin serial@a=FILE` makes a variant"),
                (("--type", "f99"), "unknown type 'f99'; there are: f32"),
                (("--mode", "residant"), "unknown mode 'residant' (did you mean resident?)"),
                (("--size", "1x2"), "--size '1x2'"),
                (("--size", "64:"), "--size '64:'"),
                (("--device", "moon"), "unknown device 'moon'; there are: "),
                (("--device", "try-gpu:x"), "unknown device 'try-gpu:x'"),
                (("--cache", "warm"), "unknown cache state 'warm'"),
                (("--count", "many"), "--count 'many' is not a whole number from 1 to 1000000"),
                (("--count", "0"), "--count '0'"),
                (("--count", "1000001"), "--count '1000001'"),
                (("--preset", "fast"), "unknown preset 'fast'; there are: quick"),
                (("--precision", "2"), "--precision '2'"),
                (("--budget", "soon"), "--budget 'soon'"),
                (("--rounds", "0"), "--rounds"),
                (("--label", "x"), "--label 'x'"),
                (("--filter", "("), "--filter '('"),
                (("--filter", "nothing-is-called-so"), "no case is left"),
                (("--option", "serial.nonsense=1"), "nonsense"),
                (("--out", "missing/folder/a.csv"), "cannot be written"),
                (("--resume",), "--resume needs --out")):
            with self.subTest(arguments=arguments):
                self.assert_refused("run", *arguments, saying=saying)

    def test_an_error_of_usage_names_its_command_and_the_help_of_it(self):
        (self.folder / "a.csv").write_text("")
        for words, saying in (
                ("", "unknown command 'runn' (did you mean run?)"),
                ("", "unknown command 'moon'; there are: run, find, compare, list, "),
                ("", "unknown argument '--verison' (did you mean --version?)"),
                ("run", "unknown argument '--typ' (did you mean --type?)"),
                ("run --case moon", "unknown case 'moon'; there are: matmul, "),
                ("run --size abc", "--size 'abc': 'abc' is not a whole number"),
                ("find", "--from needs a backend; `breakeven list` shows them"),
                ("find --from moon", "unknown backend 'moon'; there are: "),
                ("find --from serial --range 3", "--range '3' is not LOW:HIGH"),
                ("check", "give the file of a plugin"),
                ("check a.csv --option x", "--option 'x' is not of the form"),
                ("list", "unknown argument '--optoins' (did you mean --options?)"),
                ("list --option moon.x=1", "unknown backend 'moon'"),
                ("new", "name is required"),
                ("new No", "'No' is no name for a backend"),
                ("report", "report is required"),
                ("compare a.csv", "there is nothing to compare with: give two reports"),
                ("compare a.csv a.csv", "a.csv is given twice"),
                ("export a.csv --format moon", "--format: moon not in "),
                ("fleet a.csv --margin x", "--margin: "),
                ("history a.db --since x", "--since x: write a day as")):
            words = words.split()
            typed = [*words, saying.split("'")[1]] if saying.startswith("unknown argument") or not words else words
            with self.subTest(typed=typed):
                command = " ".join(["breakeven", *words[:1]])
                done = self.run_program(*typed)
                self.assertEqual(done.returncode, 2)
                self.assert_one_line(done.stderr)
                self.assertTrue(done.stderr.startswith(f"{command}: {saying}"), done.stderr)
                self.assertTrue(done.stderr.endswith(f"; see `{command} --help`\n"), done.stderr)

    def test_what_cannot_be_used_says_what_to_do_instead(self):
        for arguments, saying in (
                ("report x.csv", "x.csv: there is no such file; `breakeven run --out FILE` writes one"),
                ("export x.csv", "x.csv: there is no such file; `breakeven run --out FILE` writes one"),
                ("find --from-report x.csv", "x.csv: there is no such file; `breakeven run --out FILE` writes one"),
                ("history x.db", "x.db: there is no such file; `breakeven run --history FILE` makes one"),
                ("fleet x", "x: there is no such file or folder"),
                ("new serial", "there is a backend 'serial' already; `breakeven list` shows them, name yours")):
            with self.subTest(arguments=arguments):
                self.assert_refused(*arguments.split(), saying=f"breakeven {arguments.split()[0]}: {saying}")
                self.assertNotIn("--help", self.run_program(*arguments.split()).stderr)

    def test_no_line_is_wider_than_the_terminal(self):
        reports = pathlib.Path(__file__).resolve().parents[2] / "reports/examples"
        for arguments in (("runn",), ("find",), ("run", "--mode", "moon"), ("new", "serial"), ("list", "--why"),
                          ("report", "x.csv"), ("report", reports / "two-core-zen3-quick.csv"),
                          ("compare", reports / "two-core-epyc.csv", reports / "two-core-zen3.csv"),
                          ("find", "--from-report", reports / "two-core-zen3-quick.csv", "--from", "serial"),
                          ("run", "--backend", "serial", "--case", "matmul", "--size", "16", "--case-budget", "0.1s",
                           "--out", "a-report-with-a-long-name-that-takes-a-line-of-its-own.csv")):
            for columns in (80, 50):
                with self.subTest(arguments=arguments, columns=columns):
                    for name in self.folder.iterdir():
                        name.unlink()
                    for line in self.in_terminal(columns, *arguments).split("\n"):
                        line = line.split("\r\x1b[K")[-1]
                        # A word of its own cannot be broken, nor a command but before its options.
                        if len(line) > columns and not line.startswith("  breakeven "):
                            self.assertNotIn(" ", line.strip(), line)

    def test_the_repetitions_of_a_mode_can_be_chosen(self):
        chosen = ("run", "--dry-run", "--backend", "serial", "--device", "0", "--type", "f32",
                  "--count", "3,7", "--size", "64")
        done = self.run_program(*chosen, "--case", "matmul", "--mode", "offload-once")
        self.assertEqual(done.stdout.splitlines()[:2],
                         [f"matmul/serial:0/f32/offload-once/n:64/count:{count}/memory:pageable"
                          for count in (3, 7)])
        done = self.run_program(*chosen, "--case", "norm-log", "--mode", "log-once")
        self.assertIn("norm-log/serial:0/f32/log-once/n:64/count:7\n", done.stdout)
        # A single product is never repeated.
        done = self.run_program(*chosen, "--case", "matmul", "--mode", "resident")
        self.assertNotIn("count:", done.stdout)

    def test_help_of_a_command_has_examples_of_that_command(self):
        for command in COMMANDS:
            done = self.run_program(command, "--help")
            self.assertEqual(done.returncode, 0)
            examples, statuses = done.stdout.split("Examples:\n")[1].split("\nExit status: ")
            self.assertIn("2 ", statuses)
            self.assertGreaterEqual(examples.count(f"breakeven {command}"), 2)
            for line in examples.splitlines():
                self.assertRegex(line, r"^  ((\S.*)?\bbreakeven |    )")
            for case in ("matmul", "first-use", "overlap"):
                self.assertTrue(command != "run" or case in done.stdout, case)

    def test_help_fits_a_terminal_of_80_columns(self):
        for command in ("", *COMMANDS):
            done = self.run_program(*command.split(), "--help")
            self.assertEqual([line for line in done.stdout.splitlines() if len(line) > 80], [], command)

    def test_the_dry_run_tells_the_budget_of_the_run(self):
        done = self.run_program("run", "--backend", "serial", "--preset", "course", "--dry-run")
        self.assertIn(", and 285 s for the run\n", done.stdout)

    def test_the_course_begins_to_answer_every_question_before_it_goes_on(self):
        done = self.run_program("run", "--backend", "serial", "--preset", "course", "--dry-run")
        names = done.stdout[:done.stdout.index("\n\n")].split("\n")
        cases = [name.split("/")[0] for name in names]
        large = next(i for i, name in enumerate(names) if name.endswith("/f32/resident/n:5000"))
        second = next(i for i, name in enumerate(names) if "/per-pass/batch:10" in name)
        for case in set(cases) - {"first-use"}:  # no question of a course
            self.assertLess(cases.index(case), second, case)
        self.assertLess(names.index("matmul/serial:0/f32/resident/n:100"), second)
        self.assertGreater(large, 100)

    def test_the_dry_run_measures_nothing(self):
        done = self.run_program(*ON_SERIAL, "--size", "16,32", "--dry-run")
        self.assertEqual(done.returncode, 0)
        self.assertIn("matmul/serial:0/f32/resident/n:32", done.stdout)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_missing_gpu_is_said_when_one_was_tried(self):
        environment = dict(os.environ, CUDA_VISIBLE_DEVICES="")
        done = self.run_program(*ON_SERIAL, "--size", "16", "--device", "try-gpu", "--out", "a.csv",
                                env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--device try-gpu uses serial:0 (no such GPU found)", done.stderr)
        self.assertEqual(self.rows("a.csv")[0]["device_requested"], "try-gpu")

    def test_the_course_asks_for_gpus_once_and_says_what_served(self):
        environment = dict(os.environ, CUDA_VISIBLE_DEVICES="")
        done = self.run_program("run", "--backend", "serial", "--case", "device-choice", "--preset",
                                "course", "--size", "16", "--out", "a.csv", env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            [(row["device_requested"], row["device"], row["question"], row["status"])
             for row in sorted(self.rows("a.csv"), key=lambda row: row["device_requested"])],
            [(asked, "serial:0", "Q10", "ok") for asked in ("all-gpus", "try-gpu", "try-gpu:1")])
        done = self.run_program("run", "--backend", "serial", "--case", "device-choice", "--device",
                                "serial:0", "--out", "b.csv", env=environment)
        self.assertEqual(done.returncode, 2)
        self.assertIn("device-choice: left out, because --device says where to measure", done.stderr)


class Ends(ProgramTest):
    """What is left after a violent end."""

    SIZES = "200,210,220,230,240,250"

    def long_run(self, *more, budget="0.4s"):
        return self.start_program(*ON_SERIAL, "--size", self.SIZES, "--out", "a.csv", "--precision",
                                  "0.0001", "--case-budget", budget, *more)

    def hit_a_case(self, number, *more):
        """Sends the worker a signal while a case is in flight.

        A signal that met a ceiling, or a worker between two requests, cost no case: the next attempt
        waits for another time. The worker is looked for when its time has come: a round may have
        started another one by then.
        """
        for delay in (2, 3.1, 2.6, 4.3, 3.7, 5.2, 2.9, 4.7):
            run = self.long_run(*more, budget="1s")
            workers_of(run)
            time.sleep(delay)
            worker = workers_of(run)[0]
            try:
                stop_in_a_request(worker) if number == signal.SIGSTOP else os.kill(worker, number)
            except ProcessLookupError:
                pass
            _, errors = run.communicate(timeout=120)
            if run.returncode != 0:
                return run.returncode, errors
            (self.folder / "a.csv").unlink()
        self.fail("the signal never met a case")

    def test_a_killed_worker_costs_its_case_and_no_other(self):
        status, errors = self.hit_a_case(signal.SIGKILL)
        self.assertEqual(status, 1, errors)
        statuses = sorted(row["status"] for row in self.rows("a.csv"))
        self.assertEqual(statuses, ["crashed"] + ["ok"] * 5)
        crashed = [row for row in self.rows("a.csv") if row["status"] == "crashed"][0]
        self.assertIn("SIGKILL", crashed["reason"])
        self.assertEqual(crashed["median_ns"], "NA")

    def test_a_hung_worker_is_ended_and_its_row_says_so(self):
        self.hit_a_case(signal.SIGSTOP, "--time-limit", "3s")
        statuses = sorted(row["status"] for row in self.rows("a.csv"))
        self.assertEqual(statuses, ["hung"] + ["ok"] * 5)

    def test_an_interrupt_keeps_what_is_complete_and_resume_completes_it(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with self.subTest(signal=number):
                run = self.long_run("--rounds", "3", "--machine", "m")
                workers_of(run)
                while not (self.folder / "a.csv").exists() or len(self.rows("a.csv")) < 6:
                    time.sleep(0.05)
                run.send_signal(number)
                _, errors = run.communicate(timeout=20)
                self.assertEqual(run.returncode, status, errors)
                self.assertIn("--resume", errors)
                before = self.rows("a.csv")
                self.assertLess(len(before), 18)
                done = self.run_program(*ON_SERIAL, "--size", self.SIZES, "--out", "a.csv",
                                        "--precision", "0.0001", "--case-budget", "0.4s", "--rounds",
                                        "3", "--machine", "m", "--resume")
                self.assertEqual(done.returncode, 0, done.stderr)
                after = self.rows("a.csv")
                self.assertEqual(after[:len(before)], before)
                self.assertEqual(len({(row["name"], row["round"]) for row in after}), 18)
                self.assertEqual(len(after), 18)
                self.assertEqual({row["resumed"] for row in after}, {"0", "1"})
                (self.folder / "a.csv").unlink()

    def test_a_spent_budget_leaves_rows_that_say_so_and_resume_measures_them(self):
        arguments = (*ON_SERIAL, "--size", self.SIZES, "--out", "a.csv", "--precision", "0.0001",
                     "--case-budget", "0.2s", "--rounds", "3", "--machine", "m")
        for time in ("1s", "1h", "1h"):
            more = ("--resume",) if (self.folder / "a.csv").exists() else ()
            before = [row for row in self.rows("a.csv") if row["status"] == "ok"] if more else []
            done = self.run_program(*arguments, "--budget", time, *more)
            rows = self.rows("a.csv")
            measured = any(row["status"] == "ok" for row in rows)
            self.assertEqual(done.returncode, 0 if measured else 3, done.stderr)
            self.assertEqual(rows[:len(before)], before)
            self.assertEqual(len({(row["name"], row["round"]) for row in rows}), 18)
            self.assertEqual(len(rows), 18)
            left = [row for row in rows if row["status"] != "ok"]
            self.assertEqual({(row["status"], row["reason"]) for row in left},
                             {("over-budget", "the budget of the run was spent before its turn")}
                             if time.endswith("s") else set())
        self.assertIn("nothing was left to measure: a.csv is complete", done.stdout)

    def test_workers_do_not_outlive_a_killed_parent(self):
        run = self.long_run()
        worker = workers_of(run)[0]
        run.kill()
        run.wait()
        for _ in range(200):
            if not os.path.exists(f"/proc/{worker}"):
                break
            time.sleep(0.01)
        self.assertFalse(os.path.exists(f"/proc/{worker}"))

    def test_another_run_on_the_same_report_is_refused(self):
        run = self.long_run()
        workers_of(run)
        self.assert_refused(*ON_SERIAL, "--resume", "--out", "a.csv", saying="another run")
        run.kill()

    def test_resuming_something_else_is_refused_with_what_differs(self):
        self.run_program(*BRIEFLY, "--size", "16", "--out", "a.csv", "--machine", "m")
        self.assert_refused(*BRIEFLY, "--size", "16,32", "--out", "a.csv", "--machine", "m",
                            "--resume", saying="run_options was")
        self.assert_refused(*BRIEFLY, "--size", "16", "--out", "a.csv", "--machine", "other",
                            "--resume", saying="machine was 'm' and is 'other'")
        for more in (("--option", "serial.variant=plain"), ("--count", "7")):
            self.assert_refused(*BRIEFLY, "--size", "16", "--out", "a.csv", "--machine", "m",
                                "--resume", *more, saying="run_options was")
        done = self.run_program(*BRIEFLY, "--size", "16,32", "--out", "a.csv", "--machine", "m",
                                "--resume-anyway")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["n"] for row in self.rows("a.csv")], ["16", "32"])

    def test_a_torn_last_line_is_dropped_on_resume(self):
        self.run_program(*BRIEFLY, "--size", "16,32", "--out", "a.csv", "--machine", "m")
        path = self.folder / "a.csv"
        path.write_bytes(path.read_bytes()[:-40])
        done = self.run_program(*BRIEFLY, "--size", "16,32", "--out", "a.csv", "--machine", "m",
                                "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["n"] for row in self.rows("a.csv")], ["16", "32"])

    def test_a_full_disk_is_one_clear_error_and_resume_goes_on(self):
        arguments = (*ON_SERIAL, "--size", "16,32", "--case-budget", "0.1s", "--out", "a.csv",
                     "--machine", "m")
        full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY))
        done = self.run_program(*arguments, preexec_fn=full)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("a.csv: could not be written: File too large", done.stderr)
        self.assertTrue((self.folder / "a.csv").read_bytes().endswith(b"\n"))
        self.assertEqual(self.rows("a.csv"), [])
        done = self.run_program(*arguments, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([row["n"] for row in self.rows("a.csv")], ["16", "32"])

    def test_a_second_interrupt_ends_a_run_that_waits_for_its_worker(self):
        run = self.long_run()
        stop_in_a_request(workers_of(run)[0])
        run.send_signal(signal.SIGINT)
        while signal.SIGINT in blocked_signals(run):
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(60), -signal.SIGINT)

    @unittest.skipUnless(memory_group.available(), "no control group can be made here")
    def test_a_worker_that_the_kernel_ended_for_want_of_memory_has_a_row_that_says_so(self):
        with memory_group.made() as group:
            run = self.start_program(*ON_SERIAL, "--size", "64,6000", "--case-budget", "60s",
                                     "--precision", "50%", "--out", "a.csv", preexec_fn=group.enter)
            workers_of(run, plugin=False)
            group.limit(400 << 20)  # the parent has seen that there is enough
            _, errors = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 0, errors)
        rows = self.rows("a.csv")
        self.assertEqual([row["status"] for row in rows], ["ok", "out-of-memory"])
        self.assertIn("the kernel ended the worker because memory ran out", rows[1]["reason"])

    @unittest.skipUnless(memory_group.available(), "no control group can be made here")
    def test_what_does_not_fit_in_the_memory_of_a_job_is_not_tried(self):
        with memory_group.made() as group:
            group.limit(400 << 20)
            done = self.run_program(*ON_SERIAL, "--size", "64,5000", "--case-budget", "0.1s", "--out",
                                    "a.csv", preexec_fn=group.enter)
        self.assertEqual(done.returncode, 0, done.stderr)
        reasons = {row["n"]: row["reason"] for row in self.rows("a.csv")}
        self.assertIn("needs 572 MiB, a line-up may use", reasons["5000"])

    def test_a_closed_pipe_is_one_clear_error(self):
        run = self.start_program(*ON_SERIAL, "--size", "16", "--out", "-")
        run.stdout.close()
        errors = run.stderr.read()
        self.assertEqual(run.wait(timeout=60), 1)
        self.assertIn("standard output: could not be written", errors)


class InProcess(ProgramTest):
    """A plain Google Benchmark program."""

    def benchmarks(self, *arguments, status):
        done = self.run_program("run", "--in-process", "--case", "matmul", "--mode", "resident",
                                "--type", "f32", *arguments, "--benchmark_min_time=0.05",
                                "--benchmark_out=a.json")
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads((self.folder / "a.json").read_text())["benchmarks"]

    def test_has_times_of_one_repetition_and_the_work_in_a_second(self):
        found = self.benchmarks("--backend", "serial", "--size", "32,64", status=0)
        self.assertEqual([one["name"].split("/manual_time")[0] for one in found],
                         [f"matmul/serial:0/f32/resident/n:{n}" for n in (32, 64)])
        for one, n in zip(found, (32, 64)):
            self.assertNotIn("error_occurred", one)
            self.assertEqual(one["time_unit"], "us")
            self.assertGreater(one["iterations"], 1)
            self.assertAlmostEqual(one["flops"] * one["real_time"] * 1e-6 / (2 * n ** 3), 1, delta=0.01)
            self.assertGreater(one["bytes"], 0)

    def test_a_wrong_backend_has_no_time_before_or_after_it_was_timed(self):
        for animal in ("wrong-results", "forgets"):
            with self.subTest(animal=animal):
                plugin = os.path.join(os.environ["BREAKEVEN_ZOO"], animal + ".so")
                found = self.benchmarks("--plugin", plugin, "--backend", animal + ",serial", "--size",
                                        "32", status=1)
                self.assertEqual(len(found), 2)
                self.assertTrue(found[0]["error_occurred"])
                self.assertTrue(found[0]["error_message"].startswith("wrong: "), found[0])
                self.assertNotIn("error_occurred", found[1])
                (self.folder / "a.json").unlink()


class Measuring(ProgramTest):
    """Backends side by side."""

    def test_backends_of_one_key_are_paired_and_compare_says_so(self):
        done = self.run_program("run", "--backend", "serial,serial@slow", "--option",
                                "serial@slow.variant=plain", "--case", "matmul", "--mode", "resident",
                                "--type", "f32", "--size", "32,64", "--case-budget", "400ms", "--out",
                                "a.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows("a.csv")
        self.assertEqual(len({row["line_up"] for row in rows}), 1)
        for row in rows:
            self.assertEqual(len(row["sweeps"].replace("|", " ").split()), int(row["n_visits"]))
        compared = self.run_program("compare", "a.csv", "--group-by", "backend", "--format", "json")
        cases = json.loads(compared.stdout)["cases"]
        self.assertEqual([case["paired"] for case in cases], [True, True])
        for case in cases:
            self.assertLess(case["ratio_low"], case["ratio"])
            self.assertGreater(case["ratio_low"], 1, "plain kernels are slower")

    def test_resume_starts_a_report_that_is_not_there(self):
        arguments = (*ON_SERIAL, "--size", "16", "--out", "a.csv", "--machine", "m", "--resume")
        for _ in range(2):
            done = self.run_program(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(len(self.rows("a.csv")), 1)

    def test_a_run_that_measured_nothing_does_not_end_well(self):
        done = self.run_program(*ON_SERIAL, "--size", "2500", "--case-budget", "1ms", "--out", "a.csv")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual([row["status"] for row in self.rows("a.csv")], ["over-budget"])


class FirstTable(ProgramTest):
    """What `./bootstrap run` measures with before the rest of the program is built."""

    def run_first(self, *arguments):
        return subprocess.run([PROGRAM + "-first", *arguments], cwd=self.folder, text=True, capture_output=True)

    def test_is_that_of_the_whole_program(self):
        first = self.run_first(*ON_SERIAL, "--size", "16,32", "--out", "first.csv")
        self.assertEqual(first.returncode, 0, first.stderr)
        self.run_program(*ON_SERIAL, "--size", "16,32", "--out", "whole.csv")
        for column in ("name", "status", "backend_facts", "command"):
            first, whole = ([row[column].replace("first", "whole") for row in self.rows(name)]
                            for name in ("first.csv", "whole.csv"))
            self.assertEqual(first, whole)

    def test_what_needs_readers_of_reports_is_refused_before_anything_is_measured(self):
        for arguments in (("--history", "kept.db"), ("--plugin", "serial@old=before.so")):
            done = self.run_first(*ON_SERIAL, *arguments, "--out", "a.csv")
            self.assertEqual(done.returncode, 2)
            self.assertIn("is not built yet", done.stderr)
            self.assertFalse((self.folder / "a.csv").exists())


class OtherBuilds(ProgramTest):
    """A variant that is another plugin file, or that another build of the program runs."""

    def compare(self, *arguments, plain="auto", old="auto"):
        return self.run_program(
            "run", "--backend", "serial,serial@old", *arguments, "--case", "matmul", "--mode", "resident",
            "--type", "f32", "--size", "64", "--case-budget", "300ms", "--out", "a.csv", "--option",
            f"serial.variant={plain}", "--option", f"serial@old.variant={old}")

    def test_what_another_plugin_file_changed_is_judged(self):
        plugin = pathlib.Path(PROGRAM).parent.parent / "lib/breakeven/plugins/serial.so"
        shutil.copy(plugin, self.folder / "before.so")
        done = self.compare("--plugin", "serial@old=before.so", plain="plain")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("regressed", done.stdout)
        self.assertEqual({row["round"] for row in self.rows("a.csv")}, {"1", "2", "3", "4", "5"})
        again = self.run_program("compare", "a.csv", "--group-by", "variant", "--base", "old", "--format",
                                 "json")
        self.assertEqual(again.returncode, 1, again.stderr)
        case, = json.loads(again.stdout)["cases"]
        self.assertEqual((case["name"], case["verdict"], case["paired"]),
                         ("matmul/serial:0/f32/resident/n:64", "regressed", True))
        back = self.run_program("compare", "a.csv", "--group-by", "variant", "--base", "plain")
        self.assertEqual(back.returncode, 0, back.stderr)
        self.assertIn("improved", back.stdout)

    def test_a_variant_may_run_in_another_build_of_the_program(self):
        done = self.compare("--program", f"serial@old={PROGRAM}", old="plain")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("improved", done.stdout)

    def test_a_program_of_another_protocol_costs_its_rows(self):
        # Stands for a build of before the number: its worker answers without one.
        other = self.folder / "breakeven"
        other.write_text(textwrap.dedent(f"""\
            #!{sys.executable}
            import os, sys
            if sys.argv[1] != "worker":
                os.execv({PROGRAM!r}, [{PROGRAM!r}, *sys.argv[1:]])
            requests, answers = map(int, sys.argv[3].split(","))
            os.read(requests, 1000)
            os.write(answers, b'{{"status":"ok","reason":"","lost":false,"value":{{"devices":1}}}}\\n')
            os.read(requests, 1000)
            """))
        other.chmod(0o755)
        plugin = pathlib.Path(PROGRAM).parent.parent / "lib/breakeven/plugins/serial.so"
        done = self.compare("--program", f"serial@old={other}", "--plugin", f"serial@old={plugin}",
                            "--rounds", "1")
        rows = {row["backend"]: row for row in self.rows("a.csv")}
        self.assertEqual(rows["serial"]["status"], "ok", done.stderr)
        self.assertEqual(rows["serial@old"]["status"], "unavailable")
        self.assertIn("speaks protocol 0", rows["serial@old"]["reason"])

    def test_what_is_no_other_build_is_refused(self):
        self.assert_refused("run", "--program", "old/breakeven", saying="BACKEND@NAME=FILE")
        self.assert_refused("run", "--program", "serial@old=nowhere", saying="no such program")
        self.assert_refused("run", "--plugin", "serial@=before.so", saying="backend@variant")
        self.assert_refused("run", "--plugin", "serial@old=", saying="the file is missing")


class BadPlugins(ProgramTest):
    """They cost their own rows."""

    def run_animal(self, name, sizes):
        plugin = os.path.join(os.environ["BREAKEVEN_ZOO"], name + ".so")
        done = self.run_program("run", "--plugin", plugin, "--backend", name + ",serial", "--case",
                                "matmul", "--mode", "resident", "--type", "f32", "--size", sizes,
                                "--case-budget", "0.1s", "--out", "a.csv")
        self.assertEqual(done.returncode, 1, done.stderr)
        rows = self.rows("a.csv")
        self.assertEqual({row["status"] for row in rows if row["backend"] == "serial"}, {"ok"})
        return [row for row in rows if row["backend"] == name]

    def test_one_that_crashes_three_times_is_set_aside(self):
        rows = self.run_animal("crashes-in-work", "1,2,3,4,5")
        self.assertEqual(sorted(row["status"] for row in rows),
                         ["abandoned"] * 2 + ["crashed"] * 3)
        for row in rows:
            if row["status"] == "crashed":
                self.assertIn("SIGKILL", row["reason"])
                self.assertIn("the lion is out", row["stderr"])
            else:
                self.assertIn("crashed three times", row["reason"])

    def test_one_that_answers_for_its_worker_costs_its_rows(self):
        rows = self.run_animal("answers-for-the-worker", "1,2")
        self.assertEqual([row["status"] for row in rows], ["crashed"] * 2)
        for row in rows:
            self.assertIn("nonsense", row["reason"])


if __name__ == "__main__":
    unittest.main()
