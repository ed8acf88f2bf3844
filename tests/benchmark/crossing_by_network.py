#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where two ranks begin to pay off over TCP, against where the network says they should.

    crossing_by_network.py BREAKEVEN [--sizes 192,256,...] [--budget 2s]

`blas` on one thread and `scalapack` on two ranks are measured with shared memory and with TCP. A product on a grid of
one row sends every block of columns once, ceil(n / block) messages of n x block numbers. By how much longer one takes
over TCP the ceilings of `mpi` between two ranks tell. A message may go while the other rank computes: the times in
shared memory with nothing added, and with all of it, are the least and the most that is to be expected, and between
where these cross the times of `blas` is the prediction, wider by what the medians' intervals (95 %) and 10 % of the
network allow. What was measured over TCP stands beside it."""

import argparse
import csv
import math
import pathlib
import subprocess
import tempfile

BLOCK, TCP = 64, "mpirun --mca btl tcp,self"
NETWORK_ERROR = 0.1


def rows_of(program, folder, *words):
    report = folder / "a.csv"
    subprocess.run([program, "run", *words, "--out", report], check=True, capture_output=True)
    with open(report, newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["status"] == "ok"]
    report.unlink()
    return rows


def times(program, folder, sizes, budget, launcher):
    """{backend: {n: (median, low, high)}} in ns."""
    found = {"blas": {}, "scalapack": {}}
    for row in rows_of(program, folder, "--backend", "blas,scalapack", "--option", "blas.threads=1", "--option",
                       "scalapack.ranks=2", "--option", f"scalapack.block={BLOCK}", "--option",
                       f"scalapack.launcher={launcher}", "--case", "matmul", "--mode", "resident", "--type", "f32",
                       "--size", ",".join(map(str, sizes)), "--case-budget", budget):
        found[row["backend"]][int(row["n"])] = tuple(
            float(row[name] if row[name] != "NA" else row["median_ns"])
            for name in ("median_ns", "median_low_ns", "median_high_ns"))
    return found


def messages(program, folder, sizes, launcher):
    """{n: ns} that one message takes, by the ceilings of the way between two ranks."""
    bytes_of = {n: n * BLOCK * 4 for n in sizes}
    rows = rows_of(program, folder, "--backend", "mpi", "--option", "mpi.ranks=2", "--option",
                   f"mpi.launcher={launcher}", "--case", "transfer", "--mode", "single", "--size",
                   ",".join(map(str, bytes_of.values())), "--filter", "mpi:0.*peer", "--case-budget", "0.1s")
    bound = {int(row["bytes"]): float(row["ceiling_share"]) * float(row["median_ns"]) for row in rows}
    return {n: bound[size] for n, size in bytes_of.items()}


def crossing(early, late):
    """The size from which on `late` takes less time, between two sizes by the logarithm of the ratio."""
    sizes = sorted(early)
    ratios = [math.log(late[n] / early[n]) for n in sizes]
    for i in range(len(sizes) - 1, 0, -1):
        if ratios[i] < 0 <= ratios[i - 1]:
            part = ratios[i - 1] / (ratios[i - 1] - ratios[i])
            return math.exp(math.log(sizes[i - 1]) + part * math.log(sizes[i] / sizes[i - 1]))
    return sizes[0] if ratios[-1] < 0 else math.inf


def interval(early, late):
    """Crossing of the medians, and the two that their intervals allow."""
    def of(one, other):
        return crossing({n: time[one] for n, time in early.items()}, {n: time[other] for n, time in late.items()})
    return of(0, 0), of(2, 1), of(1, 2)


def text(found):
    return f"n = {found[0]:.0f} ({found[1]:.0f} to {found[2]:.0f})"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--sizes", default="192,224,256,288,320,352,384,416,448,480,512,576,640",
                        type=lambda text: [int(size) for size in text.split(",")])
    parser.add_argument("--budget", default="2s")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        launchers = ("mpirun", TCP)
        near, far = (messages(given.program, folder, given.sizes, launcher) for launcher in launchers)
        shared, tcp = (times(given.program, folder, given.sizes, given.budget, launcher) for launcher in launchers)
    least, most = {}, {}
    for n, (median, low, high) in shared["scalapack"].items():
        count = math.ceil(n / BLOCK)
        more = count * (far[n] - near[n])
        doubt = count * NETWORK_ERROR * (far[n] + near[n])
        least[n] = (median, low, high)
        most[n] = (median + more, low + more - doubt, high + more + doubt)
        print(f"n = {n}: blas {shared['blas'][n][0] / 1e3:.4g} µs; two ranks {median / 1e3:.4g} in shared memory, "
              f"{tcp['scalapack'][n][0] / 1e3:.4g} over TCP, at most {most[n][0] / 1e3:.4g} predicted", flush=True)
    print("shared memory:", text(interval(shared["blas"], shared["scalapack"])))
    first, last = interval(shared["blas"], least), interval(shared["blas"], most)
    print(f"TCP, predicted: n = {first[0]:.0f} to {last[0]:.0f} ({first[1]:.0f} to {last[2]:.0f})")
    print("TCP, measured:", text(interval(tcp["blas"], tcp["scalapack"])))


main()
