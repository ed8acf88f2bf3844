#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what compilers made of the GPU kernels against budgets: machine_code.py BUDGETS PLUGIN

BUDGETS is a JSON file: architectures -> list of {"kernel": pattern of the demangled name, "kernels": how many match,
and limits}; what names an architecture several times is joined. Limits: "registers" and "stack" (bytes) at most;
"fma_share" of the instructions of the loop that has most of them at least (without NOP, by which compilers wait for
slow units); "load_bits" of every global load and store of that loop (without one: of the widest path) at least; "local"
accesses to local memory in each other loop at most (without it, and always in that loop: none). A kernel with launch
bounds has to fit as many blocks on a multiprocessor as they say. What PLUGIN holds as PTX alone is assembled first, as
a driver does it; with --built-only it is left out.
Needs cuobjdump and nvdisasm, of a CUDA toolkit or of `./bootstrap others`, and ptxas."""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
REGISTERS = 16384  # of each of a multiprocessor's four parts, handed out to its warps in eights a thread
MULTIPLY_ADDS = ("FFMA", "DFMA", "FFMA2", "DMMA", "HMMA")  # of a thread, and of a warp's tensor cores
INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z0-9_.]+)([^;]*);")
USAGE = re.compile(r"REG:(\d+) STACK:(\d+)")
BOUNDS = re.compile(r"LaunchBounds<(\d+)u?, (\d+)u?>")


def tools():
    """The PATH where they are; none: they are missing."""
    top = pathlib.Path(__file__).resolve().parents[2]
    folders = [*top.glob("build/machine_code/lib/python3*/site-packages/nvidia/*/bin"), "/usr/local/cuda/bin"]
    path = os.pathsep.join([*map(str, folders), os.environ["PATH"]])
    return path if all(shutil.which(name, path=path) for name in ("cuobjdump", "nvdisasm")) else None


def said(path, *command, cwd=None):
    return subprocess.run(command, cwd=cwd, env={**os.environ, "PATH": path}, text=True, stdout=subprocess.PIPE,
                          check=True).stdout


def demangled(names):
    done = subprocess.run(["c++filt"], input="\n".join(names), text=True, stdout=subprocess.PIPE, check=True)
    return dict(zip(names, done.stdout.splitlines()))


def assembled(path, architecture, plugin, folder):
    """What a driver makes of the plugin's PTX for a later architecture, as files."""
    said(path, "cuobjdump", "-xptx", "all", str(pathlib.Path(plugin).resolve()), cwd=folder)
    for file in sorted(pathlib.Path(folder).glob("*.ptx")):
        if int(re.search(r"sm_(\d+)", file.name)[1]) <= int(architecture.removeprefix("sm_")):
            cubin = file.with_suffix(".cubin")
            said(path, "ptxas", "-arch", architecture, "-o", str(cubin), str(file))
            yield str(cubin)


def usage_of(text):
    """Mangled name -> registers, stack."""
    found, name = {}, None
    for line in text.splitlines():
        if function := re.match(r"\s*Function (\S+):", line):
            name = function[1]
        elif (numbers := USAGE.search(line)) and name:
            found[name] = tuple(map(int, numbers.groups()))
    return found


def code_of(text):
    """Mangled name -> list of (address, instruction, its operands)."""
    found, code = {}, None
    for line in text.splitlines():
        if function := re.match(r"\s+Function : (\S+)", line):
            code = found.setdefault(function[1], [])
        elif (instruction := INSTRUCTION.match(line)) and code is not None:
            code.append((int(instruction[1], 16), instruction[2], instruction[3]))
    return found


def loops_of(code):
    """The innermost, each as its instructions."""
    spans = []
    for address, instruction, operands in code:
        target = re.search(r"0x([0-9a-f]+)", operands)
        if instruction.startswith("BRA") and target and int(target[1], 16) < address:
            spans.append((int(target[1], 16), address))
    inner = [span for span in spans
             if not any(other != span and other[0] >= span[0] and other[1] <= span[1] for other in spans)]
    return [[instruction for address, instruction, _ in code if begin <= address <= end] for begin, end in inner]


def kinds(instructions):
    return collections.Counter(instruction.split(".")[0] for instruction in instructions)


def fma_share(instructions):
    count = kinds(instructions)
    return sum(count[one] for one in MULTIPLY_ADDS) / (len(instructions) - count["NOP"])


def bits(instruction):
    for width in (128, 64):
        if f".{width}" in instruction:
            return width
    return 16 if ".U16" in instruction else 32


def complaints(budget, name, usage, code):
    registers, stack = usage
    loops = loops_of(code)
    if registers > budget["registers"]:
        yield f"{registers} registers, {budget['registers']} allowed"
    if stack > budget["stack"]:
        yield f"{stack} bytes of stack, {budget['stack']} allowed"
    if bounds := BOUNDS.search(name):
        threads, blocks = map(int, bounds.groups())
        fit = 4 * (REGISTERS // ((registers + 7) // 8 * 8 * 32)) // ((threads + 31) // 32)
        if fit < blocks:
            yield f"{fit} blocks of {threads} threads fit on a multiprocessor, {blocks} are wanted"
    best = max(loops, key=fma_share, default=[])
    for loop in loops:
        local, allowed = kinds(loop)["LDL"] + kinds(loop)["STL"], 0 if loop is best else budget.get("local", 0)
        if local > allowed:
            yield f"{local} accesses to local memory in a loop of {len(loop)} instructions, {allowed} allowed"
    if "fma_share" in budget:
        if not best or fma_share(best) < budget["fma_share"]:
            yield f"{fma_share(best) if best else 0:.3f} of the best loop are FMA, {budget['fma_share']} wanted"
    if "load_bits" in budget:
        path = best if "fma_share" in budget else [instruction for _, instruction, _ in code]
        accesses = [bits(instruction) for instruction in path if instruction.split(".")[0] in ("LDG", "STG", "LDGSTS")]
        # Without a loop of their own the narrow ones are those of the last elements.
        narrowest = (min if "fma_share" in budget else max)(accesses, default=0)
        if narrowest < budget["load_bits"]:
            yield f"global accesses of {narrowest} bits, {budget['load_bits']} wanted"


def read(path, architecture, files):
    """What is in them for the architecture: mangled name -> usage, -> code, and -> name."""
    usage, code = {}, {}
    for file in files:
        usage |= usage_of(said(path, "cuobjdump", "-arch", architecture, "-res-usage", file))
        code |= code_of(said(path, "cuobjdump", "-arch", architecture, "-sass", file))
    return usage, code, demangled(sorted(code))


def is_there(wanted, names):
    return any(re.search(budget["kernel"], name) for budget in wanted for name in names.values())


def main(budgets, plugin, *options):
    path = tools()
    if not path:
        print("skipped: no cuobjdump and nvdisasm; `./bootstrap others` installs them")
        return SKIPPED
    failures, checked = 0, False
    if not re.search(r"sm_\d+", said(path, "cuobjdump", "-lptx", plugin)):
        failures += 1
        print("no PTX: GPUs that are newer than the build cannot use it")
    wanted_of = collections.defaultdict(list)
    for several, wanted in json.loads(pathlib.Path(budgets).read_text(encoding="utf-8")).items():
        for one in several.split():
            wanted_of[one] += wanted
    for architecture, wanted in wanted_of.items():
        usage, code, names = read(path, architecture, [plugin])
        if not is_there(wanted, names) and "--built-only" not in options:
            with tempfile.TemporaryDirectory() as folder:
                usage, code, names = read(path, architecture, assembled(path, architecture, plugin, folder))
        if not is_there(wanted, names):
            print(f"{architecture}: this plugin is not built for it")
            continue
        checked = True
        for budget in wanted:
            matching = [mangled for mangled in code if re.search(budget["kernel"], names[mangled])]
            if len(matching) != budget["kernels"]:
                failures += 1
                print(f"{architecture} {budget['kernel']}: {len(matching)} kernels, {budget['kernels']} expected")
            shares = [fma_share(loop) for mangled in matching for loop in loops_of(code[mangled])]
            for mangled in matching:
                for complaint in complaints(budget, names[mangled], usage[mangled], code[mangled]):
                    failures += 1
                    print(f"{architecture} {names[mangled][:400]}: {complaint}")
            if matching:
                print(f"{architecture} {budget['kernel']}: {len(matching)} kernels, registers up to "
                      f"{max(usage[mangled][0] for mangled in matching)}, stack up to "
                      f"{max(usage[mangled][1] for mangled in matching)}, best loop "
                      f"{max(shares, default=0):.3f} FMA")
    return 0 if checked and not failures else 1


sys.exit(main(*sys.argv[1:]))
