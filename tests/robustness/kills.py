# SPDX-License-Identifier: Apache-2.0
"""kills.py PROGRAM RUNS: kills workers and parents at random moments, then resumes.

No row that was written may be lost, every report must be readable, and a resumed run must end with
exactly one row per case and round.
"""

import csv
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

csv.field_size_limit(sys.maxsize)
program, runs = sys.argv[1], int(sys.argv[2])
SIZES, ROUNDS = [8, 16, 24, 32, 40, 48], 3
seed = random.randrange(2**32)
random.seed(seed)
print(f"seed {seed}")


def start(report, *more):
    return subprocess.Popen(
        [program, "run", "--backend", "serial", "--case", "matmul", "--mode", "resident", "--type",
         "f32", "--size", ",".join(map(str, SIZES)), "--rounds", str(ROUNDS), "--case-budget",
         "0.03s", "--machine", "m", "--out", str(report), *more],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def workers(parent):
    try:
        return list(map(int, pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split()))
    except FileNotFoundError:
        return []


def rows(report):
    """The whole lines; a torn last one is what readers drop."""
    text = report.read_bytes()
    whole = text[:text.rfind(b"\n") + 1].decode()
    return list(csv.DictReader(whole.splitlines()))


def fail(what):
    sys.exit(f"kills: {what}; seed {seed}")


counts = {"worker": 0, "parent": 0}
with tempfile.TemporaryDirectory() as folder:
    # How long a whole run takes, to spread the kills over it.
    report = pathlib.Path(folder, "whole.csv")
    begin = time.monotonic()
    start(report).wait()
    length = time.monotonic() - begin
    for run in range(runs):
        report = pathlib.Path(folder, f"{run}.csv")
        victim = random.choice(["worker", "parent"])
        process = start(report)
        time.sleep(random.uniform(0, length))
        if victim == "parent":
            process.kill()
            counts["parent"] += 1
        else:
            for worker in workers(process.pid):
                try:
                    os.kill(worker, signal.SIGKILL)
                    counts["worker"] += 1
                except ProcessLookupError:
                    pass
        process.wait()
        before = rows(report) if report.exists() else []
        more = ["--resume"] if report.exists() else []
        for _ in range(2):  # the second resume finds nothing to do
            resumed = start(report, *more)
            if resumed.wait() not in (0, 1):
                fail(f"resuming ended with status {resumed.returncode}")
            more = ["--resume"]
        after = rows(report)
        if after[:len(before)] != before:
            fail("a written row was lost or changed")
        names = [(row["name"], row["round"]) for row in after]
        if len(names) != len(set(names)) or len(names) != len(SIZES) * ROUNDS:
            fail(f"{len(names)} rows, {len(set(names))} different, expected {len(SIZES) * ROUNDS}")
print(f"{runs} runs: {counts['parent']} parents and {counts['worker']} workers killed; no written row "
      "lost, every report readable, every resumed run complete with one row per case and round")
