# SPDX-License-Identifier: Apache-2.0
"""A fleet of nine nodes of a real Slurm, all on this host, one of them with an older kernel: slurm_test.py
PROGRAM PACKAGING_CLUSTER. Skipped (status 77) where Slurm is missing or this is not root."""

import csv
import json
import pathlib
import subprocess
import sys

from slurm_cluster import on_cluster

NODES, SLOW = 9, "n5"
CASES = ["--case", "matmul", "--size", "64,128,256", "--mode", "resident", "--type", "f32", "--backend", "serial",
         "--case-budget", "100ms"]

# The nodes are one host: they take turns, as nine hosts need not. One has been set to an older kernel.
WRAPPER = """#!/bin/bash
command=$1; shift
[[ $SLURMD_NODENAME != {slow} ]] || set -- "$@" --option serial.variant=plain
exec flock {folder}/turn {program} "$command" "$@"
"""


def check(program, packaging, cluster, folder):
    wrapper = folder / "breakeven"
    wrapper.write_text(WRAPPER.format(slow=SLOW, folder=folder, program=program))
    wrapper.chmod(0o755)
    cluster.environment |= {"BREAKEVEN": str(wrapper), "REPORTS": str(folder / "reports"), "START_WITHIN": "1s",
                            "ROUNDS": "3"}
    sbatch = ["sbatch", "--wait", f"--nodes={NODES}", f"--output={folder}/job.log", packaging / "fleet.sbatch", *CASES]
    done = cluster.call(*sbatch, timeout=800)
    log = (folder / "job.log").read_text() if (folder / "job.log").exists() else ""
    assert done.returncode == 0, done.stderr + log + cluster.logs()
    reports = sorted((folder / "reports").glob("*.csv"))
    assert [path.stem for path in reports] == [f"n{i}" for i in range(1, NODES + 1)], reports

    with open(reports[0], newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["machine"] for row in rows} == {"n1"}, rows[0]["machine"]
    assert len(rows) == 9, [row["name"] for row in rows]
    assert all(len(visit.split()) == 1 for row in rows for visit in row["samples_ns"].split(";")), rows[0]["samples_ns"]

    judged = subprocess.run([program, "fleet", str(folder / "reports"), "--format", "json"], text=True,
                            capture_output=True)
    assert judged.returncode == 1, judged.stderr + judged.stdout
    said = json.loads(judged.stdout)
    print(subprocess.run([program, "fleet", str(folder / "reports")], text=True, capture_output=True).stdout)
    slow = [verdict for group in said["groups"] for verdict in group["verdicts"] if verdict["node"] == SLOW]
    assert SLOW in said["take_out"], said["take_out"]
    assert slow[0]["slow"][0]["ratio"] > 1.3, slow
    assert any("variant" in reason for reason in slow[0]["reasons"]), slow[0]["reasons"]
    assert said["exclude"].startswith("--exclude="), said["exclude"]

    # Queued again, the job goes on where it was: what is measured stays, byte for byte.
    measured = {path: [line for line in path.read_bytes().splitlines() if b",ok," in line] for path in reports}
    done = cluster.call(*sbatch, timeout=300)
    assert done.returncode == 0, done.stderr + (folder / "job.log").read_text()
    for path, lines in measured.items():
        now = path.read_bytes().splitlines()
        assert len(now) == 10 and set(lines) <= set(now), f"{path}: {lines}\nbecame\n{now}"


sys.exit(on_cluster(NODES, lambda cluster, folder: check(sys.argv[1], pathlib.Path(sys.argv[2]), cluster, folder)))
