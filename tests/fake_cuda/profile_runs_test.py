#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole runs on the double with time: does the report of such a machine say what is so there?

profile_runs_test.py PROFILE BREAKEVEN FAKE PROFILES [--keep]
What matters of the rows is kept in PROFILES/PROFILE.csv, which the runs are held against; --keep
writes it anew.
Figures are those of the profile, never measurements."""
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROFILE, BREAKEVEN, FAKE, PROFILES = sys.argv[1:5]
KEPT = Path(PROFILES, f"{PROFILE}.csv")
WORDS = ("cause", "unpaired", "sm_clock_mhz", "unsteady_visits")  # of the details
COLUMNS = ("run", "name", "status", "median_ns", "enqueue_median_ns", "device_median_ns",
           "work_bytes", "exchanged_bytes", "ceiling_source", "energy_j", *WORDS)
seen = []


def pairs(text):
    return dict(part.split("=", 1) for part in text.split() if "=" in part)


class Run:
    def __init__(self, *options, backends="cublas", rounds=1, more=""):
        """`more`: lines of the profile."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "report.csv"
            locks = Path(folder) / "locks"
            locks.mkdir()
            profile = Path(folder) / "profile"
            text = Path(PROFILES, f"{PROFILE}.profile").read_text() + more
            profile.write_text(text)
            environment = dict(
                os.environ, FAKE_CUDA_PROFILE=str(profile),
                FAKE_CUDA_EXCLUSIVE=str(locks) if PROFILE == "exclusive" else "",
                LD_PRELOAD=str(next(Path(FAKE, "lib").glob("libfake_clock.so"))))
            plugins = [word for name in backends.split(",") if "@" not in name
                       for word in ("--plugin", f"{FAKE}/{name}.so")]
            command = [BREAKEVEN, "run", *plugins, "--backend", backends, "--rounds", str(rounds),
                       "--case-budget", "300ms", "--precision", "50%", "--budget", "60s",
                       "--out", str(out), *options]
            done = subprocess.run(command, env=environment, text=True, capture_output=True)
            self.shown = done.stdout + done.stderr
            require(out.exists(), f"{command} wrote no report:\n{self.shown}")
            with out.open(newline="") as file:
                self.rows = list(csv.DictReader(file))
            require(done.returncode == 0, f"{command} ended with {done.returncode}:\n{self.shown}")
        number = len({row["run"] for row in seen}) + 1
        for row in sorted(self.rows, key=lambda row: row["name"]):
            words = {key: word.split(":")[0] for key, word in pairs(row["details"]).items()}
            whole = {**row, **words, "run": str(number), "tires": "sustained_after_ms" in text}
            seen.append({column: brief(whole, column) for column in COLUMNS})

    def row(self, part):
        found = [row for row in self.rows if part in row["name"] + "$"]
        require(len(found) == 1, f"{len(found)} rows have {part}:\n{self.shown}")
        return found[0]

    def ns(self, part):
        return float(self.row(part)["median_ns"])


def brief(row, column):
    """Not kept: what depends on the turns of threads, or on how long a GPU at its limit has worked."""
    moves = "/feeders:" in row["name"] or row["tires"]
    if moves and (column.endswith("median_ns") or column in ("cause", "sm_clock_mhz")):
        return ""
    try:
        return f"{float(row[column]):.4g}"
    except (KeyError, ValueError):
        return row.get(column, "")


def alike(kept, now):
    """Numbers within a tenth."""
    try:
        return abs(float(now) - float(kept)) <= 0.1 * abs(float(kept))
    except ValueError:
        return kept == now


def hold_against_kept():
    if sys.argv[5:] == ["--keep"]:
        with KEPT.open("w", newline="") as file:
            rows = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            rows.writeheader()
            rows.writerows(seen)
    with KEPT.open(newline="") as file:
        kept = list(csv.DictReader(file))
    require([row["name"] for row in kept] == [row["name"] for row in seen],
            f"other rows than in {KEPT}: {[row['name'] for row in seen]}")
    for before, now in zip(kept, seen):
        for column in COLUMNS:
            require(alike(before[column], now[column]),
                    f"{column} of {now['name']} is {now[column]}, in {KEPT} {before[column]}")


def require(holds, why):
    if not holds:
        sys.exit(f"{PROFILE}: {why}")


def eight_behind_switches():
    first = Run("--case", "first-use", "--mode", "create,context,queue")
    creation = pairs(first.row("/create$")["creation"])
    require(float(creation["create_driver_ns"]) >= 400e6, f"the driver's start: {creation}")
    require(float(creation["create_nvml_ns"]) >= 60e6, f"NVML's start: {creation}")
    require(first.ns("/create$") >= 460e6, "create leaves out the driver or NVML")
    require(first.ns("/context") >= 249e6, "the context was made before the clock")
    require(first.ns("/queue") < 50e6, "a queue is made with something else")
    product = Run("--case", "matmul", "--mode", "resident", "--type", "f32", "--size", "256",
                  backends="multi-gpu").row("matmul")
    gathered = 7 * 256 * 256 * 4
    require(float(product["exchanged_bytes"]) == gathered, product["exchanged_bytes"])
    require(float(product["work_bytes"]) == 3 * 256 * 256 * 4 + gathered, product["work_bytes"])


def two_over_pcie():
    run = Run("--case", "parallel", "--mode", "many-small,many-small-in-order", "--size", "16",
              "--type", "f32", "--count", "4000")
    in_turn = run.row("/many-small/n:16/count:4000/devices:2$")
    in_order = run.row("/many-small-in-order/n:16/count:4000/devices:2$")
    require(float(in_order["median_ns"]) > 1.4 * float(in_turn["median_ns"]),
            "one after the other is as fast as in turn")
    require("cause=one-by-one:" in in_order["details"], in_order["details"])
    for row in (in_turn, in_order):
        require("cause=feeding-thread" not in row["details"], "a full queue counts as handing over")
    require(float(in_turn["enqueue_median_ns"]) < 0.7 * float(in_turn["median_ns"]),
            "handing over is timed while it waits for the device")
    # Two that share what power there is keep up less together than twice what one does.
    run = Run("--case", "parallel", "--mode", "throughput", "--size", "256", "--type", "f64",
              more="sustained_after_ms 100\nsustained_mhz 2000\ntogether_mhz 1500\n")
    for count, mhz, name in ((1, 2000, "/n:256$"), (2, 1500, "/n:256/devices:2/feeders:2$")):
        details = pairs(run.row(name)["details"])
        kept, most = float(details["sustained_flop_per_s"]), count * 4 * 128 * mhz * 1e6
        require(0.98 < kept / most <= 1, f"{count} keep up {kept}, not {most}")
        require(details["sustained_mhz"] == str(mhz), str(details))


def laptop():
    row = Run("--case", "matmul", "--mode", "resident", "--type", "f32", "--size", "256",
              "--energy").row("matmul")
    details = pairs(row["details"])
    require(float(details["sm_clock_low_mhz"]) > 0.97 * 2370, f"a visit at low clocks: {details}")
    require(details["unsteady_visits"] == "0", f"unsteady: {details}")
    watts = float(row["energy_j"]) / (float(row["median_ns"]) * 1e-9)
    require(5 < watts < 105, f"{watts} W")
    # A GPU that the build has no machine code for: what the driver keeps costs one process only.
    first = Run("--case", "first-use", "--mode", "first-run", "--type", "f32", "--size", "16",
                "--option", "cublas@compiled.compile_anew=1", backends="cublas,cublas@compiled",
                more="compile_ms 900\n")
    compiled, kept = first.ns("/cublas@compiled:0/"), first.ns("/cublas:0/")
    require(kept < 100e6 < 900e6 < compiled, f"compiled in {compiled} ns, kept in {kept} ns")


def sixty_fourth():
    at_limit = 4 * 58 * 1.2e9
    run = Run("--case", "matmul", "--mode", "resident", "--type", "f32,f64", "--size", "256",
              "--energy")
    single, double = run.row("/f32/"), run.row("/f64/")
    facts = pairs(single["device_facts"])
    require(float(facts["peak_f32_flop_per_s"]) == 64 * float(facts["peak_f64_flop_per_s"]),
            f"peaks: {facts}")
    require(float(double["median_ns"]) > 5 * float(single["median_ns"]), "f64 is not slower")
    joules = 72 * 2 * 256**3 / at_limit  # at the clock that 72 W allow
    require(0.9 < float(double["energy_j"]) / joules < 1.1, f"{double['energy_j']} J, not {joules}")
    require(double["ceiling_source"] == "gemm_f64", double["ceiling_source"])
    # Bursts, and visits of milliseconds, may be at the clock before the limit, or at it where the
    # GPU had just worked; what is kept up is at the limit.
    details = pairs(double["details"])
    require(details["sustained_mhz"] == "1200", str(details))
    require(0.98 < float(details["sustained_flop_per_s"]) / at_limit <= 1, str(details))
    require(float(double["ceiling"]) > 0.98 * at_limit, f"ceiling below it: {double['ceiling']}")
    # A size whose single product takes longer than a case may is left out, and its row says so.
    # Even slower here, so that the sizes that the double computes show the rate.
    large = Run("--case", "matmul", "--mode", "resident", "--type", "f64", "--size", "64,256,2048",
                more="f64_per_clock 0.2\n").row("/n:2048$")
    require(large["status"] == "over-budget" and large["reason"].startswith("one run takes about"),
            str(large))


def exclusive():
    run = Run("--case", "matmul", "--mode", "resident", "--type", "f32", "--size", "64",
              backends="cublas,multi-gpu")
    require(len(run.rows) == 2, f"{len(run.rows)} rows")
    for row in run.rows:
        require(row["status"] == "ok" and "unpaired=exclusive" in row["details"], str(row))


def slice():
    row = Run("--case", "matmul", "--mode", "resident", "--type", "f32", "--size", "64",
              "--energy").row("matmul")
    require(row["energy_j"] in ("", "NA"), f"energy of the whole board: {row['energy_j']}")
    facts = pairs(row["device_facts"])
    require(facts["mig"] == "on" and facts["power_limit_watts"] == "NA", str(facts))
    require("peak_memory_byte_per_s" not in facts, "the whole board's bus")
    require("power_watts" not in row["readings_before"], row["readings_before"])


globals()[PROFILE]()
hold_against_kept()
