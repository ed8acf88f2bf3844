# SPDX-License-Identifier: Apache-2.0
"""Runs the program under test, which the environment variable BREAKEVEN names."""

import csv
import fcntl
import os
import pathlib
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

PROGRAM = os.environ["BREAKEVEN"]
csv.field_size_limit(sys.maxsize)


class ProgramTest(unittest.TestCase):
    """Every test has a folder of its own, which goes with it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_program(self, *arguments, timeout=300, **options):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, timeout=timeout, **options)

    def start_program(self, *arguments, **options):
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def in_terminal(self, columns, *arguments, timeout=300):
        """What a terminal of so many columns shows."""
        screen, keyboard = pty.openpty()
        fcntl.ioctl(keyboard, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, stdin=keyboard, stdout=keyboard,
                              stderr=keyboard, env={**os.environ, "NO_COLOR": "1"}) as process:
            os.close(keyboard)
            shown = b""
            try:
                while block := os.read(screen, 1 << 16):
                    shown += block
            except OSError:  # how Linux says that nobody writes there any more
                pass
            process.wait(timeout)
        os.close(screen)
        return shown.decode("utf-8").replace("\r\n", "\n")

    def rows(self, name):
        with open(self.folder / name, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def assert_one_line(self, text):
        self.assertEqual(text.count("\n"), 1, text)

    def assert_refused(self, *arguments, saying, status=2):
        """One line on stderr, nothing on stdout, nothing written."""
        before = sorted(self.folder.iterdir())
        done = self.run_program(*arguments)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assert_one_line(done.stderr)
        self.assertIn(saying, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(sorted(self.folder.iterdir()), before)


def stop_in_a_request(worker):
    """Stops a worker for good: between two requests its parent would wake it again."""
    for _ in range(300):
        try:
            os.kill(worker, signal.SIGSTOP)
        except ProcessLookupError:
            return
        time.sleep(0.003)


def workers_of(process, patience=60, plugin=True):
    """The process ids of a run's workers that hold a plugin, or that of the one which measures the
    machine, after which all memory is planned; waits until there is one."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        found = []
        try:
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
            for child in children.split():
                command = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
                if b"worker" in command and (b"--plugin" in command) == plugin:
                    found.append(int(child))
        except (FileNotFoundError, ProcessLookupError):  # one ended meanwhile
            pass
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("no worker was started")


def blocked_signals(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("SigBlk:"):
            mask = int(line.split()[1], 16)
            return {number for number in range(1, 65) if mask >> (number - 1) & 1}
    return set()
