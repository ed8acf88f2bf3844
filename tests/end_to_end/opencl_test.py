# SPDX-License-Identifier: Apache-2.0
"""An asynchronous device by others: the backend opencl, on PoCL where there is no GPU."""

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
    def run_ok(self, *arguments):
        """Verified rows, but for what one device without sequences does not have."""
        done = self.run_program("run", "--backend", "opencl", "--out", "a.csv", "--case-budget", "0.5s", *arguments)
        rows = self.rows("a.csv")
        self.assertEqual([row["name"] + " " + row["status"] + " " + row["reason"] for row in rows
                          if row["status"] not in ("ok", "unsupported")], [], done.stderr)
        self.assertIn("ok", [row["status"] for row in rows])
        self.assertEqual(done.returncode, 0, done.stderr)
        return rows

    def test_is_asked_for_every_sort_of_work(self):
        self.run_ok("--case", "matmul,elementwise,norm-log,dispatch", "--size", "100", "--type", "f32")

    def test_a_large_copy_is_not_too_long_because_a_tiny_one_took_its_time(self):
        rows = self.run_ok("--case", "transfer", "--mode", "single", "--size", "4,16777216")
        self.assertIn("16777216", [row["bytes"] for row in rows if row["status"] == "ok"])

    def test_two_parts_are_two_devices(self):
        rows = self.run_ok("--option", "opencl.parts=2", "--case", "parallel", "--mode", "throughput,strong",
                           "--size", "128")
        self.assertIn("2", [row["devices"] for row in rows])

    def test_is_compared_with_one_core(self):
        done = self.run_program("find", "--case", "matmul", "--from", "serial", "--to", "opencl", "--budget", "20s",
                                "--out", "found.csv")
        self.assertIn(done.returncode, (0, 3), done.stderr)
        self.assertIn("opencl", done.stdout)

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
