# SPDX-License-Identifier: Apache-2.0
"""What stays as it is whatever moves inside: the cases of every preset, and how old reports read.

`python3 frozen_test.py --store` writes what the program says today to frozen/; a change there is a
change for users, and belongs in the commit that makes it.
"""

import os
import pathlib
import subprocess
import sys
import unittest

from program import PROGRAM, ProgramTest

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent.parent / "reports" / "examples"


def say(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], text=True, capture_output=True, timeout=60)
    return done.stdout


def cases_of(preset):
    # One device of a plugin of the zoo: what `serial` has depends on the machine.
    lines = say("run", "--preset", preset, "--dry-run", "--plugin", os.path.join(os.environ["BREAKEVEN_ZOO"], "sound.so"),
                "--backend", "sound").splitlines()
    return "\n".join(sorted(lines[:lines.index("")])) + "\n"


KEPT = {f"{preset}.txt": (lambda preset=preset: cases_of(preset))
        for preset in ("quick", "course", "full")}
KEPT["compare.csv"] = lambda: say(
    "compare", EXAMPLES / "two-core-epyc-native.csv", EXAMPLES / "two-core-epyc-portable.csv",
    "--group-by", "label:build", "--expect", "library", "--format", "csv")


class Frozen(ProgramTest):
    maxDiff = 2000

    def test_says_what_it_said(self):
        for name, now in KEPT.items():
            with self.subTest(name=name):
                self.assertEqual((HERE / "frozen" / name).read_text(encoding="utf-8"), now())


if __name__ == "__main__":
    if "--store" in sys.argv:
        for name, now in KEPT.items():
            (HERE / "frozen" / name).write_text(now(), encoding="utf-8")
    else:
        unittest.main()
