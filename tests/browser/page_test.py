# SPDX-License-Identifier: Apache-2.0
"""The page in a browser: charts draw, the table sorts and filters, and it stands without scripts."""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from chromium import Chromium

csv.field_size_limit(sys.maxsize)

# Scrolls to every chart and tells how many of its pixels are painted.
PAINTED = """(async () => {
  const painted = [];
  for (const canvas of document.querySelectorAll('canvas[data-chart]')) {
    canvas.scrollIntoView();
    for (let frame = 0; frame < 600 && !Chart.getChart(canvas); ++frame) await new Promise(requestAnimationFrame);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    painted.push(data.filter((value, i) => i % 4 === 3 && value > 0).length);
  }
  return painted;
})()"""
SHOWN = "[...document.getElementById('rows').tBodies[0].rows].filter(row => !row.hidden)"


def filter_by(words, kind="all"):
    """What a user does; resolves with the names of the rows that are left."""
    return f"""(async () => {{
      const form = document.getElementById('filter');
      form.elements.words.value = {words!r};
      form.elements.kind.value = {kind!r};
      form.dispatchEvent(new Event('input'));
      await new Promise(done => setTimeout(done, 500));
      return {SHOWN}.map(row => row.querySelector('summary').textContent);
    }})()"""


def sort_by(heading):
    """Clicks it; gives the values of the column from top to bottom, null where there is none."""
    return f"""(() => {{
      const heads = [...document.getElementById('rows').tHead.rows[0].cells];
      const column = heads.findIndex(head => head.textContent === {heading!r});
      heads[column].querySelector('button').click();
      return {SHOWN}.map(row => row.cells[column].dataset.value).map(value => value === undefined ? null : +value);
    }})()"""


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.page = pathlib.Path(folder.name) / "report.html"
        subprocess.run([os.environ["BREAKEVEN"], "report", os.environ["EXAMPLE"], "-o", cls.page], check=True)
        with open(os.environ["EXAMPLE"], newline="", encoding="utf-8") as file:
            cls.rows = list(csv.DictReader(file))
        cls.browser = Chromium()
        cls.addClassCleanup(cls.browser.__exit__)

    def setUp(self):
        self.browser.scripts(True)
        self.browser.open(self.page)

    def tearDown(self):
        self.assertEqual(self.browser.evaluate("window.errors || []"), [])

    def test_every_chart_is_drawn_in_both_themes(self):
        for theme in ("light", "dark"):
            self.browser.theme(theme)
            self.browser.open(self.page)
            painted = self.browser.evaluate(PAINTED)
            self.assertGreater(len(painted), 5)
            self.assertGreater(min(painted), 2000, theme)

    def test_words_and_kinds_filter_the_rows(self):
        wanted = [row["name"] for row in self.rows if row["case"] == "transfer" and "serial:0" in row["name"]]
        self.assertTrue(wanted)
        self.assertEqual(self.browser.evaluate(filter_by("transfer/ SERIAL:0")), wanted)
        failed = [row["name"] for row in self.rows if row["status"] != "ok"]
        self.assertEqual(self.browser.evaluate(filter_by("", "not-ok")), failed)
        self.assertEqual(len(self.browser.evaluate(filter_by(""))), len(self.rows))

    def test_a_heading_sorts_and_what_is_empty_stays_last(self):
        known = sorted(float(row["median_ns"]) for row in self.rows if row["median_ns"] != "NA")
        empty = [None] * (len(self.rows) - len(known))
        self.assertEqual(self.browser.evaluate(sort_by("Median")), known + empty)
        self.assertEqual(self.browser.evaluate(sort_by("Median")), known[::-1] + empty)

    def test_a_number_of_an_answer_opens_its_row(self):
        self.browser.evaluate("document.querySelector('.answers a').click()")
        self.browser.evaluate("new Promise(done => setTimeout(done, 500))")
        self.assertTrue(self.browser.evaluate("document.querySelector('tr:target details').open"))
        top, height = self.browser.evaluate(
            "[document.querySelector('tr:target').getBoundingClientRect().top, innerHeight]")
        self.assertTrue(0 <= top <= height, f"the row is at {top} of {height}")

    def test_no_page_is_wider_than_a_phone(self):
        with Chromium(390, 844) as phone:
            phone.open(self.page)
            self.assertEqual(phone.evaluate("document.documentElement.scrollWidth"), 390)

    def test_the_tables_stand_without_scripts(self):
        self.browser.scripts(False)
        self.browser.open(self.page)
        rows = self.browser.evaluate(f"{SHOWN}.map(row => row.querySelector('summary').textContent)")
        self.assertEqual(rows, [row["name"] for row in self.rows])
        self.assertGreater(self.browser.evaluate(f"{SHOWN}[0].offsetHeight"), 10)
        self.assertIn("charts need scripts", self.browser.evaluate("document.querySelector('noscript').innerText"))
        self.assertTrue(self.browser.evaluate("document.getElementById('filter').hidden"))


if __name__ == "__main__":
    unittest.main()
