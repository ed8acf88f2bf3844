#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds `breakeven find` against an exhaustive sweep: the same bracket, in how much of its time?

usage: find_against_sweep.py PROGRAM [FROM TO [LOW HIGH]]

The sweep is `breakeven run` at every size in steps of 5 %, read by `find --from-report`. Prints one
line per type; exits with 1 where the brackets do not overlap or the search takes more than a fifth
of the sweep's time."""

import pathlib
import re
import subprocess
import sys
import tempfile
import time

STEP = 1.05
SHARE = 0.2
BRACKET = re.compile(r"^\S+ is faster from n = (\d+) on; up to n = (\d+) ", re.MULTILINE)


def ladder(low, high):
    sizes, size = [], float(low)
    while size < high:
        sizes.append(round(size))
        size *= STEP
    return sorted(set([*sizes, high]))


def timed(program, *arguments):
    begin = time.monotonic()
    done = subprocess.run([program, *map(str, arguments)], text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}")
    return time.monotonic() - begin, done.stdout


def bracket_of(text):
    found = BRACKET.search(text)
    return (int(found[2]), int(found[1])) if found else None


def compare(program, backends, number_type, low, high, folder):
    sides = ("--from", backends[0], "--to", backends[1], "--type", number_type)
    search_time, text = timed(program, "find", *sides, "--range", f"{low}:{high}",
                              "--out", folder / f"find-{number_type}.csv")
    search = bracket_of(text)
    report = folder / f"sweep-{number_type}.csv"
    sizes = ladder(low, high)
    sweep_time, _ = timed(program, "run", "--case", "matmul", "--mode", "resident",
                          "--backend", ",".join(backends), "--type", number_type,
                          "--size", ",".join(map(str, sizes)), "--out", report)
    _, text = timed(program, "find", "--case", "matmul", *sides[:4], "--from-report", report)
    sweep = bracket_of(text)
    agree = search == sweep is None or (
        search and sweep and search[0] <= sweep[1] and sweep[0] <= search[1])
    share = search_time / sweep_time
    good = agree and share <= SHARE
    print(f"{number_type}: search {search} in {search_time:.1f} s, sweep of {len(sizes)} sizes "
          f"{sweep} in {sweep_time:.1f} s: {'agree' if agree else 'DISAGREE'}, "
          f"{100 * share:.0f} % of the time{'' if share <= SHARE else ', TOO MUCH'}")
    return good


def main():
    program, *rest = sys.argv[1:]
    backends = rest[:2] or ["serial", "kokkos-openmp"]
    low, high = map(int, rest[2:4] or (16, 1024))
    with tempfile.TemporaryDirectory() as folder:
        good = [compare(program, backends, number_type, low, high, pathlib.Path(folder))
                for number_type in ("f32", "f64")]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
