# SPDX-License-Identifier: Apache-2.0
"""A real Slurm whose nodes are all this host."""

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

class Cluster:
    def __init__(self, folder, nodes):
        self.folder, self.nodes, self.processes = folder, nodes, []
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
            folder=folder, host=socket.gethostname().split(".")[0], port=first, first=first + 1, last=first + nodes,
            nodes=nodes))
        self.environment = {**os.environ, "SLURM_CONF": str(configuration)}
        self.start("slurmctld", "-D", "-f", configuration)
        for node in range(1, nodes + 1):
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
            if said == [str(self.nodes)]:
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


def on_cluster(nodes, check):
    """What check(cluster, folder) says, as an exit status; SKIPPED, with the reason, where there is no Slurm."""
    daemons = ("munged", "slurmctld", "slurmd", "sbatch", "srun")
    missing = [name for name in daemons if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    if missing or os.geteuid() != 0:
        print("skipped:", "not root" if os.geteuid() else f"no {missing[0]}: apt-get install slurm-wlm munge")
        return SKIPPED
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started ends with this
    with tempfile.TemporaryDirectory(prefix="breakeven_slurm_") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        cluster = Cluster(folder, nodes)
        try:
            cluster.wait_until_all_are_idle()
            check(cluster, folder)
        finally:
            cluster.stop()
    return 0
