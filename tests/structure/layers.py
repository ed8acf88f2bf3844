# SPDX-License-Identifier: Apache-2.0
"""Fails where a folder includes one above it, or reports/ includes suite/: layers.py SOURCE_DIR."""

import pathlib
import re
import sys

# A folder of suite/ includes those before it and itself.
LAYERS = ("sdk", "machine", "model", "verify", "measure", "registry", "cases", "protocol", "engine",
          "run", "find", "conformance", "skeleton", "command_line")
INCLUDE = re.compile(r'^\s*#include "(suite|reports)/([a-z_]+)/', re.MULTILINE)


def complaints(root):
    for path in sorted([*root.glob("suite/**/*.[ch]pp"), *root.glob("reports/**/*.[ch]pp"),
                        *root.glob("suite/**/*.in")]):
        top, folder = path.relative_to(root).parts[:2]
        if top == "suite" and folder not in LAYERS:
            yield f"{path}: suite/{folder} has no place among the layers of {__file__}"
            continue
        for part, other in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if top == "reports" and part == "suite":
                yield f"{path}: includes suite/{other}; reports/ does not know suite/"
            elif top == part == "suite" and other not in LAYERS[:LAYERS.index(folder) + 1]:
                yield f"{path}: includes suite/{other}, which lies above suite/{folder}"


found = list(complaints(pathlib.Path(sys.argv[1])))
print("\n".join(found))
sys.exit(1 if found else 0)
