# SPDX-License-Identifier: Apache-2.0
"""The page in a browser: charts tell their values, the table sorts and filters, it prints on few sheets, it looks as
it did, and it stands without scripts. PICTURES=write keeps what it looks like now."""

import base64
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from chromium import Chromium
from opening_time import write_rows

csv.field_size_limit(sys.maxsize)

# How far the mean colours of the most different tile of two pictures are apart, 0 to 255: fonts may differ.
DIFFERENCE = """async (...pictures) => {
  const tiles = await Promise.all(pictures.map(async picture => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + picture;
    await image.decode();
    const canvas = document.createElement('canvas'), pen = canvas.getContext('2d');
    canvas.width = 8; canvas.height = 8;
    pen.imageSmoothingQuality = 'high';
    pen.drawImage(image, 0, 0, 8, 8);
    return pen.getImageData(0, 0, 8, 8).data;
  }));
  return Math.max(...tiles[0].map((value, i) => Math.abs(value - tiles[1][i])));
}"""
LOOKS = (("light", 1400, 900, "light", ""), ("dark", 1400, 900, "dark", ""), ("phone", 390, 844, "light", ""),
         ("print", 800, 1100, "light", "print"))
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


class InBrowser(unittest.TestCase):
    """A class sets `page` and then calls `start`; each test finds the page just opened."""

    @classmethod
    def start(cls):
        cls.browser = Chromium()
        cls.addClassCleanup(cls.browser.__exit__)

    def setUp(self):
        self.browser.scripts(True)
        self.browser.open(self.page)

    def tearDown(self):
        self.assertEqual(self.browser.evaluate("window.errors || []"), [])

    def looks_as_it_did(self, name, page, width, height, theme="light", media=""):
        with Chromium(width, height) as browser:
            browser.ask("Emulation.setEmulatedMedia", media=media,
                        features=[{"name": "prefers-color-scheme", "value": theme}])
            browser.open(page)
            clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 0.4}
            now = browser.ask("Page.captureScreenshot", format="png", clip=clip)["data"]
            stored = pathlib.Path(__file__).with_name("pictures") / f"{name}.png"
            if os.environ.get("PICTURES") == "write":
                stored.write_bytes(base64.b64decode(now))
            before = base64.b64encode(stored.read_bytes()).decode()
            worst = browser.evaluate(f"({DIFFERENCE})({json.dumps(before)}, {json.dumps(now)})")
        with self.subTest(name):
            self.assertLess(worst, 60, f"{name}: a part of the page has another colour than in {stored}")


class PageTest(InBrowser):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.page = pathlib.Path(folder.name) / "report.html"
        subprocess.run([os.environ["BREAKEVEN"], "report", os.environ["EXAMPLE"], "-o", cls.page], check=True)
        # Of a newer schema, with more devices.
        cls.quick = pathlib.Path(folder.name) / "quick.html"
        quick = pathlib.Path(os.environ["EXAMPLE"]).with_name("two-core-zen3-quick.csv")
        subprocess.run([os.environ["BREAKEVEN"], "report", quick, "-o", cls.quick], check=True)
        with open(os.environ["EXAMPLE"], newline="", encoding="utf-8") as file:
            cls.rows = list(csv.DictReader(file))
        cls.rows.sort(key=lambda row: row["status"] in ("unavailable", "unsupported"))  # as they are shown
        cls.start()

    def test_every_chart_is_seen_and_named_in_both_themes(self):
        for theme in ("light", "dark"):
            self.browser.theme(theme)
            self.browser.open(self.page)
            charts = self.browser.evaluate("""[...document.querySelectorAll('figure.chart')].map(figure => [
              figure.getBoundingClientRect().width, figure.querySelector('svg').getAttribute('aria-label').length])""")
            self.assertGreater(len(charts), 8)
            self.assertGreater(min(width for width, _ in charts), 200)
            self.assertGreater(min(length for _, length in charts), 30)
        self.browser.theme("light")

    def test_the_pointer_reads_the_values_of_all_series(self):
        text = self.browser.evaluate("""(() => {
          const svg = document.querySelector('figure.wide svg'), link = svg.querySelector('a[data-x="100"]');
          const box = link.getBoundingClientRect();
          svg.dispatchEvent(new PointerEvent('pointermove', { clientX: box.x + 3, clientY: box.y + 90, bubbles: true }));
          return document.querySelector('.tip').innerText;
        })()""")
        self.assertEqual(text.splitlines()[0], "n 100")
        for device, value in (("kokkos-openmp:0", "360"), ("serial:0", "238"), ("blas:0", "146")):
            self.assertRegex(text, rf"{device}: {value} GFLOP/s \[.* GFLOP/s, .* GFLOP/s\]")

    def test_the_pointer_reads_the_case_of_a_point_under_the_roofs(self):
        text = self.browser.evaluate("""(() => {
          const svg = document.querySelector('#roofline svg'), mark = svg.querySelector('[data-label*="n:1024"] .mark');
          svg.closest('figure').style.contentVisibility = 'visible';
          const box = mark.getBoundingClientRect();
          svg.dispatchEvent(new PointerEvent('pointermove', { clientX: box.x + 4, clientY: box.y + 4, bubbles: true }));
          return document.querySelector('.tip').innerText;
        })()""")
        self.assertRegex(text, r"matmul/[a-z-]+:0/f32/resident/n:1024: [0-9]+ GFLOP/s")

    def test_arrow_keys_walk_through_a_chart_and_are_heard(self):
        heard = self.browser.evaluate("""(() => {
          const svg = document.querySelector('figure.wide svg');
          svg.focus();
          for (const key of ['ArrowRight', 'ArrowRight'])
            svg.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
          return document.querySelector('[aria-live]').textContent;
        })()""")
        self.assertIn("n 16", heard)
        self.assertIn("serial:0: 159 GFLOP/s", heard)

    def test_the_values_of_a_chart_are_a_table_too(self):
        cells = self.browser.evaluate("""new Promise(done => {
          const fold = document.querySelector('figure.wide .values');
          fold.addEventListener('toggle', () => setTimeout(() => done(fold.querySelectorAll('tr').length)));
          fold.open = true;
        })""")
        self.assertEqual(cells, 15)  # three devices at five sizes

    def test_it_prints_on_at_most_eight_sheets(self):
        for page in (self.page, self.quick):
            self.browser.open(page)
            for sheet in ({}, {"paperWidth": 8.27, "paperHeight": 11.69}):  # Letter and A4, in inches
                pdf = base64.b64decode(self.browser.ask("Page.printToPDF", **sheet)["data"])
                self.assertLessEqual(len(re.findall(rb"/Type\s*/Page\b", pdf)), 8)

    def test_five_questions_are_answered_on_the_first_screen(self):
        for page in (self.page, self.quick):
            with Chromium(1400, 900) as browser:
                browser.open(page)
                bottoms = browser.evaluate("[...document.querySelectorAll('.facts dd, .strip')].map(fact => fact.getBoundingClientRect().bottom)")
            self.assertEqual(len(bottoms), 6)
            self.assertLess(max(bottoms), 900)

    def test_five_questions_are_answered_on_two_screens_of_a_phone(self):
        with Chromium(390, 844) as phone:
            phone.open(self.page)
            bottoms = phone.evaluate("[...document.querySelectorAll('.facts dd')].map(fact => fact.getBoundingClientRect().bottom)")
        self.assertEqual(len(bottoms), 5)
        self.assertLess(max(bottoms), 2 * 844)

    def test_the_median_is_on_the_screen_of_a_phone(self):
        with Chromium(390, 844) as phone:
            phone.open(self.page)
            self.assertLessEqual(phone.evaluate(f"{SHOWN}[0].cells[1].getBoundingClientRect().right"), 390)

    def test_it_looks_as_it_did(self):
        for name, width, height, theme, media in LOOKS:
            self.looks_as_it_did(name, self.quick, width, height, theme, media)

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
        self.browser.evaluate("document.querySelector('.facts a').click()")
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
        self.assertGreater(self.browser.evaluate("document.querySelector('figure.wide svg').clientHeight"), 100)
        self.assertTrue(self.browser.evaluate("document.getElementById('filter').hidden"))


def write_copies(source, count, folder, change):
    """Reports like `source`; `change` gives the fields that differ in the i-th, and how many times as long it takes."""
    with open(source, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        rows, names = list(reader), reader.fieldnames

    def longer(text, factor):
        return text if text == "NA" else re.sub(r"[^ ;]+", lambda number: repr(float(number[0]) * factor), text)

    for i in range(count):
        fields, factor = change(i)
        with open(pathlib.Path(folder, f"copy{i:02}.csv"), "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, names, lineterminator="\n")
            writer.writeheader()
            for row in rows:
                times = {name: longer(row[name], factor) for name in names if name.endswith("_ns")}
                times |= {name: longer(row[name], 1 / factor) for name in ("flops_per_s", "bytes_per_s", "ceiling_share")}
                writer.writerow(row | times | fields)


KEYS = """(element, ...keys) => {
  element.focus();
  for (const key of keys) element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  return document.querySelector('[aria-live]').textContent;
}"""


class SeveralReportsTest(InBrowser):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.page = pathlib.Path(folder.name) / "several.html"
        examples = sorted(pathlib.Path(os.environ["EXAMPLE"]).parent.glob("*.csv"))
        subprocess.run([os.environ["BREAKEVEN"], "report", *examples, "-o", cls.page], check=True, stderr=subprocess.DEVNULL)
        cls.count = len(examples)
        cls.start()

    def test_each_has_a_chart_and_its_trust_before_the_second_screen_ends(self):
        with Chromium(1400, 900) as browser:
            browser.open(self.page)
            bottoms = browser.evaluate("[...document.querySelectorAll('.card .strip')].map(one => one.getBoundingClientRect().bottom)")
            self.assertEqual(len(bottoms), self.count)
            self.assertLess(max(bottoms), 1800)

    def test_it_looks_as_it_did(self):
        self.looks_as_it_did("several", self.page, 1400, 1800)

    def test_no_text_of_a_chart_is_cut(self):
        cut = self.browser.evaluate("""(() => {
          for (const fold of document.querySelectorAll('details')) fold.open = true;
          for (const part of document.querySelectorAll('figure, .question')) part.style.contentVisibility = 'visible';
          return [...document.querySelectorAll('figure svg.chart')].flatMap(svg => {
            const all = svg.getBoundingClientRect();
            return [...svg.querySelectorAll('text')].filter(text => {
              const box = text.getBoundingClientRect();
              return all.width && (box.left < all.left - 1 || box.right > all.right + 1 || box.bottom > all.bottom + 1);
            }).map(text => text.textContent);
          });
        })()""")
        self.assertEqual(cut, [])

    def test_it_prints_on_few_sheets(self):
        pdf = base64.b64decode(self.browser.ask("Page.printToPDF")["data"])
        self.assertLessEqual(len(re.findall(rb"/Type\s*/Page\b", pdf)), 6)

    def test_no_page_is_wider_than_a_phone(self):
        with Chromium(390, 844) as phone:
            phone.open(self.page)
            self.assertEqual(phone.evaluate("document.documentElement.scrollWidth"), 390)


class ManyMachinesTest(InBrowser):
    """The page of `report` of many machines, and that of `fleet`."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        write_copies(os.environ["EXAMPLE"], 12, folder.name,
                     lambda i: ({"machine": f"node{i:02}"}, (1.4 if i == 7 else 1) * (1 + 0.001 * i)))
        cls.page, cls.fleet = (pathlib.Path(folder.name, name) for name in ("many.html", "fleet.html"))
        reports = sorted(pathlib.Path(folder.name).glob("*.csv"))
        for command, page in (("report", cls.page), ("fleet", cls.fleet)):
            done = subprocess.run([os.environ["BREAKEVEN"], command, *reports, "-o", page], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
            assert done.returncode in (0, 1), f"{command} ended with {done.returncode}"
        cls.start()

    def test_it_looks_as_it_did(self):
        self.looks_as_it_did("many", self.page, 1400, 900)

    def test_who_lies_outside_is_named_in_the_chart_and_told_by_the_keys(self):
        self.assertIn("node07", self.browser.evaluate("document.querySelector('figure.wide svg').textContent"))
        heard = self.browser.evaluate(f"({KEYS})(document.querySelector('figure.wide svg'), 'ArrowRight')")
        self.assertIn("node07: ×1.4", heard)

    def test_it_prints_on_few_sheets(self):
        pdf = base64.b64decode(self.browser.ask("Page.printToPDF")["data"])
        self.assertLessEqual(len(re.findall(rb"/Type\s*/Page\b", pdf)), 6)

    def test_arrow_keys_go_through_the_nodes_of_a_strip(self):
        self.browser.open(self.fleet)
        strip = "document.querySelector('.strips canvas')"
        self.assertIn("arrow keys", self.browser.evaluate(f"{strip}.getAttribute('aria-label')"))
        heard = self.browser.evaluate(f"({KEYS})({strip}, 'ArrowRight', 'ArrowRight')")
        self.assertTrue(heard.startswith("node01 ×"), heard)
        self.browser.evaluate(f"({KEYS})({strip}, ...Array(12).fill('ArrowRight'), 'Enter')")
        self.assertTrue(self.browser.evaluate("document.querySelector('#node h3').textContent").startswith("node07"))


class HistoryTest(InBrowser):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        write_copies(os.environ["EXAMPLE"], 3, folder.name, lambda i: (
            {"run_id": f"20260101T00000{i}Z-1-{i:04}", "utc": f"2026-01-0{i + 1}T00:00:00Z"}, 1 + 0.5 * i))
        cls.page = pathlib.Path(folder.name) / "history.html"
        done = subprocess.run([os.environ["BREAKEVEN"], "history", pathlib.Path(folder.name, "kept.db"), "--import", folder.name,
                               "-o", cls.page], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        assert done.returncode in (0, 1), f"history ended with {done.returncode}"
        cls.start()

    def test_arrow_keys_go_through_the_runs_of_a_case(self):
        chart = "document.querySelector('figure.chart svg')"
        first = self.browser.evaluate(f"({KEYS})({chart}, 'ArrowRight')")
        self.assertIn("run 1", first)
        self.assertIn("2026-01-01", first)
        self.assertIn("2026-01-02", self.browser.evaluate(f"({KEYS})({chart}, 'ArrowRight')"))

    def test_no_page_is_wider_than_a_phone(self):
        with Chromium(390, 844) as phone:
            phone.open(self.page)
            self.assertEqual(phone.evaluate("document.documentElement.scrollWidth"), 390)


class LongPageTest(InBrowser):
    """A page of so many rows that most of them come after it has opened."""

    COUNT = 1200

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        report, cls.page = (pathlib.Path(folder.name, name) for name in ("rows.csv", "rows.html"))
        write_rows(os.environ["EXAMPLE"], cls.COUNT, report)
        subprocess.run([os.environ["BREAKEVEN"], "report", report, "-o", cls.page], check=True)
        cls.ids = re.findall(r'<tr id="([^"]+)"', cls.page.read_text(encoding="utf-8"))
        cls.start()

    def test_all_rows_come(self):
        ids = self.browser.evaluate(f"""(async () => {{
          while ({SHOWN}.length < {self.COUNT}) await new Promise(done => setTimeout(done, 10));
          return {SHOWN}.map(row => row.id);
        }})()""")
        self.assertEqual(ids, self.ids)

    def test_filter_and_order_are_of_all_rows(self):
        self.assertEqual(len(self.browser.evaluate(filter_by(""))), self.COUNT)
        self.browser.open(self.page)
        self.assertEqual(len(self.browser.evaluate(sort_by("Median"))), self.COUNT)

    def test_a_link_finds_a_row_that_has_not_come_yet(self):
        self.browser.evaluate(f"location.hash = '{self.ids[-1]}'")
        self.browser.evaluate("new Promise(done => setTimeout(done, 500))")
        self.assertEqual(self.browser.evaluate("document.querySelector('tr:target').id"), self.ids[-1])
        self.assertTrue(self.browser.evaluate("document.querySelector('tr:target details').open"))

    def test_all_rows_stand_without_scripts(self):
        self.browser.scripts(False)
        self.browser.open(self.page)
        self.assertEqual(self.browser.evaluate("[...document.querySelectorAll('.rows tbody tr')].map(row => row.id)"),
                         self.ids)


if __name__ == "__main__":
    unittest.main()
