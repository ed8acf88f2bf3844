# SPDX-License-Identifier: Apache-2.0
"""A control group of its own, where this user may make one: cgroups(7), both versions."""

import contextlib
import os
import pathlib

ROOT = pathlib.Path("/sys/fs/cgroup")


def _parent():
    """The folder of our own group in the hierarchy that counts memory, and the name of its limit."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers == "memory":
            return ROOT / "memory" / path.lstrip("/"), "memory.limit_in_bytes"
        if controllers == "" and (ROOT / "cgroup.controllers").exists():
            return ROOT / path.lstrip("/"), "memory.max"
    return None, ""


def _make():
    parent, limit = _parent()
    if parent is None:
        return None, ""
    folder = parent / f"breakeven-test-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError:
        return None, ""
    if (folder / limit).exists():
        return folder, limit
    folder.rmdir()
    return None, ""


def available():
    folder, _ = _make()
    if folder is not None:
        folder.rmdir()
    return folder is not None


class _Group:
    def __init__(self, folder, limit):
        self._folder, self._limit = folder, limit

    def enter(self):
        """Puts this process, and what it starts, into the group."""
        (self._folder / "cgroup.procs").write_text(str(os.getpid()))

    def limit(self, memory_bytes):
        (self._folder / self._limit).write_text(str(memory_bytes))


@contextlib.contextmanager
def made():
    """A group without a limit yet; it goes when its processes have ended."""
    folder, limit = _make()
    try:
        yield _Group(folder, limit)
    finally:
        folder.rmdir()
