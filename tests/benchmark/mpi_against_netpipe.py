#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The network that the backend mpi says it has, against NetPIPE's (netpipe-openmpi), in turns.

    mpi_against_netpipe.py BREAKEVEN [--turns N] [-- LAUNCHER OPTIONS, as --mca btl tcp,self]

A turn is a run of `transfer` and one of NPopenmpi. Latency is that of 4 bytes, bandwidth that of 4 MiB to the peer;
of each the median over the turns and the best, and the median of the ratios of a turn. As the ranks of the backend do,
those of NetPIPE start MPI for several threads and take huge pages where the machine gives them."""

import argparse
import csv
import os
import pathlib
import statistics
import subprocess
import tempfile

SMALL, LARGE = 4, 4 << 20
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
ALIKE = {"OMPI_MPI_THREAD_LEVEL": "3", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


def of_breakeven(program, launcher, folder):
    """Microseconds of both sizes, by the fitted ceilings of the way between two ranks."""
    report = folder / "a.csv"
    subprocess.run([program, "run", "--backend", "mpi", "--option", "mpi.ranks=2", "--option",
                    "mpi.launcher=" + " ".join(["mpirun", *launcher]), "--case", "transfer", "--mode", "single",
                    "--size", f"{SMALL},{LARGE}", "--filter", "peer", "--case-budget", "0.1s", "--out", report],
                   check=True, capture_output=True)
    with open(report, newline="", encoding="utf-8") as file:
        rows = {int(row["bytes"]): row for row in csv.DictReader(file)}
    report.unlink()
    if not rows[SMALL]["ceiling_source"].endswith("_latency"):
        raise SystemExit(f"4 bytes are bound by {rows[SMALL]['ceiling_source']}")
    return float(rows[SMALL]["ceiling"]) * 1e-3, LARGE / float(rows[LARGE]["ceiling"]) * 1e6


def of_netpipe(launcher, folder):
    output, told = folder / "np.out", [word for name in ALIKE for word in ("-x", name)]
    for low, high in ((SMALL, SMALL), (LARGE, LARGE)):
        subprocess.run(["mpirun", "-n", "2", "--bind-to", "core", *told, *launcher, "NPopenmpi", "-p", "0", "-l", str(low),
                        "-u", str(high), "-o", output], check=True, capture_output=True,
                       env={**os.environ, **ROOT, **ALIKE})
        yield float(output.read_text().split()[2]) * 1e6
        output.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--turns", type=int, default=7)
    given, launcher = parser.parse_known_args()  # the rest is mpirun's
    launcher = [word for word in launcher if word != "--"]
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as name:
        for turn in range(given.turns):
            ours.append(of_breakeven(given.program, launcher, pathlib.Path(name)))
            theirs.append(tuple(of_netpipe(launcher, pathlib.Path(name))))
            print(f"turn {turn + 1}: {ours[-1]} {theirs[-1]} µs", flush=True)
    for i, what in enumerate((f"latency ({SMALL} B)", f"time of {LARGE >> 20} MiB")):
        mine, other = [one[i] for one in ours], [one[i] for one in theirs]
        ratio = statistics.median(a / b for a, b in zip(mine, other))
        print(f"{what}: median {statistics.median(mine):.3g} µs, NetPIPE {statistics.median(other):.3g}; "
              f"best {min(mine):.3g}, NetPIPE {min(other):.3g}; ratio of a turn {ratio:.3f}")


main()
