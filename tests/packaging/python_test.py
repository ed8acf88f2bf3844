# SPDX-License-Identifier: Apache-2.0
"""The module `breakeven` of the wheel, on the program under test."""

import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).parents[2]
PROGRAM = pathlib.Path(os.environ["BREAKEVEN"])


class Module(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """The package as the wheel has it, with links in the place of what is built."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        package = cls.folder / "breakeven"
        (package / "prefix/share/doc/breakeven").mkdir(parents=True)
        (package / "__init__.py").symlink_to(SOURCE / "packaging/wheel/breakeven/__init__.py")
        (package / "prefix/bin").symlink_to(PROGRAM.parent)
        (package / "prefix/share/doc/breakeven/columns.md").symlink_to(SOURCE / "reports/README.md")
        sys.path.insert(0, str(cls.folder))
        global breakeven
        import breakeven

    def test_a_run_is_a_frame_with_the_types_of_its_columns(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            rows = breakeven.run(case="matmul", mode="resident", size=[8, 16], type="f32",
                                 backend="serial", case_budget="100ms", label={"place": "test"})
        self.assertEqual(list(rows["n"]), [8, 16])
        self.assertEqual(set(rows["status"]), {"ok"})
        self.assertEqual(str(rows["n"].dtype), "Int64")
        self.assertEqual(str(rows["median_ns"].dtype), "float64")
        self.assertEqual(str(rows["samples_ns"].dtype), "string")
        self.assertGreater(rows["median_ns"].min(), 0)
        self.assertTrue(rows["labels"].str.contains("place=test").all())
        self.assertTrue(rows["count"].isna().all(), "NA is missing")
        self.assertIn("n:16", said.getvalue())

    def test_a_report_stays_where_it_is_asked_for(self):
        out = self.folder / "stays.csv"
        rows = breakeven.run(case="dispatch", mode="empty", backend="serial", case_budget="100ms",
                             out=out, progress=False)
        self.assertTrue(rows.equals(breakeven.read(out)))

    def test_what_is_wrong_is_an_exception_with_the_one_line(self):
        with self.assertRaises(breakeven.BreakevenError) as caught:
            breakeven.run(case="nothing", progress=False)
        self.assertIn("unknown case 'nothing'", str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
        self.assertEqual(caught.exception.status, 2)
        with self.assertRaisesRegex(breakeven.BreakevenError, "none.csv"):
            breakeven.read(self.folder / "none.csv")
        with self.assertRaisesRegex(breakeven.BreakevenError, "both sides are the same"):
            breakeven.find(from_="serial", progress=False)

    def test_a_search_gives_its_setting(self):
        found = breakeven.find(case="matmul", from_="serial", from_mode="resident",
                               to_mode="offload-always", range="8:64", budget="5", progress=False,
                               export_as="MIN_N")
        self.assertEqual(list(found["settings"]), ["MIN_N"])
        self.assertEqual(found["findings"][0]["axis"], "n")


if __name__ == "__main__":
    unittest.main()
