"""The page of bench/explain, looked at in a browser: a reader steps through an event by keys."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

import jumps
import listings
import scenarios
import sources
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from program_checks import folder_of, over
import browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = os.path.join(os.getcwd(), "bench")
# What would have to scroll.
WITHOUT_ROOM = """return [...document.querySelectorAll("#chart, pre, pre .line")].filter(
    each => each.scrollWidth > each.clientWidth + 1).map(each => each.outerHTML.slice(0, 80));"""


def write_page(path, binaries, event, runtime):
    subprocess.run([sys.executable, ROOT / "bench/explain", event, "--runtime=" + runtime, "--html=%s" % path,
                    "--binaries=%s" % binaries], cwd=ROOT, check=True)


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

    def here(self, box):
        return [each.text for each in self.opened.find_elements(By.CSS_SELECTOR, "#%s .here" % box)]


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = folder_of(cls)
        cls.path = cls.folder / "join.html"
        write_page(cls.path, BINARIES, "join", "cont_greedy")
        context = browser.opened(cls.path)
        cls.page = Page(context.__enter__())
        cls.addClassCleanup(context.__exit__, None, None, None)

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
        [now] = page.opened.find_elements(By.CSS_SELECTOR, "#chart .now")
        self.assertIn("at %s us" % now.text.split()[0], page.text("where"))

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

    @over("sentence, paths, first, last", [
                ("Rank 1 issues put joiner", ["greedy_join"], "rma::put(joiner_of(", "// line 45"),
                ("Rank 1 flushes", ["greedy_join"], "rma::flush(", ";"),
                ("Rank 1 issues fetch_add state", ["greedy_join"] * 2, "const uint64_t state =", "rma::fetch_add("),
                # A jump at the end of a function.
                ("Rank 1 issues fetch_add freed", ["greedy_join"] + ["task_entries"] * 3 + ["cells"] * 2,
                 "take_result(thread, consumer, result,", "rma::fetch_add_nb(")])
    def test_lines_of_the_source(self, sentence, paths, first, last):
        """Who calls whom, down to the operation, each statement whole. Which callers are inlined, and so are there, is the
        compiler's choice."""
        self.page.step_to(sentence)
        places = [each.text for each in self.page.opened.find_elements(By.CSS_SELECTOR, "#source code")]
        names = [re.sub(r".*/|\.h:\d+", "", place) for place in places]
        self.assertEqual(names[-len(paths):], paths)
        lines = self.page.here("source")
        self.assertIn(first, lines[0] if len(names) == len(paths) else " ".join(lines))
        self.assertIn(last, lines[-1])
        file, number = places[-1].split(":")
        code = (ROOT / file).read_text().splitlines()[int(number) - 1]
        self.assertIn(" ".join(code.split()), " ".join(lines))

    def test_the_papers_lines_stand_beside(self):
        heads = [each.text for each in self.page.opened.find_elements(By.CSS_SELECTOR, "#listings h2")]
        self.assertEqual(heads[0], "cluster22 Fig. 4 in our words: greedy join")
        for key, sentence, lines in [("2", "Rank 0 issues fetch_add state", ["33"]), ("2", "Rank 1 issues put", ["45"]),
                                     ("2", "Rank 1 issues get result", ["51", "52"]), ("4", "Rank 1 issues put", ["27"])]:
            self.page.press(key)
            self.page.step_to(sentence)
            self.assertEqual([line.split()[0] for line in self.page.here("listings")], lines)
            box = self.page.opened.find_element(By.ID, "listings").rect
            mark = self.page.opened.find_element(By.CSS_SELECTOR, "#listings .here").rect
            self.assertTrue(box["y"] <= mark["y"] <= box["y"] + box["height"], (box, mark))

    @over("key", "1234")
    @over("end", (Keys.HOME, Keys.END))
    @over("width", (320, 360, 390, 768, 1280))
    def test_nothing_is_cut_at_any_width(self, key, end, width):
        """The chart, scaled, and code have room, without boxes that scroll."""
        self.page.press(key, end)
        self.assertEqual(browser.faults(self.page.opened, [width]), [])
        self.assertEqual(self.page.opened.execute_script(WITHOUT_ROOM), [])

    def test_nothing_is_fetched(self):
        text = self.path.read_text()
        for words in ("src=", "href=", "@import", "url("):
            self.assertNotIn(words, text)

    def test_without_lines(self):
        path = self.folder / "steal.html"
        subprocess.run(["strip", "--strip-debug", "-o", self.folder / "pool_sws_sim",
                        os.path.join(BINARIES, "pool_sws_sim")], check=True)
        write_page(path, self.folder, "steal", "pool_sws")
        with browser.opened(path) as opened:
            self.assertEqual(browser.faults(opened), [])
            self.assertEqual(opened.find_element(By.ID, "source").text,
                             "the runtime has no line numbers: compile it with -g1")
            self.assertFalse(opened.find_element(By.ID, "outcomes").is_displayed())


class SourcesTest(unittest.TestCase):
    def test_frames(self):
        """Of this tree, of this one as another one's repository, and of the program's own."""
        mine = folder_of(self) / "mine.cc"
        mine.write_text("int two() {\n  return\n      1 + 1;  // (2)\n}\n")
        found = sources.Sources(str(mine.parent / "bazel-bin/mine_sim"))
        for line, frame in [("/proc/self/cwd/impl/a/b.h:12 (discriminator 3)", ("impl/a/b.h", 12)),
                            ("./common/c.cc:7", ("common/c.cc", 7)),
                            ("external/magpie+/impl/a/b.h:12", ("impl/a/b.h", 12)),
                            ("%s:3" % mine, ("mine.cc", 3)),
                            ("??:0", None), ("??:?", None), ("/usr/include/x.h:3", None)]:
            self.assertEqual(found.frame_of(line), frame)
        self.assertEqual(sources.statement(found.lines_of("mine.cc"), 3), (2, 3))
        self.assertIn("cluster22", "".join(found.lines_of("impl/greedy_join/greedy_join.h")))
        self.assertEqual(found.lines_of("impl/none.h"), [])

    def test_listings_have_the_lines_that_comments_name(self):
        self.assertEqual(listings.numbers("38-40 and 42"), {"38", "39", "40", "42"})
        named = 0
        for path in ROOT.glob("impl/*/*.h"):
            name = str(path.relative_to(ROOT))
            mine = [each for each in listings.LISTINGS.values() if name in each["files"]]
            for code, _, comment in (line.partition("//") for line in path.read_text().splitlines()):
                for match in listings.CITED.finditer(comment) if code.strip() else ():
                    cited = match[match.lastindex]
                    lines = [listings.numbers(each.get("steps", {}).get(cited, cited)) - each["lines"].keys()
                             for each in mine]
                    self.assertIn(set(), lines, "%s: %s" % (name, comment))
                    named += 1
        self.assertGreater(named, 40)
        shown = {(event, runtime) for each in listings.LISTINGS.values()
                 for event, runtimes in each["beside"].items() for runtime in runtimes}
        self.assertEqual(shown - {(each.event, each.runtime) for each in scenarios.SCENARIOS}, set())

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
