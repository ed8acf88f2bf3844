# SPDX-License-Identifier: Apache-2.0
"""The test for ReFrame, run by ReFrame on this host: reframe_test.py PROGRAM PACKAGING_CLUSTER. Skipped
(status 77) where ReFrame is missing; the variable REFRAME names it."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
reframe = shutil.which(os.environ.get("REFRAME", "reframe")) or shutil.which("reframe")
if not reframe:
    print("skipped: no reframe: python3 -m venv build/cluster && build/cluster/bin/pip install reframe-hpc")
    sys.exit(SKIPPED)
with tempfile.TemporaryDirectory() as folder:
    done = subprocess.run(
        [reframe, "--prefix", folder, "--report-file", f"{folder}/report.json", "-c",
         pathlib.Path(sys.argv[2]) / "reframe_breakeven.py", "-r", "-S", f"program={sys.argv[1]}",
         "--performance-report"],
        cwd=folder, text=True, capture_output=True, timeout=600,
        env={**os.environ, "RFM_SYSTEM": "generic", "PYTHONDONTWRITEBYTECODE": "1"})
    print(done.stdout, done.stderr)
    assert done.returncode == 0
    assert "PASSED" in done.stdout and "rate" in done.stdout
    assert list(pathlib.Path(folder).glob("output/**/report.csv")), "the report is not kept"
