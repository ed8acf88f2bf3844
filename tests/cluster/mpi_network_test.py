# SPDX-License-Identifier: Apache-2.0
"""Ranks of MPI on two machines: network namespaces of this host with names of their own, and 1 Gbit/s between them:
mpi_network_test.py PROGRAM. Skipped (status 77) where this is not root, or the kernel or a program is missing."""

import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
BITS_PER_SECOND = 1_000_000_000
MACHINES = {f"be{os.getpid()}{letter}": f"10.29.0.{i}" for i, letter in enumerate("ab", 1)}
NEAR, FAR = MACHINES
# A machine: its network, its name. What mpirun hands over as HOST COMMAND is started there.
AGENT = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
machine=$1; shift
exec ip netns exec $machine unshare -u sh -c "hostname $machine; $*"
"""
HERE = ("unshare", "-m", "sh", "-c", 'mount --bind "$0" /etc/hosts; machine=$1; shift; exec ip netns exec $machine '
        'unshare -u sh -c "hostname $machine; exec \\"\\$0\\" \\"\\$@\\"" "$@"')


def call(*words):
    subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)


def connect():
    for machine in MACHINES:
        call("ip", "netns", "add", machine)
    call("ip", "link", "add", NEAR, "netns", NEAR, "type", "veth", "peer", "name", FAR, "netns", FAR)
    for machine, address in MACHINES.items():
        inside = ("ip", "netns", "exec", machine)
        call(*inside, "ip", "addr", "add", f"{address}/24", "dev", machine)
        call(*inside, "ip", "link", "set", machine, "up")
        call(*inside, "ip", "link", "set", "lo", "up")
        call(*inside, "tc", "qdisc", "add", "dev", machine, "root", "tbf", "rate", f"{BITS_PER_SECOND}bit", "burst",
             "128kb", "latency", "50ms")


def check(program, folder):
    agent, hosts, report = folder / "agent", folder / "hosts", folder / "a.csv"
    agent.write_text(AGENT)
    agent.chmod(0o755)
    hosts.write_text("127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for name, address in MACHINES.items()))
    networks = " ".join(f"--mca {layer}_tcp_if_include 10.29.0.0/24" for layer in ("oob", "btl"))
    command = [*HERE, hosts, NEAR, program, "run", "--backend", "mpi", "--option", f"mpi.hosts={FAR}", "--option",
               "mpi.limit=60", "--option", f"mpi.launcher=mpirun --mca plm_rsh_agent {agent} {networks}", "--type", "f32"]
    done = subprocess.run([*command, "--case", "transfer,matmul", "--mode", "single,offload-always", "--size",
                           "4194304,64", "--filter", "transfer.*memory:pageable|matmul.*n:64/", "--case-budget", "0.3s",
                           "--out", report], text=True, capture_output=True, cwd=folder, timeout=600)
    assert done.returncode == 0, done.stderr + done.stdout
    with open(report, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row for row in rows if row["case"] == "matmul"], done.stdout
    assert all(row["status"] == "ok" for row in rows), [(row["name"], row["status"], row["reason"]) for row in rows]
    for row in rows:
        assert f"node={FAR}" in row["device_facts"], row["device_facts"]
        if row["case"] == "transfer" and row["bytes"] == "4194304" and row["direction"] != "both":
            # What a bucket lets through at once comes on top.
            assert float(row["bytes_per_s"]) < 1.2 * BITS_PER_SECOND / 8, row["bytes_per_s"]
            assert row["ceiling_source"].startswith("network_"), row["ceiling_source"]

    # What is killed here leaves nothing over there.
    process = subprocess.Popen([*command, "--case", "matmul", "--size", "512", "--out", folder / "b.csv"], cwd=folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: ranks_of(FAR), "no rank over there")
    finally:
        process.kill()
        process.wait()
    wait_until(lambda: not ranks_of(FAR), "a rank is left over there")


def ranks_of(machine):
    found = subprocess.run(["ip", "netns", "pids", machine], check=True, capture_output=True, text=True).stdout.split()
    return [one for one in found if "breakeven-rank" in command_of(one)]


def command_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_text()
    except OSError:
        return ""  # it has ended meanwhile


def wait_until(happened, what):
    end = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < end, what
        time.sleep(0.05)


program = pathlib.Path(sys.argv[1]).resolve()
lacking = [name for name in ("ip", "tc", "unshare", "mpirun") if not shutil.which(name)]
if lacking or os.geteuid() != 0 or not (program.parent / "../lib/breakeven/plugins/mpi.so").exists():
    print("skipped:", f"no {lacking[0]}" if lacking else "not root, or the plugin mpi is not built")
    sys.exit(SKIPPED)
try:
    try:
        connect()
    except subprocess.CalledProcessError as error:
        print("skipped: no networks of its own here:", error.stderr.strip())
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as name:
        check(program, pathlib.Path(name))
finally:
    for machine in MACHINES:
        subprocess.run(["ip", "netns", "del", machine], capture_output=True, check=False)
