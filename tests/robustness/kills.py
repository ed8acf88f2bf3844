# SPDX-License-Identifier: Apache-2.0
"""kills.py PROGRAM KILLS [SEED]: kills runs, searches, their workers and `fleet` at random moments.

Runs and searches are resumed: no row that was written may be lost, every report must be readable, and
each run must end with exactly one row per case and round. What `fleet` writes must be whole, the new or
the old, and what it reads as it was. One report for each processor at a time.
"""

import concurrent.futures
import contextlib
import csv
import json
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


RUN = ["run", "--case", "matmul", "--mode", "resident", "--type", "f32", "--size", ",".join(map(str, SIZES)),
       "--rounds", str(ROUNDS), "--case-budget", "0.03s", "--machine", "m"]
FIND = ["find", "--case", "matmul", "--from", "serial", "--from-mode", "resident", "--to-mode", "offload-always",
        "--range", "8:64", "--budget", "4", "--machine", "m"]


def start(program, command, report, *more):
    with open(f"{report}.errors", "w", encoding="utf-8") as errors:
        return subprocess.Popen([program, *command, "--out", str(report), *more],
                                stdout=subprocess.DEVNULL, stderr=errors)


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


def kill_until_complete(program, command, report, length, chance, kills):
    """Kills now a worker, now its parent, and resumes it, until it ends before the next kill."""
    before = []
    process = start(program, command, report)
    while True:
        time.sleep(chance.uniform(0, 0.8 * length))
        if process.poll() is not None:
            errors = pathlib.Path(f"{report}.errors").read_text(encoding="utf-8")
            if process.returncode != 2 or "backend" not in errors:
                break
            # What was killed was looking at the plugin: nothing was begun, and that was said.
            process = start(program, command, report, *(["--resume"] if report.exists() else []))
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
        process = start(program, command, report, *(["--resume"] if report.exists() else []))
    require(f"{command[0]} ended with status {process.returncode}: {errors[-300:]}", process.returncode in (0, 1))
    after = rows(report)
    require("a written row was lost or changed", after[:len(before)] == before)
    names = [(row["name"], row["round"]) for row in after]
    require("a row is there twice", len(names) == len(set(names)))
    if command is RUN:
        require(f"{len(names)} rows, expected {len(SIZES) * ROUNDS}", len(names) == len(SIZES) * ROUNDS)
        whole = report.read_bytes()
        require("resuming a complete report failed", start(program, RUN, report, "--resume").wait() in (0, 1))
        require("resuming a complete report changed it", report.read_bytes() == whole)
    with kills.lock:
        kills.crashed += sum(row["status"] == "crashed" for row in after)


def kill_fleet(program, nodes, folder, chance, kills):
    """Kills it some times while it reads and writes, then lets it end."""
    folder.mkdir()
    inputs = {path: path.read_bytes() for path in nodes.iterdir()}
    page, baseline = folder / "page.html", folder / "normal.json"
    begin, length = time.monotonic(), None
    for _ in range(5):
        process = subprocess.Popen([program, "fleet", str(nodes), "-o", str(page), "--save-baseline", str(baseline)],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if length is not None:
            time.sleep(chance.uniform(0, length))
            process.kill()
        ended = process.wait()
        length = length or time.monotonic() - begin
        kills.add(int(ended < 0), 0)
        require(f"fleet ended with status {ended}", ended in (0, 1, -signal.SIGKILL))
        require("fleet changed what it reads", {path: path.read_bytes() for path in nodes.iterdir()} == inputs)
        require("a page is torn", page.read_text(encoding="utf-8").rstrip().endswith("</html>"))
        json.loads(baseline.read_text(encoding="utf-8"))


def work(program, folder, length, kills):
    while (number := kills.next_report()) is not None:
        chance = random.Random(seed + number)
        if number % 4 == 0:
            kill_fleet(program, folder / "nodes", folder / str(number), chance, kills)
        else:
            command, lasts = (FIND, 4) if number % 4 == 3 else (RUN, length)
            kill_until_complete(program, command, folder / f"{number}.csv", lasts, chance, kills)


print(f"seed {seed}", flush=True)
with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    program = copy_of_program(folder)
    # How long a whole run takes beside others, to spread the kills over it.
    begin = time.monotonic()
    for whole in [start(program, RUN, folder / f"whole-{i}.csv") for i in range(jobs)]:
        whole.wait()
    length = time.monotonic() - begin
    (folder / "nodes").mkdir()
    for node in range(9):
        text = (folder / "whole-0.csv").read_text(encoding="utf-8")
        (folder / "nodes" / f"{node}.csv").write_text(text.replace(",m,matmul/", f",n{node},matmul/"), encoding="utf-8")
    kills = Kills(wanted)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        ends = [pool.submit(work, program, folder, length, kills) for _ in range(jobs)]
        try:
            for end in ends:
                end.result()
        except AssertionError as what:
            kills.wanted = 0
            sys.exit(f"kills: {what}; seed {seed}")
print(f"{kills.parents + kills.children} kills ({kills.parents} of programs, {kills.children} of their "
      f"children) in {kills.reports} runs, searches and fleets: no written row lost, every report readable, "
      f"every resumed run complete with one row per case and round, every page whole; {kills.crashed} rows "
      "say crashed")
