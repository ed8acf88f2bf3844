# SPDX-License-Identifier: Apache-2.0
"""long_run.py PROGRAM CASES: watches memory and descriptors of the parent over a long run.

Compares the second half of the run with the end of the first: what grows with every row would show.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

program, cases = sys.argv[1], int(sys.argv[2])
sizes = min(cases, 1000)
rounds = max(1, cases // sizes)


def look(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    memory = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:")]
    descriptors = len(list(pathlib.Path(f"/proc/{process.pid}/fd").iterdir()))
    return (memory[0] if memory else 0), descriptors


with tempfile.TemporaryDirectory() as folder:
    report = pathlib.Path(folder, "long.csv")
    process = subprocess.Popen(
        [program, "run", "--backend", "serial", "--case", "elementwise", "--mode", "multiply-add",
         "--type", "f32", "--size", f"1:{sizes}:+1", "--rounds", str(rounds), "--case-budget", "0.002s", "--out", str(report)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seen = []
    while process.poll() is None:
        try:
            seen.append(look(process))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            break
        time.sleep(0.2)
    if process.wait() != 0:
        sys.exit(f"long_run: the run ended with status {process.returncode}")
    rows = report.read_bytes().count(b"\n") - 1

seen = [one for one in seen if one[0] > 0]
half = seen[len(seen) // 2]
memory, descriptors = max(one[0] for one in seen[len(seen) // 2:]), max(one[1] for one in seen)
print(f"{rows} cases: the parent held {half[0] / 1024:.1f} MiB half way and at most "
      f"{memory / 1024:.1f} MiB after, at most {descriptors} descriptors")
if descriptors > 40:
    sys.exit("long_run: descriptors leak")
# The table of the run's end is bounded; nothing else may stay of a row. Half way, a short run has
# hardly begun: not all of the program is in memory yet.
if memory - half[0] > (1024 if rows >= 1000 else 4096):
    sys.exit("long_run: the memory grows")
