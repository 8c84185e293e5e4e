"""Tests browser.py on pages with and without faults."""

import pathlib
import tempfile
import unittest

import browser

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width"></head><body>%s</body></html>"""

# Wider than each window.
LONG = "x" * 300


class BrowserTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.page = tempfile.NamedTemporaryFile("w", suffix=".html")
        cls.addClassCleanup(cls.page.close)
        opened = browser.opened(cls.page.name)
        cls.browser = opened.__enter__()
        cls.addClassCleanup(opened.__exit__, None, None, None)

    def faults(self, body):
        pathlib.Path(self.page.name).write_text(PAGE % body)
        self.browser.refresh()
        return browser.faults(self.browser)

    def test_a_page_without_faults(self):
        self.assertEqual(self.faults("<p>Words.</p><div style='overflow-x: auto'><pre>%s</pre></div>" % ("x" * 999)), [])

    def test_what_overflows_is_named_at_each_width_where_it_does(self):
        found = self.faults("<div class='wide' style='width: 900px'>.</div>")
        self.assertEqual([fault.split(": ") for fault in found], [
            ["320 pixels wide", "DIV wide overflows to 908"], ["320 pixels wide", "the page overflows to 908"],
            ["360 pixels wide", "DIV wide overflows to 908"], ["360 pixels wide", "the page overflows to 908"],
            ["768 pixels wide", "DIV wide overflows to 908"], ["768 pixels wide", "the page overflows to 908"]])

    def test_text_that_is_wider_than_its_element(self):
        for tag in ("p", "pre"):
            with self.subTest(tag=tag):
                found = self.faults("<%s>%s</%s>" % (tag, LONG, tag))
                self.assertRegex(found[0], "^320 pixels wide: %s overflows to [0-9]{4}" % tag.upper())
                self.assertRegex(found[1], "^320 pixels wide: the page overflows to [0-9]{4}")
                self.assertIn("1400 pixels wide", found[-1])
        self.assertRegex(self.faults(LONG)[0], "^320 pixels wide: BODY overflows to [0-9]{4}")
        self.assertEqual(self.faults("<p style='overflow-wrap: anywhere'>%s</p>" % LONG), [])

    def test_a_page_that_no_element_widens(self):
        self.assertRegex(self.faults("<style>p::before { content: '%s' }</style><p></p>" % LONG)[0],
                         "^320 pixels wide: the page overflows to [0-9]{4}")

    def test_a_box_that_scrolls_but_is_itself_too_wide(self):
        self.assertIn("DIV overflows to 908", self.faults("<div style='overflow-x: auto; width: 900px'>.</div>")[0])

    def test_what_is_cut_off(self):
        for hides in ("hidden", "clip"):
            for content in ("<p>%s</p>" % LONG, LONG, "<div style='width: 3000px'>.</div>"):
                with self.subTest(hides=hides, content=content[:9]):
                    found = " ".join(self.faults("<div class='cuts' style='overflow-x: %s'>%s</div>" % (hides, content)))
                    for width in browser.WIDTHS:
                        self.assertRegex(found, "%d pixels wide: DIV cuts cuts off [0-9]+ pixels" % width)
        # The content is narrower than the window, and wider than its box.
        found = self.faults("<div style='width: 100px; overflow: hidden'><div style='width: 120px'>.</div></div>")
        self.assertEqual(found[0], "320 pixels wide: DIV cuts off 20 pixels")
        self.assertIn("BODY cuts off", self.faults("<style>body { overflow-x: hidden }</style><p>%s</p>" % LONG)[0])

    def test_what_the_console_says_and_what_is_not_in_the_page(self):
        self.assertIn("oh", self.faults("<script>console.error('oh')</script>")[0])
        self.assertIn("there", self.faults("<script>there.is.none()</script>")[0])
        self.assertIn("elsewhere", self.faults("<img src='https://elsewhere.example/a.png'>")[0])
