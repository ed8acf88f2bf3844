# SPDX-License-Identifier: Apache-2.0
"""Ranks of MPI in an allocation of a real Slurm: mpi_slurm_test.py PROGRAM PACKAGING_CLUSTER. Skipped (status 77) where
Slurm, MPI or ScaLAPACK is missing, or this is not root."""

import csv
import pathlib
import shutil
import sys

from slurm_cluster import SKIPPED, on_cluster

NODES = 3
BACKENDS = ("blas", "mpi", "scalapack")
# The nodes are one host, which has fewer processors than it is told to have ranks.
JOB = """#!/bin/bash
exec {program} run --case matmul,transfer,parallel --backend blas,mpi,scalapack --mode resident,single,throughput \\
  --type f32 --size 64 --case-budget 100ms --out report.csv --option mpi.crowd=yes --option scalapack.crowd=yes
"""


def check(program, cluster, folder):
    job = folder / "job.sh"
    job.write_text(JOB.format(program=program))
    done = cluster.call("sbatch", "--wait", f"--nodes={NODES}", "--output=job.log", job, cwd=folder, timeout=600)
    log = (folder / "job.log").read_text() if (folder / "job.log").exists() else ""
    assert done.returncode == 0, done.stderr + log
    with open(folder / "report.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    failed = [f"{row['name']} {row['status']} {row['reason']}" for row in rows
              if row["status"] not in ("ok", "unsupported")]
    assert not failed, failed
    verified = {(row["backend"], row["case"]) for row in rows if row["status"] == "ok"}
    assert {(backend, case) for backend in BACKENDS for case in ("matmul", "transfer", "parallel")} <= verified, verified
    for row in rows:
        assert row["backend"] == "blas" or f"ranks={NODES}" in row["backend_facts"], row["backend_facts"]


program = pathlib.Path(sys.argv[1])
lacking = [name for name in BACKENDS if not (program.parent / f"../lib/breakeven/plugins/{name}.so").exists()]
if lacking or not shutil.which("mpirun"):
    print("skipped:", f"the plugin {lacking[0]} is not built" if lacking else "no mpirun")
    sys.exit(SKIPPED)
sys.exit(on_cluster(NODES, lambda cluster, folder: check(program, cluster, folder)))
