#!/usr/bin/env python3
"""Tests browser.py on pages with and without faults."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import browser

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width"></head><body>%s</body></html>"""


class BrowserTest(unittest.TestCase):

    def faults(self, body):
        with tempfile.NamedTemporaryFile("w", suffix=".html") as page:
            page.write(PAGE % body)
            page.flush()
            with browser.opened(page.name) as open_page:
                return browser.faults(open_page)

    def test_a_page_without_faults(self):
        self.assertEqual(self.faults("<p>Words.</p><div style='overflow-x: auto'><pre>%s</pre></div>" % ("x" * 999)), [])

    def test_what_overflows_is_named_at_each_width_where_it_does(self):
        found = self.faults("<div class='wide' style='width: 900px'>.</div>")
        self.assertEqual([fault.split(":")[0] for fault in found], ["360 pixels wide", "768 pixels wide"])
        self.assertIn("DIV wide", found[0])

    def test_what_the_console_says_and_what_is_not_in_the_page(self):
        self.assertIn("oh", self.faults("<script>console.error('oh')</script>")[0])
        self.assertIn("there", self.faults("<script>there.is.none()</script>")[0])
        self.assertIn("elsewhere", self.faults("<img src='https://elsewhere.example/a.png'>")[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
