# SPDX-License-Identifier: Apache-2.0
"""kills.py PROGRAM KILLS [SEED]: kills runs and their workers at random moments, and resumes.

No row that was written may be lost, every report must be readable, and each must end with exactly
one row per case and round. One report for each processor at a time.
"""

import concurrent.futures
import contextlib
import csv
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

csv.field_size_limit(sys.maxsize)
SIZES, ROUNDS = [8, 16, 24, 32], 3
wanted = int(sys.argv[2])
seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(2**32)
jobs = min(wanted, len(os.sched_getaffinity(0)))


def copy_of_program(folder):
    """With one plugin. It is the same for all runs, also when the program is built again."""
    source = pathlib.Path(sys.argv[1]).resolve()
    plugins = pathlib.Path("lib", "breakeven", "plugins")
    (folder / "bin").mkdir()
    (folder / plugins).mkdir(parents=True)
    shutil.copy(source.parent.parent / plugins / "serial.so", folder / plugins)
    return shutil.copy(source, folder / "bin")


def start(program, report, *more):
    return subprocess.Popen(
        [program, "run", "--case", "matmul", "--mode", "resident", "--type", "f32", "--size",
         ",".join(map(str, SIZES)), "--rounds", str(ROUNDS), "--case-budget", "0.03s", "--machine",
         "m", "--out", str(report), *more],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def children(parent):
    """Its workers; at the beginning, those that look at a plugin."""
    try:
        return list(map(int, pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()))
    except FileNotFoundError:
        return []


def rows(report):
    """The whole lines; a torn last one is what readers drop."""
    text = report.read_bytes()
    whole = text[:text.rfind(b"\n") + 1].decode()
    return list(csv.DictReader(whole.splitlines()))


class Kills:
    """What was killed, counted over all reports."""

    def __init__(self, wanted):
        self.wanted, self.lock = wanted, threading.Lock()
        self.parents = self.children = self.reports = self.crashed = 0

    def next_report(self):
        """Its number, or None when enough was killed."""
        with self.lock:
            if self.parents + self.children >= self.wanted:
                return None
            self.reports += 1
            return self.reports

    def add(self, parents, children):
        with self.lock:
            self.parents += parents
            self.children += children


def require(what, true):
    if not true:
        raise AssertionError(what)


def kill_until_complete(program, report, length, chance, kills):
    """Kills now a worker, now the run, and resumes it, until it ends before the next kill."""
    before = []
    process = start(program, report)
    while True:
        time.sleep(chance.uniform(0, 0.8 * length))
        if process.poll() is not None:
            break
        if chance.random() < 0.5:
            for child in children(process.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
                    kills.add(0, 1)
            continue
        process.kill()
        process.wait()
        kills.add(1, 0)
        now = rows(report) if report.exists() else []
        require("a written row was lost or changed", now[:len(before)] == before)
        before = now
        process = start(program, report, *(["--resume"] if report.exists() else []))
    require(f"a run ended with status {process.returncode}", process.returncode in (0, 1))
    after = rows(report)
    require("a written row was lost or changed", after[:len(before)] == before)
    names = [(row["name"], row["round"]) for row in after]
    expected = len(SIZES) * ROUNDS
    require(f"{len(names)} rows, {len(set(names))} different, expected {expected}",
            len(names) == len(set(names)) == expected)
    whole = report.read_bytes()
    require("resuming a complete report failed", start(program, report, "--resume").wait() in (0, 1))
    require("resuming a complete report changed it", report.read_bytes() == whole)
    with kills.lock:
        kills.crashed += sum(row["status"] == "crashed" for row in after)


def work(program, folder, length, kills):
    while (number := kills.next_report()) is not None:
        kill_until_complete(program, folder / f"{number}.csv", length, random.Random(seed + number),
                            kills)


print(f"seed {seed}", flush=True)
with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    program = copy_of_program(folder)
    # How long a whole run takes beside others, to spread the kills over it.
    begin = time.monotonic()
    for whole in [start(program, folder / f"whole-{i}.csv") for i in range(jobs)]:
        whole.wait()
    length = time.monotonic() - begin
    kills = Kills(wanted)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        ends = [pool.submit(work, program, folder, length, kills) for _ in range(jobs)]
        try:
            for end in ends:
                end.result()
        except AssertionError as what:
            kills.wanted = 0
            sys.exit(f"kills: {what}; seed {seed}")
print(f"{kills.parents + kills.children} kills ({kills.parents} runs, {kills.children} of their "
      f"children) in {kills.reports} reports: no written row lost, every report readable, every resumed "
      f"run complete with one row per case and round; {kills.crashed} rows say crashed")
