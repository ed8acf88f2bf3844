# SPDX-License-Identifier: Apache-2.0
"""What paired ratios are worth on a busy machine.

measure_pairs.py load PROGRAM [OLD]      the ratio of two backends, quiet and under bursts of load
measure_pairs.py coverage PROGRAM [RUNS] how often an interval holds the ratio of all other runs
measure_pairs.py alarms PROGRAM OLD NEW [RUNS [BUDGET]]
    what `run` says of two plugin files of `serial`, five sizes in a run, under bursts of load of 10 ms:
    of a file and its copy nothing should be said, of the build's bin/slowed-serial.so that it is slower

OLD is a program from before backends were measured side by side: its ratio has the interval that two
separate intervals give. Backends have one thread each: the ratio of different numbers of threads
really changes under load.
"""

import csv
import json
import math
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
csv.field_size_limit(sys.maxsize)
SIZES = (64, 256, 1024)


def measure(program, path, sizes=SIZES, budget="3s", rounds=1):
    subprocess.run(
        [program, "run", "--backend", "serial,blas", "--option", "blas.threads=1", "--case", "matmul",
         "--mode", "resident", "--type", "f32", "--size", ",".join(map(str, sizes)), "--case-budget",
         budget, "--precision", "0.1%", "--rounds", str(rounds), "--out", str(path)],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def paired(program, paths):
    """By size: ratio, low, high, as `compare` gives them."""
    done = subprocess.run([program, "compare", *map(str, paths), "--group-by", "backend", "--base",
                           "serial", "--format", "json"], capture_output=True, text=True)
    return {int(case["name"].rsplit("n:", 1)[1]): (case["ratio"], case["ratio_low"], case["ratio_high"])
            for case in json.loads(done.stdout)["cases"]}


def apart(path):
    """The same from two separate intervals."""
    times = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            times[row["backend"], int(row["n"])] = [
                float(row[column]) for column in ("median_ns", "median_low_ns", "median_high_ns")
                if row[column] != "NA"]
    result = {}
    for (backend, n), base in times.items():
        other = times["blas", n]
        if backend == "serial" and len(base) == len(other) == 3:
            result[n] = (other[0] / base[0], other[1] / base[2], other[2] / base[1])
    return result


def show(what, found, quiet):
    for n, (ratio, low, high) in sorted(found.items()):
        holds = "" if quiet is None else (
            "  holds the quiet ratio" if low <= quiet[n][0] <= high else "  does not hold the quiet ratio")
        print(f"{what:28}  n = {n:4}  {ratio:.3f}  [{low:.3f}, {high:.3f}]  "
              f"±{50 * (high - low) / ratio:.1f} %{holds}", flush=True)


def load(program, old):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        quiet = None
        for mean in (0, 1, 10, 50):
            burst = mean and subprocess.Popen([HERE / "bursts_of_load", str(mean), "600"],
                                             start_new_session=True)
            try:
                path = folder / f"new{mean}.csv"
                measure(program, path)
                found = paired(program, [path])
                show(f"bursts of {mean} ms" if mean else "as quiet as it is", found, quiet)
                quiet = quiet or found
                if old:
                    path = folder / f"old{mean}.csv"
                    measure(old, path)
                    show("  one after the other", apart(path), quiet if mean else None)
            finally:
                if burst:
                    os.killpg(burst.pid, signal.SIGTERM)
                    burst.wait()


def coverage(program, runs):
    sizes = (64, 256)
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for run in range(runs):
            paths.append(pathlib.Path(folder) / f"{run}.csv")
            measure(program, paths[-1], sizes, budget="1.5s")
        alone = [paired(program, [path]) for path in paths]
        random.seed(1)
        for rounds in (1, 5):
            for n in sizes:
                held, widths = 0, []
                for run in range(runs):
                    mine = [run] if rounds == 1 else random.sample(range(runs), rounds)
                    ratio, low, high = alone[run][n] if rounds == 1 else paired(
                        program, [paths[i] for i in mine])[n]
                    others = [alone[i][n][0] for i in range(runs) if i not in mine]
                    truth = math.exp(statistics.median(map(math.log, others)))
                    held += low <= truth <= high
                    widths.append(50 * (high - low) / ratio)
                print(f"n = {n}, {rounds} of {runs} runs together: {held} of {runs} intervals hold the "
                      f"ratio of all others, median half-width ±{statistics.median(widths):.1f} %",
                      flush=True)


def alarms(program, old, new, runs, budget):
    sizes = "64,100,128,200,256"
    said = {}
    alarmed = 0
    with tempfile.TemporaryDirectory() as folder:
        burst = subprocess.Popen([HERE / "bursts_of_load", "10", "36000"], start_new_session=True)
        try:
            for run in range(runs):
                path = pathlib.Path(folder) / f"{run}.csv"
                subprocess.run(
                    [program, "run", "--backend", "serial@new,serial@old", "--plugin", f"serial@new={new}", "--plugin",
                     f"serial@old={old}", "--case", "matmul", "--mode", "resident", "--type", "f32", "--size",
                     sizes, "--budget", budget, "--out", str(path)],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                done = subprocess.run([program, "compare", str(path), "--group-by", "variant", "--base", "old",
                                       "--format", "json"], capture_output=True, text=True)
                verdicts = [case["verdict"] for case in json.loads(done.stdout)["cases"]]
                for verdict in verdicts:
                    said[verdict] = said.get(verdict, 0) + 1
                alarmed += bool({"regressed", "improved"} & set(verdicts))
                print(run, *verdicts, flush=True)
        finally:
            os.killpg(burst.pid, signal.SIGTERM)
            burst.wait()
    print(f"{runs} runs of {budget}: {said}; a change is told in {alarmed} runs")


if __name__ == "__main__":
    if len(sys.argv) > 4 and sys.argv[1] == "alarms":
        alarms(*sys.argv[2:5], int(sys.argv[5]) if len(sys.argv) > 5 else 40, *(sys.argv[6:] or ["60s"]))
    elif len(sys.argv) > 2 and sys.argv[1] == "load":
        load(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
    elif len(sys.argv) > 2 and sys.argv[1] == "coverage":
        coverage(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 50)
    else:
        sys.exit(__doc__)
