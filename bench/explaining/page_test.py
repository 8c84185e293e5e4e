#!/usr/bin/env python3
"""The page of bench/explain, looked at in a browser: a reader steps through an event by keys."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "tools")]
import browser
import jumps
import sources
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

BINARIES = os.path.join(os.getcwd(), "bench")
# Edges of all texts of the chart, as the browser has drawn them.
BOXES = """return [...document.querySelectorAll("#chart text")].filter(each => each.textContent).map(each => {
    const box = each.getBoundingClientRect();
    return [box.left, box.right, box.top + 3, box.bottom - 3, each.textContent];
  });"""


class Page:
    def __init__(self, opened):
        self.opened = opened

    def press(self, *keys):
        ActionChains(self.opened).send_keys(*keys).perform()

    def text(self, name):
        return self.opened.find_element(By.ID, name).text

    def words(self):
        """{(rank, word): (value before, value after)}."""
        rows = self.opened.find_elements(By.CSS_SELECTOR, "#words tr")
        cells = [[cell.text for cell in row.find_elements(By.TAG_NAME, "td")] for row in rows]
        return {(int(rank), name): (before, after) for rank, name, before, after in cells}

    def step_to(self, sentence):
        """Goes forward until the sentence begins so; returns the number of steps that there are then."""
        for steps in range(100):
            if self.text("sentence").startswith(sentence):
                return steps
            self.press(Keys.ARROW_RIGHT)
        raise AssertionError("no step is: " + sentence)

    def line(self):
        """(file and line, the text of that line) of the source that is shown."""
        place = self.opened.find_element(By.CSS_SELECTOR, "#source code").text
        return place, self.opened.find_element(By.CSS_SELECTOR, "#source .here").text


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "join.html")
        subprocess.run([sys.executable, ROOT / "bench/explain", "join", "--runtime=cont_greedy", "--html=" + cls.path,
                        "--binaries=" + BINARIES], cwd=ROOT, check=True)
        cls.context = browser.opened(cls.path)
        cls.page = Page(cls.context.__enter__())

    @classmethod
    def tearDownClass(cls):
        cls.context.__exit__(None, None, None)
        cls.folder.cleanup()

    def setUp(self):
        self.page.press("2")

    def test_keys_step_forward_and_back(self):
        page = self.page
        self.assertTrue(page.text("where").startswith("step 1 of "))
        page.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertTrue(page.text("where").startswith("step 3 of "))
        page.press(Keys.ARROW_LEFT)
        self.assertTrue(page.text("where").startswith("step 2 of "))
        page.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT, Keys.ARROW_LEFT)
        self.assertTrue(page.text("where").startswith("step 1 of "))
        page.press(Keys.END)
        self.assertEqual(len(page.opened.find_elements(By.CSS_SELECTOR, "#chart .later")), 0)
        page.press(Keys.HOME)
        now = page.opened.find_elements(By.CSS_SELECTOR, "#chart .now")
        self.assertEqual([each.get_attribute("data-moment") for each in now], ["0"])

    def test_values_change_where_the_operation_takes_effect(self):
        page = self.page
        page.step_to("Rank 1 issues fetch_add state + joined")
        self.assertEqual(page.words()[0, "state"], ("task 1 runs", "task 1 runs"))
        page.press(Keys.ARROW_RIGHT)
        self.assertEqual(page.words()[0, "state"], ("task 1 runs", "task 1 done"))
        page.press(Keys.ARROW_RIGHT)
        self.assertEqual(page.words()[0, "state"], ("task 1 done", "task 1 done, joined"))
        page.press(Keys.ARROW_LEFT)
        self.assertEqual(page.words()[0, "state"], ("task 1 runs", "task 1 done"))

    def test_each_outcome(self):
        last = {}
        for key, name in (("1", "joiner first"), ("2", "joiner last"), ("3", "done")):
            self.page.press(key)
            pressed = self.page.opened.find_elements(By.CSS_SELECTOR, "#outcomes [aria-pressed=true]")
            self.assertEqual([each.text for each in pressed], ["%s %s" % (key, name)])
            self.page.press(Keys.END)
            last[name] = self.page.words()[0, "state"][1]
        self.assertEqual(last, {"joiner first": "task 1 done, joined", "joiner last": "task 1 done, joined",
                                "done": "task 1 done"})

    def test_lines_of_the_source(self):
        for sentence, path, code in [
                ("Rank 1 issues put joiner", "impl/greedy_join/greedy_join.h:", "rma::put(joiner_of("),
                ("Rank 1 flushes", "impl/greedy_join/greedy_join.h:", "rma::flush("),
                ("Rank 1 issues fetch_add state", "impl/greedy_join/greedy_join.h:", "rma::fetch_add("),
                # A jump at the end of a function.
                ("Rank 1 issues fetch_add freed", "impl/greedy_join/local_collection.h:", "rma::fetch_add_nb(")]:
            with self.subTest(sentence=sentence):
                self.page.step_to(sentence)
                place, line = self.page.line()
                self.assertTrue(place.startswith(path), place)
                self.assertIn(code, line)
                file, number = place.split(":")
                self.assertIn(code, (ROOT / file).read_text().splitlines()[int(number) - 1])

    def test_no_fault_at_any_width(self):
        for key in "123":
            for end in (Keys.HOME, Keys.END):
                with self.subTest(outcome=key, end=end):
                    self.page.press(key, end)
                    self.assertEqual(browser.faults(self.page.opened), [])

    def test_no_label_meets_another(self):
        for key in "123":
            self.page.press(key)
            boxes = self.page.opened.execute_script(BOXES)
            self.assertGreater(len(boxes), 20)
            self.assertEqual([(a[4], b[4]) for i, a in enumerate(boxes) for b in boxes[:i]
                              if a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]], [])

    def test_nothing_is_fetched(self):
        text = pathlib.Path(self.path).read_text()
        for words in ("src=", "href=", "@import", "url("):
            self.assertNotIn(words, text)

    def test_without_lines(self):
        path = os.path.join(self.folder.name, "steal.html")
        subprocess.run(["strip", "--strip-debug", "-o", os.path.join(self.folder.name, "pool_sws_sim"),
                        os.path.join(BINARIES, "pool_sws_sim")], check=True)
        subprocess.run([sys.executable, ROOT / "bench/explain", "steal", "--runtime=pool_sws", "--html=" + path,
                        "--binaries=" + self.folder.name], cwd=ROOT, check=True)
        with browser.opened(path) as opened:
            self.assertEqual(browser.faults(opened), [])
            self.assertEqual(opened.find_element(By.ID, "source").text,
                             "the runtime has no line numbers: compile it with -g1")
            self.assertFalse(opened.find_element(By.ID, "outcomes").is_displayed())


class SourcesTest(unittest.TestCase):
    def test_frames(self):
        self.assertEqual(sources.frame_of("/proc/self/cwd/impl/a/b.h:12 (discriminator 3)"), ("impl/a/b.h", 12))
        self.assertEqual(sources.frame_of("./common/c.cc:7"), ("common/c.cc", 7))
        for outside in ("??:0", "??:?", "/usr/include/x.h:3"):
            self.assertIsNone(sources.frame_of(outside))

    def test_jumps(self):
        found = jumps.Jumps("\n".join([
            "0000000000000010 <main>:", "  10:\tcall   20 <free>",
            "  15:\tcall   60 <_ZN3rma7backend3getEv>", "  1a:\tret",
            "0000000000000020 <free>:", "  20:\tje     28 <free+0x8>", "  22:\tjmp    40 <mark>",
            "  28:\tjmp    50 <_ZN3rma7backend3putEv>",
            "0000000000000040 <mark>:", "  40:\tjmp    70 <_ZN3rma7backend12fetch_add_nbEv>"]))
        self.assertEqual(found.before(0x15, ["fetch_add_nb"]), [0x40, 0x22])
        self.assertEqual(found.before(0x15, ["put", "put_nb"]), [0x28])
        self.assertEqual(found.before(0x15, ["swap"]), [])
        self.assertEqual(found.before(0x1a, ["get"]), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
