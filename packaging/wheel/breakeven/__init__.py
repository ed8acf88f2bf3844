# SPDX-License-Identifier: Apache-2.0
"""Breakeven from Python: runs the program that this package holds and reads its reports.

>>> import breakeven
>>> rows = breakeven.run(case="matmul", size="64:1024")
>>> rows[rows.status == "ok"].pivot_table("median_ns", "n", "backend")
>>> breakeven.find(from_="serial", to="kokkos-openmp")["settings"]
{'BREAKEVEN_MATMUL_F32_N': 64}

Arguments are the options of the commands (`breakeven run --help`): `case_budget="1s"` is
`--case-budget 1s`, a list is joined by commas, True is an option without a value, and a dictionary
repeats the option with KEY=VALUE, as `option={"blas.threads": 1}`.
"""

from __future__ import annotations

import glob
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

__all__ = ["BreakevenError", "find", "program", "read", "run"]

_prefix = pathlib.Path(__file__).parent / "prefix"
_columns = _prefix / "share" / "doc" / "breakeven" / "columns.md"


class BreakevenError(RuntimeError):
    """What the program said, in its one line; `status` is how it ended."""

    def __init__(self, line: str, status: int) -> None:
        super().__init__(line)
        self.status = status


def program() -> pathlib.Path:
    """The program itself. SDK and plugins lie beside it, as in any installation."""
    return _prefix / "bin" / "breakeven"


def run(*, out: str | os.PathLike[str] | None = None, progress: bool = True,
        **options: Any) -> pandas.DataFrame:
    """Measures as `breakeven run` does, and returns the rows of the report.

    The report stays where `out` says. What the program says meanwhile is printed, unless `progress`
    is False. Raises BreakevenError where nothing was measured; rows that failed are rows, and a
    warning.
    """
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(out or os.path.join(folder, "report.csv"))
        status, line = _call("run", {**options, "out": report}, progress)
        if status not in (0, 1) or not report.exists():
            raise BreakevenError(line, status)
        if status != 0:
            warnings.warn(line, stacklevel=2)
        return read(report)


def find(*, progress: bool = True, **options: Any) -> dict[str, Any]:
    """Searches the break-even point as `breakeven find` does, and returns what its `--format json`
    writes. `from_` stands for `--from`, which Python does not allow as a name."""
    with tempfile.TemporaryDirectory() as folder:
        found = pathlib.Path(folder, "found.json")
        if "from_report" not in options:
            options.setdefault("out", os.path.join(folder, "report.csv"))
        status, line = _call("find", {**options, "export": found}, progress)
        if not found.exists():
            raise BreakevenError(line, status)
        return json.loads(found.read_text())


def read(path: str | os.PathLike[str]) -> pandas.DataFrame:
    """A stored report with the types of its columns: whole numbers as Int64, other numbers as
    float64, text as string; what is unknown is missing."""
    import pandas  # the command `breakeven` starts without it

    kinds = dict(re.findall(r"^\| `(\w+)` \| (\w+) \|", _columns.read_text(), re.M))
    types = {"integer": "Int64", "real": "float64"}
    try:
        present = pandas.read_csv(path, nrows=0).columns
        return pandas.read_csv(path, na_values=["NA"], keep_default_na=False, dtype={
            name: types.get(kinds.get(name, ""), "string") for name in present})
    except (OSError, ValueError) as error:
        raise BreakevenError(f"{path}: {error}", 2) from error


def _arguments(options: dict[str, Any]) -> list[str]:
    words: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is True:
            words.append(flag)
        elif isinstance(value, dict):
            for key, one in value.items():
                words += [flag, f"{key}={one}"]
        elif value is not None and value is not False:
            parts = value if isinstance(value, (list, tuple)) else [value]
            words += [flag, ",".join(str(part) for part in parts)]
    return words


def _call(command: str, options: dict[str, Any], progress: bool) -> tuple[int, str]:
    """How it ended, and the last line that it said."""
    line = ""
    with subprocess.Popen([program(), command, *_arguments(options)], env=_environment(), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        try:
            for text in process.stdout:
                line = text.strip() or line
                if progress:
                    print(text, end="", flush=True)
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)  # what is measured stays in the report
            raise
    return process.returncode, line.removeprefix(f"breakeven {command}: ")


def _environment() -> dict[str, str]:
    """cuBLAS may come from the packages of NVIDIA, which lie where no loader looks."""
    folders = [folder for path in sys.path for folder in glob.glob(path + "/nvidia/*/lib")]
    known = os.environ.get("LD_LIBRARY_PATH")
    if not folders:
        return dict(os.environ)
    return {**os.environ, "LD_LIBRARY_PATH": ":".join(folders + ([known] if known else []))}


def _main() -> None:
    """The command `breakeven`."""
    os.execve(program(), ["breakeven", *sys.argv[1:]], _environment())
