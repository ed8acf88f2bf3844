# SPDX-License-Identifier: Apache-2.0
"""A fleet of nine nodes of a real Slurm, all on this host, one of them with an older kernel: slurm_test.py
PROGRAM PACKAGING_CLUSTER. Skipped (status 77) where Slurm is missing or this is not root."""

import csv
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
NODES, SLOW = 9, "n5"
CASES = ["--case", "matmul", "--size", "64,128,256", "--mode", "resident", "--type", "f32", "--backend", "serial",
         "--case-budget", "100ms"]

CONFIGURATION = """ClusterName=test
SlurmctldHost={host}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
SlurmctldPort={port}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmdSpoolDir={folder}/spool.%n
StateSaveLocation={folder}/state
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmctldParameters=enable_configless
NodeName=n[1-{nodes}] NodeHostname={host} NodeAddr=127.0.0.1 Port={first}-{last} CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""

# The nodes are one host: they take turns, as nine hosts need not. One has been set to an older kernel.
WRAPPER = """#!/bin/bash
command=$1; shift
[[ $SLURMD_NODENAME != {slow} ]] || set -- "$@" --option serial.variant=plain
exec flock {folder}/turn {program} "$command" "$@"
"""


class Cluster:
    def __init__(self, folder):
        self.folder, self.processes = folder, []
        first = 20000 + os.getpid() % 10000
        munge = folder / "munge"
        munge.mkdir(mode=0o755)
        (munge / "key").write_bytes(os.urandom(128))
        (munge / "key").chmod(0o400)
        (folder / "state").mkdir()
        self.start("munged", "--foreground", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket",
                   f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        configuration = folder / "slurm.conf"
        configuration.write_text(CONFIGURATION.format(
            folder=folder, host=socket.gethostname().split(".")[0], port=first, first=first + 1, last=first + NODES,
            nodes=NODES))
        self.environment = {**os.environ, "SLURM_CONF": str(configuration)}
        self.start("slurmctld", "-D", "-f", configuration)
        for node in range(1, NODES + 1):
            (folder / f"spool.n{node}").mkdir()
            self.start("slurmd", "-D", "-f", configuration, "-N", f"n{node}")

    def start(self, *command):
        log = open(self.folder / "daemons.log", "ab")
        program = shutil.which(command[0], path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        self.processes.append(subprocess.Popen([program, *map(str, command[1:])], stdout=log, stderr=log,
                                               env=getattr(self, "environment", None)))

    def call(self, *command, **options):
        return subprocess.run(list(map(str, command)), env=self.environment, text=True, capture_output=True, **options)

    def wait_until_all_are_idle(self):
        for _ in range(240):
            said = self.call("sinfo", "-h", "-t", "idle", "-o", "%D").stdout.split()
            if said == [str(NODES)]:
                return
            time.sleep(0.5)
        raise AssertionError("the nodes do not come up:\n" + self.call("sinfo", "-R").stdout + self.logs())

    def logs(self):
        return "".join(path.read_text(errors="replace")[-1500:] for path in sorted(self.folder.glob("*.log")))

    def stop(self):
        self.call("scancel", "--full", "--user=root", timeout=60)
        for _ in range(20):
            if not self.call("squeue", "-h", timeout=60).stdout.strip():
                break
            time.sleep(0.5)
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def check(program, packaging, cluster, folder):
    cluster.wait_until_all_are_idle()
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


def main():
    daemons = ("munged", "slurmctld", "slurmd", "sbatch", "srun")
    missing = [name for name in daemons if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    if missing or os.geteuid() != 0:
        print("skipped:", "not root" if os.geteuid() else f"no {missing[0]}: apt-get install slurm-wlm munge")
        return SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started ends with this
    with tempfile.TemporaryDirectory(prefix="breakeven_slurm_") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        cluster = Cluster(folder)
        try:
            check(sys.argv[1], pathlib.Path(sys.argv[2]), cluster, folder)
        finally:
            cluster.stop()
    return 0


sys.exit(main())
