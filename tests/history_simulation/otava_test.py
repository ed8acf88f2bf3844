# SPDX-License-Identifier: Apache-2.0
"""On planted steps the changes are those that Apache Otava finds: otava_test.py HISTORY_SIMULATION.

Needs apache-otava in a virtual environment whose python the variable OTAVA_PYTHON names; without it the test
is skipped (status 77)."""

import json
import os
import random
import subprocess
import sys

SKIPPED = 77
PYTHON = os.environ.get("OTAVA_PYTHON", sys.executable)
FIND = """
import json, sys
from otava.analysis import compute_change_points
for line in sys.stdin:
    points, _ = compute_change_points(json.loads(line), max_pvalue=0.001, min_magnitude=0.01)
    print(json.dumps([int(point.index) for point in points]))
"""
# Heights of the levels, each of so many runs.
PLANTED = {
    "no change": [(1, 60)],
    "a step up": [(1, 30), (1.03, 30)],
    "a step down": [(1.1, 25), (1, 40)],
    "young": [(1, 30), (1.05, 10)],
    "a staircase": [(1, 30), (1.05, 30), (1.1, 30)],
    "slower for a while": [(1, 40), (1.06, 20), (1, 40)],
    "two that follow closely": [(1, 40), (1.1, 15), (1.2, 40)],
}


def series_of(levels, noise, seed):
    chance = random.Random(seed)
    return [1000 * height * chance.gauss(1, noise) for height, runs in levels for _ in range(runs)]


def places_of(levels):
    places, at = [], 0
    for _, runs in levels[:-1]:
        at += runs
        places.append(at)
    return places


def are_alike(found, others):
    return len(found) == len(others) and all(abs(a - b) <= 2 for a, b in zip(found, others))


def has_otava():
    return os.path.exists(PYTHON) and subprocess.run([PYTHON, "-c", "import otava"], capture_output=True).returncode == 0


def main():
    if not has_otava():
        print("skipped: apache-otava is missing; python3 -m venv build/otava && "
              "build/otava/bin/pip install apache-otava")
        return SKIPPED
    all_series = [(name, levels, series_of(levels, noise, seed)) for name, levels in PLANTED.items()
                  for noise in (0.002, 0.005, 0.01) for seed in range(10)]
    theirs = subprocess.run([PYTHON, "-c", FIND], text=True, capture_output=True, check=True,
                            input="".join(json.dumps(series) + "\n" for _, _, series in all_series))
    ours = subprocess.run([sys.argv[1], "--read"], text=True, capture_output=True, check=True,
                          input="".join(" ".join(map(repr, series)) + "\n" for _, _, series in all_series))
    found = zip(all_series, ours.stdout.splitlines(), theirs.stdout.splitlines(), strict=True)
    counts = {"alike": 0, "both right": 0, "only Otava": 0, "only we": 0, "neither": 0}
    for (name, levels, _), our_line, their_line in found:
        ours, theirs = [int(place) for place in our_line.split()], json.loads(their_line)
        planted = places_of(levels)
        counts["alike"] += are_alike(ours, theirs)
        right = are_alike(ours, planted), are_alike(theirs, planted)
        counts[{(True, True): "both right", (False, True): "only Otava", (True, False): "only we",
                (False, False): "neither"}[right]] += 1
        if not all(right):
            print(f"{name}: planted {planted}, ours {ours}, Otava's {theirs}")
    print(f"{len(all_series)} series:", counts)
    # Each may miss or add one now and then: that is what their significances allow.
    enough = 0.95 * len(all_series)
    return 0 if counts["alike"] >= enough and counts["both right"] >= enough else 1


sys.exit(main())
