#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The network that the backend mpi says it has, against NetPIPE's (netpipe-openmpi), in turns.

    mpi_against_netpipe.py BREAKEVEN MPI_PING_PONG [--turns N] [-- LAUNCHER OPTIONS, as --mca btl tcp,self]

A turn is a run of `transfer`, whose ceilings of the way between two ranks are taken, one of NPopenmpi, and one of the
backend's ranks that do the same as NetPIPE (`ninja mpi_ping_pong`): one buffer goes to and fro, and the best of three trials
of half a second counts. Those two start MPI for several threads, and have no huge pages: NetPIPE's buffers are not made
for them. Latency is that of 4 bytes, bandwidth that of 4 MiB; of each the medians over the turns, and the medians of the
ratios of a turn."""

import argparse
import csv
import ctypes
import os
import pathlib
import statistics
import subprocess
import tempfile

SMALL, LARGE = 4, 4 << 20
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
SEVERAL_THREADS = {"OMPI_MPI_THREAD_LEVEL": "3"}
PR_SET_THP_DISABLE = 41  # linux/prctl.h; what is started inherits it


def without_huge_pages():
    ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)


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


def alike(program, plugin, launcher):
    for size in (SMALL, LARGE):
        done = subprocess.run([program, plugin, str(size)], check=True, capture_output=True, text=True,
                              preexec_fn=without_huge_pages,
                              env={**os.environ, "BREAKEVEN_MPI_RANKS": "2",
                                   "BREAKEVEN_MPI_LAUNCHER": " ".join(["mpirun", *launcher])})
        yield float(done.stdout)


def of_netpipe(launcher, folder):
    output, told = folder / "np.out", [word for name in SEVERAL_THREADS for word in ("-x", name)]
    for size in (SMALL, LARGE):
        subprocess.run(["mpirun", "-n", "2", "--bind-to", "core", *told, *launcher, "NPopenmpi", "-p", "0", "-l", str(size),
                        "-u", str(size), "-o", output], check=True, capture_output=True, preexec_fn=without_huge_pages,
                       env={**os.environ, **ROOT, **SEVERAL_THREADS})
        yield float(output.read_text().split()[2]) * 1e6
        output.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for program in ("program", "ping_pong"):
        parser.add_argument(program, type=lambda text: str(pathlib.Path(text).resolve()))
    parser.add_argument("--turns", type=int, default=7)
    given, launcher = parser.parse_known_args()  # the rest is mpirun's
    launcher = [word for word in launcher if word != "--"]
    plugin = pathlib.Path(given.program).parent / "../lib/breakeven/plugins/mpi.so"
    seen = {"ceiling": [], "alike": [], "NetPIPE": []}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for turn in range(given.turns):
            seen["ceiling"].append(of_breakeven(given.program, launcher, folder))
            seen["alike"].append(tuple(alike(given.ping_pong, plugin, launcher)))
            seen["NetPIPE"].append(tuple(of_netpipe(launcher, folder)))
            print(f"turn {turn + 1}:", *(f"{what} {times[-1][0]:.3g} {times[-1][1]:.3g}" for what, times in seen.items()),
                  "µs", flush=True)
    for i, size in enumerate((f"{SMALL} B", f"{LARGE >> 20} MiB")):
        for what, times in seen.items():
            ratio = statistics.median(one[i] / other[i] for one, other in zip(times, seen["NetPIPE"]))
            print(f"{size}, {what}: median {statistics.median(one[i] for one in times):.3g} µs, {ratio:.3f} of NetPIPE's")


main()
