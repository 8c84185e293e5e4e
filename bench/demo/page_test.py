"""Looks at a report of made-up runs in a real browser."""

import unittest

import browser
import main
import testing
from program_checks import folder_of, run_main

# What is cut or too small to be read in plots, in pixels.
PLOTS = """
    return [...document.querySelectorAll("figure")].flatMap(figure => {
      const all = figure.querySelector("svg").getBoundingClientRect(), found = [];
      if (all.right > document.documentElement.clientWidth || figure.scrollWidth > figure.clientWidth + 1)
        found.push("a plot is cut: " + figure.querySelector("svg").ariaLabel);
      for (const text of figure.querySelectorAll("text")) {
        const box = text.getBoundingClientRect();
        if (box.left < all.left - 1 || box.right > all.right + 1 || box.top < all.top - 1 || box.bottom > all.bottom + 1)
          found.push("cut: " + text.textContent);
        if (Math.min(box.width, box.height) < 8 && text.textContent.length > 2) found.push("small: " + text.textContent);
      }
      return found;
    });
"""


class PageTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        with testing.made_up_runs():
            status, output, errors = run_main(main.main, "--out=%s" % folder_of(cls), "--ranks=2,4")
        assert status == 0, errors
        cls.page = output.splitlines()[-1].partition("Report: ")[2]

    def test_nothing_overflows_and_the_console_is_silent(self):
        with browser.opened(self.page) as page:
            self.assertEqual(browser.faults(page), [])
            for width in (390, 1280):
                self.assertEqual(browser.faults(page, [width]) + page.execute_script(PLOTS), [], width)

    def test_it_needs_no_other_file(self):
        with open(self.page) as file:
            text = file.read()
        for outside in ('src="', "url(http", "@import", '<link rel="stylesheet"'):
            self.assertNotIn(outside, text)
