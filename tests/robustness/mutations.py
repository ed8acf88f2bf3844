# SPDX-License-Identifier: Apache-2.0
"""mutations.py PROGRAM COUNT FOLDER...: damages plugin files at random and lists them.

The program must survive every one of them, name each in its answer, and still find the sound one.
Of those that are still usable, one of each batch is run.
"""

import csv
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

program, count, folders = sys.argv[1], int(sys.argv[2]), map(pathlib.Path, sys.argv[3:])
seed = random.randrange(2**32)
random.seed(seed)
print(f"seed {seed}")
BATCH = 25


def damaged(data):
    data = bytearray(data)
    kind = random.choice(["flip", "flip", "header", "cut", "zero", "move"])
    if kind == "flip":
        for _ in range(random.randint(1, 64)):
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    elif kind == "header":
        for _ in range(random.randint(1, 8)):
            data[random.randrange(min(1024, len(data)))] = random.randrange(256)
    elif kind == "cut":
        del data[random.randrange(len(data)):]
    elif kind == "zero":
        begin = random.randrange(len(data))
        end = min(len(data), begin + random.randint(1, 8192))
        data[begin:end] = bytes(end - begin)
    else:
        begin = random.randrange(len(data))
        piece = data[begin:begin + random.randint(1, 4096)]
        at = random.randrange(len(data))
        data[at:at + len(piece)] = piece
    return bytes(data)


def run(plugin, backend, report):
    return subprocess.run([program, "run", "--plugin", plugin, "--backend", backend, "--case",
                           "matmul,transfer", "--size", "16", "--case-budget", "0.02s",
                           "--time-limit", "10", "--out", report],
                          capture_output=True, text=True, timeout=600)


def statuses(report):
    with open(report, newline="") as file:
        return {row["status"] for row in csv.DictReader(file)}


sources = sorted(path for folder in folders for path in folder.glob("*.so")
                 if 0 < path.stat().st_size < 8 << 20)
if not sources:
    sys.exit("mutations: no plugins")
usable = refused = ran = 0
for batch in range(0, count, BATCH):
    with tempfile.TemporaryDirectory() as temporary:
        place = pathlib.Path(temporary)
        names = set()
        for i in range(min(BATCH, count - batch)):
            source = random.choice(sources)
            name = f"m{i:03}.so"
            names.add(name)
            (place / name).write_bytes(damaged(source.read_bytes()))
        shutil.copy(sources[0], place / "sound.so")
        done = subprocess.run([program, "list", "--json", "--plugin-dir", temporary, "--probe-limit",
                               "10"], capture_output=True, text=True, timeout=600)
        if done.returncode not in (0, 1):
            sys.exit(f"mutations: list ended with {done.returncode}: {done.stderr}; seed {seed}")
        found = {pathlib.Path(plugin["path"]).name: plugin
                 for plugin in json.loads(done.stdout)["plugins"]}
        missing = names - found.keys()
        if missing:
            sys.exit(f"mutations: not accounted for: {sorted(missing)}; seed {seed}")
        sound = found["sound.so"].get("reason") or ""
        if sound and "the name is taken" not in sound:  # by a damaged one
            sys.exit(f"mutations: the sound plugin was refused: {sound}; seed {seed}")
        left = sorted(name for name in names if not found[name].get("reason"))
        usable += len(left)
        refused += len(names) - len(left)
        for name in left[:1]:
            ran += 1
            report = place / "report.csv"
            done = run(place / name, found[name]["name"], report)
            # 3: no row has a time, as of the zoo's that refuse every case; then its report says so.
            if done.returncode not in (0, 1, 2, 3):
                sys.exit(f"mutations: run ended with {done.returncode}: {done.stderr}; seed {seed}")
            if done.returncode == 3 and "ok" in statuses(report):
                sys.exit(f"mutations: run ended with 3, and a row is ok; seed {seed}")
print(f"{count} damaged plugins: the program survived all, {refused} refused with a reason, "
      f"{usable} still usable, {ran} of them run")
