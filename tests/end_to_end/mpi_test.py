# SPDX-License-Identifier: Apache-2.0
"""Devices that are processes of MPI: the backend mpi, with ranks on this machine.

BREAKEVEN_KILLS says how often a rank, a worker or the program itself is killed; without it what takes long is left
to `.ci/long`."""

import contextlib
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

from program import PROGRAM, ProgramTest

KILLS = int(os.environ.get("BREAKEVEN_KILLS", "0"))
LONG = unittest.skipUnless(KILLS, "BREAKEVEN_KILLS is not set")
ONE_RANK, TWO_RANKS = ("--option", "mpi.ranks=1"), ("--option", "mpi.ranks=2")


def reason_unusable():
    """None where two ranks can be started."""
    done = subprocess.run([PROGRAM, "list", "--why", *TWO_RANKS], text=True, capture_output=True, check=True)
    lines = done.stdout.splitlines() + done.stderr.splitlines()
    if any(line.startswith("mpi ") for line in lines):
        return None
    return next((line for line in lines if "'mpi'" in line), "the plugin mpi is not built")


NO_MPI = reason_unusable()


def below(process, word=b"breakeven-rank"):
    """What descends from a process and was started with that word: the ranks and their launcher, or workers."""
    parents, names = {}, {}
    for folder in pathlib.Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and (command := (folder / "cmdline").read_bytes()):
                names[int(folder.name)] = command
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            pass  # it has ended meanwhile

    def descends(one):
        while one > 1 and one != process:
            one = parents.get(one, 0)
        return one == process
    return sorted(one for one, command in names.items() if word in command and descends(one))


@unittest.skipIf(NO_MPI, NO_MPI)
class Mpi(ProgramTest):
    def reason(self, *arguments, **options):
        """Why it cannot be used: one line, and soon."""
        done = self.run_program("list", "--why", *arguments, **options)
        return next(line for line in done.stdout.splitlines() if "'mpi'" in line)

    def require_gone(self, ranks, patience=60):
        """Soon, but for a busy machine; what is left for ever is what must not be."""
        end = time.monotonic() + patience
        while left := [rank for rank in ranks if pathlib.Path(f"/proc/{rank}/exe").exists()]:
            if time.monotonic() > end:
                states = [pathlib.Path(f"/proc/{rank}/stat").read_text(encoding="utf-8")[:60] for rank in left]
                self.fail(f"still running, with their states: {states}")
            time.sleep(0.02)

    def test_gives_verified_rows_that_tell_what_they_were_made_with(self):
        self.run_program("run", "--backend", "mpi", *TWO_RANKS, "--case", "matmul,transfer,parallel,overlap",
                         "--mode", "offload-always,single,strong,overlapped", "--type", "f32",
                         "--size", "64", "--case-budget", "0.1s", "--out", "a.csv")
        rows = self.rows("a.csv")
        self.assertEqual([row["name"] + " " + row["status"] + " " + row["reason"] for row in rows
                          if row["status"] not in ("ok", "unsupported")], [])
        asked = {(row["case"], row["devices"], row["direction"]) for row in rows if row["status"] == "ok"}
        self.assertLessEqual({("matmul", "1", "NA"), ("transfer", "1", "h2d"), ("transfer", "1", "peer"),
                              ("parallel", "2", "NA"), ("overlap", "1", "NA")}, asked)
        self.assertEqual({row["device_kind"] for row in rows}, {"node"})
        bound = {row["ceiling_source"].split("_")[0] for row in rows
                 if row["case"] == "transfer" and row["direction"] in ("h2d", "d2h", "peer") and row["status"] == "ok"}
        self.assertEqual(bound, {"network", "peer"})
        for fact in ("ranks=2", "nodes=1", "mpi_library=", "mpi_standard=", "mpi_transport="):
            self.assertIn(fact, rows[0]["backend_facts"])
        self.assertRegex(rows[0]["backend_facts"], rf"made_of=\S+Linux\S+%20on%20{os.uname().nodename} ")
        for fact in ("rank=1", "node=", "computes_by=", "cores=", "kernel="):
            self.assertIn(fact, rows[0]["device_facts"])

    @LONG
    def test_keeps_the_rules_that_are_about_ranks(self):
        rules = ("two-devices", "events", "rest", "processes")
        done = self.run_program("check", pathlib.Path(PROGRAM).parent / "../lib/breakeven/plugins/mpi.so", *TWO_RANKS,
                                *(word for rule in rules for word in ("--rule", rule)))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(f"{len(rules)} rules kept", done.stdout)

    def test_one_product_goes_over_all_ranks(self):
        self.run_program("run", "--backend", "scalapack", "--option", "scalapack.ranks=2", "--case", "matmul",
                         "--mode", "resident", "--type", "f32,f64", "--size", "100", "--case-budget", "0.1s",
                         "--out", "a.csv")
        rows = self.rows("a.csv")
        self.assertEqual([row["status"] for row in rows], ["ok", "ok"])
        self.assertEqual([row["routines"].split()[0] for row in rows], ["psgemm", "pdgemm"])
        self.assertRegex(rows[0]["routines"], r" nb=\d+$")
        self.assertIn("computes_by=ScaLAPACK ", rows[0]["device_facts"])
        self.assertRegex(rows[0]["backend_facts"], r"blocks_tried=32:\d+us,64:\d+us,128:\d+us,256:\d+us")

    def test_without_ranks_says_what_to_set(self):
        self.assertIn("no ranks: set the option ranks or hosts", self.reason())

    def test_without_a_launcher_says_so(self):
        self.assertIn("no launcher of MPI", self.reason(*ONE_RANK, "--option", "mpi.launcher=/nowhere/mpirun"))

    def test_ranks_that_do_not_start_are_not_waited_for_forever(self):
        launcher = self.folder / "launcher"
        launcher.write_text("#!/bin/sh\necho the queue is full\nexec sleep 60\n", encoding="utf-8")
        launcher.chmod(0o755)
        reason = self.reason(*ONE_RANK, "--option", f"mpi.launcher={launcher}", "--option", "mpi.limit=1")
        self.assertIn("started 0 of 2 ranks within 1 s", reason)
        self.assertIn("the queue is full", reason)

    def test_open_mpi_yields_only_where_there_are_more_ranks_than_processors(self):
        launcher = self.folder / "launcher"
        launcher.write_text("#!/bin/sh\necho yields: ${OMPI_MCA_mpi_yield_when_idle-as it likes}\nexit 1\n",
                            encoding="utf-8")
        launcher.chmod(0o755)
        options = (*ONE_RANK, "--option", f"mpi.launcher={launcher}")
        self.assertIn("yields: 0", self.reason(*options))
        self.assertIn("yields: as it likes", self.reason(*options, "--option", "mpi.crowd=yes"))

    def test_a_launcher_that_fails_is_quoted(self):
        reason = self.reason(*ONE_RANK, "--option", "mpi.launcher=mpirun --no-such-thing")
        self.assertIn("ended before the ranks had started", reason)
        self.assertIn("no-such-thing", reason)

    def launcher_whose_second_rank(self, does):
        """mpirun; that rank does this in place of `"$1" "$2"`, its program and plugin."""
        rank, launcher = self.folder / "rank", self.folder / "launcher"
        rank.write_text(f'#!/bin/sh\n[ "$OMPI_COMM_WORLD_RANK" = 1 ] && {does}\nexec "$@"\n', encoding="utf-8")
        launcher.write_text(f'#!/bin/bash\nexec mpirun "${{@:1:$#-2}}" {rank} "${{@: -2}}"\n', encoding="utf-8")
        for file in (rank, launcher):
            file.chmod(0o755)
        return ("--option", f"mpi.launcher={launcher}")

    def test_another_build_on_a_node_is_refused_by_name(self):
        plugins = pathlib.Path(PROGRAM).parent / "../lib/breakeven/plugins"
        other = self.folder / "breakeven-rank"
        program = (plugins / other.name).read_bytes()
        version = subprocess.run([PROGRAM, "--version"], text=True, capture_output=True, check=True).stdout.split()[1]
        changed = program.replace(f" {version} ".encode(), f" {'9' * len(version)} ".encode())
        self.assertNotEqual(changed, program)
        other.write_bytes(changed)
        other.chmod(0o755)
        (self.folder / "serial.so").symlink_to((plugins / "serial.so").resolve())
        reason = self.reason(*ONE_RANK, *self.launcher_whose_second_rank(f'exec {other} serial'))
        self.assertRegex(reason, r"rank 1 on \S+ is another build .*999.*install the same on every node")

    def test_nodes_that_differ_are_said_to(self):
        self.run_program("run", "--backend", "mpi", *TWO_RANKS, "--option", "mpi.backend=blas", "--case", "dispatch",
                         "--mode", "empty", "--case-budget", "0.1s", "--out", "a.csv",
                         *self.launcher_whose_second_rank('exec "$1" serial'))
        facts = self.rows("a.csv")[0]["backend_facts"]
        self.assertIn(" processors=mixed", facts)
        self.assertRegex(facts, r"made_of=\S+%20on%20\S+;%20\S+%20on%20")

    def test_more_ranks_than_processors_have_to_be_asked_for(self):
        many = f"mpi.ranks={len(os.sched_getaffinity(0)) + 1}"
        self.assertIn("crowd=yes", self.reason("--option", many))

    def test_a_wrong_number_is_named(self):
        self.assertIn("'two'", self.reason("--option", "mpi.ranks=two"))

    def test_a_stopped_launcher_goes_on_and_ends_with_its_worker(self):
        launcher = self.folder / "launcher"
        launcher.write_text('#!/bin/sh\nexec setsid mpirun "$@"\n', encoding="utf-8")  # the kernel lets it be
        launcher.chmod(0o755)
        process = self.start_program("run", "--backend", "mpi", *ONE_RANK, "--option", f"mpi.launcher={launcher}",
                                     "--case", "matmul", "--mode", "resident", "--type", "f32", "--size", "512",
                                     "--case-budget", "20s", "--out", "a.csv")
        stopped = False
        while not stopped:
            self.assertIsNone(process.poll())
            seen = below(process.pid)
            with contextlib.suppress(ProcessLookupError):  # ranks that only said what they are have ended
                if len(seen) == 3:  # the launcher and both ranks
                    os.kill(next(one for one in seen if os.getsid(one) == one), signal.SIGSTOP)
                    stopped = True
            time.sleep(0.02)
        process.kill()
        process.communicate()
        self.require_gone(seen)

    @LONG
    def test_a_rank_that_dies_costs_its_row_and_the_run_goes_on(self):
        process = self.start_program("run", "--backend", "mpi", *ONE_RANK, "--case", "matmul", "--mode", "resident",
                                     "--type", "f64,f32", "--size", "512", "--case-budget", "3s", "--out", "a.csv")
        # Worker after worker loses its rank, until a case was the one that was at it.
        report = self.folder / "a.csv"
        while process.poll() is None and not (report.exists() and "crashed" in report.read_text(encoding="utf-8")):
            for worker in below(process.pid, b"--plugin"):
                ranks = below(worker)
                time.sleep(1)
                with contextlib.suppress(ProcessLookupError, IndexError):
                    os.kill(ranks[-1], signal.SIGKILL)
        process.communicate()
        self.assertEqual(len(rows := self.rows("a.csv")), 2)
        crashed = [row for row in rows if row["status"] == "crashed"]
        self.assertRegex(crashed[0]["stderr"], r"rank \d on \S+ has ended")
        self.assertEqual(below(process.pid), [])

    @LONG
    def test_whoever_is_killed_nothing_is_left_and_no_row_is_lost(self):
        arguments = ("run", "--backend", "mpi", *TWO_RANKS, "--case", "matmul", "--mode", "resident,offload-always",
                     "--type", "f32,f64", "--size", "256", "--case-budget", "0.2s", "--out", "a.csv")
        for number in range(KILLS):
            process = self.start_program(*arguments)
            seen, end = set(), time.monotonic() + random.uniform(0.5, 12)
            while process.poll() is None and time.monotonic() < end:
                seen.update(below(process.pid))
                time.sleep(0.02)
            who = ("rank", "worker", "program")[number % 3]
            victims = {"rank": below(process.pid), "worker": below(process.pid, b"--plugin"),
                       "program": [process.pid]}[who]
            with self.subTest(number=number, who=who):
                with contextlib.suppress(ProcessLookupError, IndexError):
                    os.kill(random.choice(victims), signal.SIGKILL)
                while process.poll() is None:  # who was left goes on, with other ranks
                    seen.update(below(process.pid))
                    time.sleep(0.05)
                _, errors = process.communicate()
                self.require_gone(seen)
                report = self.folder / "a.csv"
                if who == "program":
                    done = self.run_program(*arguments, *(("--resume",) if report.exists() else ()))
                    self.assertIn(done.returncode, (0, 1), done.stderr)
                elif not report.exists():  # before the run had its backend, it is refused
                    self.assertEqual(process.returncode, 2)
                    self.assertIn("backend 'mpi'", errors)
                    continue
                rows = self.rows("a.csv")
                self.assertEqual(sorted({(row["mode"], row["type"]) for row in rows}), [
                    (mode, kind) for mode in ("offload-always", "resident") for kind in ("f32", "f64")])
                others = [row["reason"] for row in rows if row["status"] not in ("ok", "crashed")]
                # Killed while the ranks of a case start, that is said in its row.
                self.assertEqual([why for why in others if "ended before the ranks had started" not in why], [])
                self.assertEqual(len(rows), 4)
            (self.folder / "a.csv").unlink(missing_ok=True)
