# SPDX-License-Identifier: Apache-2.0
"""An asynchronous device by others: the backend opencl, on PoCL where there is no GPU."""

import json
import os
import pathlib
import subprocess
import unittest

from program import PROGRAM, ProgramTest

FAKE = pathlib.Path(os.environ["BREAKEVEN_ZOO"], "libfailing_opencl.so")


def reason_unusable():
    """None where the backend can be used here."""
    done = subprocess.run([PROGRAM, "list", "--why"], text=True, capture_output=True, check=True)
    lines = done.stdout.splitlines() + done.stderr.splitlines()
    if any(line.startswith("opencl ") for line in lines):
        return None
    return next((line for line in lines if "'opencl'" in line), "the plugin opencl is not built")


NO_OPENCL = reason_unusable()


@unittest.skipIf(NO_OPENCL, NO_OPENCL)
class OpenCl(ProgramTest):
    def run_ok(self, *arguments, but=("unsupported",), **options):
        """Verified rows, but for what one device does not have."""
        done = self.run_program("run", "--backend", "opencl", "--out", "a.csv", "--case-budget", "0.5s", *arguments,
                                **options)
        rows = self.rows("a.csv")
        (self.folder / "a.csv").unlink()
        self.assertEqual([row["name"] + " " + row["status"] + " " + row["reason"] for row in rows
                          if row["status"] not in ("ok", *but)], [], done.stderr)
        self.assertIn("ok", [row["status"] for row in rows])
        self.assertEqual(done.returncode, 0, done.stderr)
        return rows

    def test_is_asked_for_every_sort_of_work(self):
        self.run_ok("--case", "matmul,elementwise,norm-log,dispatch", "--size", "100", "--type", "f32")

    def test_is_asked_every_question_of_the_course(self):
        rows = self.run_ok("--preset", "course", "--budget", "20s", but=("unsupported", "over-budget"))
        self.assertLessEqual({"matmul", "elementwise", "norm-log", "dispatch", "transfer", "overlap", "first-use"},
                             {row["case"] for row in rows})

    def test_a_large_copy_is_not_too_long_because_a_tiny_one_took_its_time(self):
        rows = self.run_ok("--case", "transfer", "--mode", "single", "--size", "4,16777216")
        self.assertIn("16777216", [row["bytes"] for row in rows if row["status"] == "ok"])

    def test_two_parts_are_two_devices(self):
        rows = self.run_ok("--option", "opencl.parts=2", "--case", "parallel,transfer,overlap",
                           "--mode", "throughput,strong,single,overlapped", "--size", "128")
        asked = {(row["case"], row["devices"], row["direction"]) for row in rows if row["status"] == "ok"}
        self.assertLessEqual({("parallel", "2", "NA"), ("transfer", "1", "peer"), ("overlap", "1", "NA")}, asked)

    def test_is_compared_with_one_core(self):
        done = self.run_program("find", "--case", "matmul", "--from", "serial", "--to", "opencl", "--budget", "20s",
                                "--out", "found.csv")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertIn("opencl", done.stdout)
        rows = self.rows("found.csv")
        sizes = {backend: {row["n"] for row in rows if row["backend"] == backend and row["status"] == "ok"}
                 for backend in ("serial", "opencl")}
        self.assertGreaterEqual(len(sizes["serial"] & sizes["opencl"]), 2, rows)
        # On a crowded machine the search goes on to sizes of which one run is too long.
        self.assertEqual([row["name"] + " " + row["status"] + " " + row["reason"] for row in rows
                          if row["status"] not in ("ok", "over-budget")], [])

    def test_without_a_loader_says_so_in_one_line(self):
        done = self.run_program("list", "--why", "--option", "opencl.loader=/nowhere/libOpenCL.so")
        line = next(line for line in done.stdout.splitlines() if "'opencl'" in line)
        self.assertIn("not loaded: no OpenCL loader", line)
        self.assertIn("install ocl-icd-libopencl1", line)

    def test_without_a_platform_says_so_in_one_line(self):
        empty = self.folder / "vendors"
        empty.mkdir()
        done = self.run_program("list", "--why", env={**os.environ, "OCL_ICD_VENDORS": str(empty)})
        line = next(line for line in done.stdout.splitlines() if "'opencl'" in line)
        self.assertIn("not loaded: no OpenCL platform", line)

    @unittest.skipUnless(FAKE.exists(), "no failing loader is built")
    def test_what_is_done_otherwise_on_gpus_is_right(self):
        gpu = {"env": {**os.environ, "FAILING_OPENCL": "gpu"}}
        loader = ("--option", f"opencl.loader={FAKE}")
        listed = json.loads(self.run_program("list", "--json", *loader, **gpu).stdout)
        device = next(plugin for plugin in listed["plugins"] if plugin["name"] == "opencl")["devices"][0]
        self.assertEqual(device["hardware"], "GPU-30313233-3435-3637-3839-616263646500 pci:0000:65:00.1")
        for asked in (("elementwise", "--mode", "norm,sum", "--size", "100,70001"),
                      ("matmul", "--mode", "resident", "--size", "100")):
            rows = self.run_ok("--option", "opencl.products=own", *loader, "--type", "f32", "--case", *asked, **gpu)
            self.assertEqual({row["device_kind"] for row in rows}, {"gpu"})

    @unittest.skipUnless(FAKE.exists(), "no failing loader is built")
    def test_what_a_device_says_is_a_row(self):
        for fault, status, reason in (("lost", "failed", "CL_DEVICE_NOT_AVAILABLE"),
                                      ("memory", "out-of-memory", ""),
                                      ("build", "failed", "in kernel multiply_add, line "),
                                      ("refused", "failed", "CL_INVALID_WORK_GROUP_SIZE")):
            with self.subTest(fault=fault):
                self.run_program("run", "--backend", "opencl", "--option", f"opencl.loader={FAKE}", "--case",
                                 "matmul", "--size", "32", "--type", "f32", "--mode", "resident", "--out",
                                 f"{fault}.csv", env={**os.environ, "FAILING_OPENCL": fault})
                for row in self.rows(f"{fault}.csv"):
                    self.assertEqual(row["status"], status, row["reason"])
                    self.assertIn(reason, row["reason"])


if __name__ == "__main__":
    unittest.main()
