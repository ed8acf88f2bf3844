#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cublas plugin against torch.matmul, block by block in turn.

usage: torch_figures.py GPU_FIGURES PLUGINS CLAIMS.csv

The plugin runs in a process of its own (`gpu_figures PLUGINS --serve`); while one side measures the
other waits. Both say which cuBLAS they have loaded: two versions need not be equally fast. Exit 0
where every claim holds or PyTorch is not there, 1 where one fails.
"""

import re
import statistics
import subprocess
import sys
import time

BLOCKS = 15
BLOCK_SECONDS = 0.1
SIZES = (4096, 8192)
BOUND = 1.02
LONGEST = 0.5  # seconds of a single product: f64 where it is 1/64 of f32 would take all of the time


class Plugin:
    def __init__(self, program, plugins):
        self.process = subprocess.Popen([program, plugins, "--serve"], text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, name, n, count):
        answer = ""
        try:
            self.process.stdin.write(f"{name} {n} {count}\n")
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            pass
        if not answer:  # what it said is above
            sys.exit(f"torch_figures: the plugin's process ended ({self.process.wait()})")
        return float(answer)


def cublas_of(process):
    """The file of cuBLAS that a process has loaded."""
    with open(f"/proc/{process}/maps", encoding="utf-8") as maps:
        found = re.search(r"/\S*libcublas\.so\S*", maps.read())
    return found[0] if found else "none"


class Torch:
    def __init__(self, torch, name, n):
        self.torch = torch
        torch.backends.cuda.matmul.allow_tf32 = name == "tf32"
        # Sums stay in f32, as in the plugin.
        torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
        torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False
        dtype = {"f32": torch.float32, "tf32": torch.float32, "f64": torch.float64,
                 "bf16": torch.bfloat16, "f16": torch.float16}[name]
        torch.manual_seed(1)
        self.a = (torch.rand(n, n, device="cuda") * 2 - 1).to(dtype)
        self.b = (torch.rand(n, n, device="cuda") * 2 - 1).to(dtype)
        self.c = torch.empty_like(self.a)

    def run(self, count):
        self.torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            self.torch.matmul(self.a, self.b, out=self.c)
        self.torch.cuda.synchronize()
        return time.perf_counter() - start


def too_long(plugin, name, n):
    """Why it is left out, or None. The first product may wait for its kernels to be loaded."""
    once = plugin.run(name, n, 1)
    if once > LONGEST:
        once = min(once, plugin.run(name, n, 1))
    return f"a single product takes {once:.2g} s" if once > LONGEST else None


def ratio(plugin, torch, name, n):
    theirs = Torch(torch, name, n)
    for _ in range(3):
        once = max(plugin.run(name, n, 1), theirs.run(1))
    count = max(1, int(BLOCK_SECONDS / once))
    ratios = []
    for block in range(BLOCKS):
        if block % 2:
            their_time = theirs.run(count)
            ratios.append(plugin.run(name, n, count) / their_time)
        else:
            our_time = plugin.run(name, n, count)
            ratios.append(our_time / theirs.run(count))
    return statistics.median(ratios)


def main():
    program, plugins, path = sys.argv[1:]
    claim = "gemm {} n={}: plugin / torch.matmul"
    with open(path, "w", encoding="utf-8") as report:
        report.write("claim,value,bound,verdict\n")
        try:
            import torch
            if not torch.cuda.is_available():
                raise ImportError("it sees no GPU")
        except (ImportError, OSError) as error:  # OSError: a library of CUDA that it needs
            print(f"  ----  {claim.format('*', '*')} not measured: PyTorch: {error}")
            report.write(f"{claim.format('*', '*')},NA,,not measured: no PyTorch\n")
            return 0
        plugin = Plugin(program, plugins)
        held = True
        for name in ("f32", "tf32", "bf16", "f16", "f64"):
            for n in SIZES:
                why = too_long(plugin, name, n)
                if why:
                    print(f"  ----  {claim.format(name, n):66} not measured: {why}", flush=True)
                    report.write(f"{claim.format(name, n)},NA,,not measured: {why}\n")
                    continue
                value = ratio(plugin, torch, name, n)
                verdict = "holds" if value <= BOUND else "FAILS"
                held = held and value <= BOUND
                print(f" {verdict}  {claim.format(name, n):66} {value:10.4g} <= {BOUND}", flush=True)
                report.write(f"{claim.format(name, n)},{value:.6g},<= {BOUND},{verdict}\n")
                report.flush()
        print(f"        cuBLAS of the plugin: {cublas_of(plugin.process.pid)}")
        print(f"        cuBLAS of PyTorch:    {cublas_of('self')}")
        return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
