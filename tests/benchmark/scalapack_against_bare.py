#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A product of two ranks through the backend scalapack, against psgemm called by two ranks themselves, in turns.

    scalapack_against_bare.py BREAKEVEN BARE_PGEMM [--turns N] [--sizes 512,1024]

Both take 64 rows as a block and have a core for each rank. Of every size: the median of each, and of the ratios of a
turn the median and the interval that holds it in 95 of 100."""

import argparse
import csv
import math
import os
import pathlib
import statistics
import subprocess
import tempfile

BLOCK = 64
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def through_breakeven(program, size, folder):
    report = folder / "a.csv"
    subprocess.run([program, "run", "--backend", "scalapack", "--option", "scalapack.ranks=2", "--option",
                    f"scalapack.block={BLOCK}", "--case", "matmul", "--mode", "resident", "--type", "f32", "--size",
                    str(size), "--case-budget", "1s", "--out", report], check=True, capture_output=True)
    with open(report, newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    report.unlink()
    return float(row["median_ns"])


def bare(program, size):
    done = subprocess.run(["mpirun", "-n", "2", "--bind-to", "core", program, str(size), str(BLOCK), "1"], check=True,
                          capture_output=True, text=True,
                          env={**os.environ, **ROOT, "OPENBLAS_NUM_THREADS": "1"})
    return float(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for program in ("program", "bare"):
        parser.add_argument(program, type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--turns", type=int, default=11)
    parser.add_argument("--sizes", default="512,1024,2048", type=lambda text: [int(size) for size in text.split(",")])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for size in given.sizes:
            ours, theirs = [], []
            for turn in range(given.turns):
                pair = [lambda: ours.append(through_breakeven(given.program, size, pathlib.Path(name))),
                        lambda: theirs.append(bare(given.bare, size))]
                for measure in pair[::1 if turn % 2 else -1]:
                    measure()
            ratios = sorted(a / b for a, b in zip(ours, theirs))
            cut = max(0, math.floor(given.turns / 2 - 0.98 * math.sqrt(given.turns)))
            print(f"n = {size}: {statistics.median(ours) / 1e3:.4g} µs, bare {statistics.median(theirs) / 1e3:.4g}; ratio "
                  f"{statistics.median(ratios):.3f} ({ratios[cut]:.3f} to {ratios[-1 - cut]:.3f})", flush=True)


main()
