# SPDX-License-Identifier: Apache-2.0
"""Fails where two headers that end up in one program define types of one name: one_definition.py SOURCE_DIR.

The linker would keep one std::vector of the two, and say nothing. Plugins are programs of their own."""

import collections
import pathlib
import re
import sys

LINE = re.compile(r"namespace ([\w:]+) \{|(\})  // namespace|(?:struct|class|enum class) (\w+)[^;]*\{")


def types(header):
    """With their namespaces, of those that are not inside another."""
    spaces = []
    for line in header.read_text(encoding="utf-8").splitlines():
        found = LINE.match(line)
        if not found:
            continue
        space, end, name = found.groups()
        if space:
            spaces.append(space)
        elif end:
            spaces.pop()
        else:
            yield "::".join([*spaces, name])


root = pathlib.Path(sys.argv[1])
definitions = collections.defaultdict(list)
for header in sorted([*root.glob("suite/**/*.hpp"), *root.glob("reports/**/*.hpp")]):
    for name in types(header):
        definitions[name].append(str(header.relative_to(root)))
twice = {name: headers for name, headers in definitions.items() if len(headers) > 1}
for name, headers in sorted(twice.items()):
    print(f"{name} is defined in {' and in '.join(headers)}; rename one")
sys.exit(1 if twice or len(definitions) < 100 else 0)
