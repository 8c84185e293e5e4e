"""Tests browser.py on pages with and without faults."""

import pathlib
import tempfile
import unittest

import browser

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width"></head><body>%s</body></html>"""

# Wider than each window.
LONG = "x" * 300
PAGE_OVERFLOWS = "320 pixels wide: the page overflows to [0-9]{4}"
CUTS_OFF = "\n(.*\n)*".join("%d pixels wide: DIV cuts cuts off [0-9]+ pixels" % width for width in browser.WIDTHS)
# Bodies of pages, and what is said of them, from its beginning on; None: nothing.
CASES = [
    ("<p>Words.</p><div style='overflow-x: auto'><pre>%s</pre></div>" % ("x" * 999), None),
    ("<p style='overflow-wrap: anywhere'>%s</p>" % LONG, None),
    ("<div class='wide' style='width: 900px'>.</div>", "\n".join(
        "%d pixels wide: DIV wide overflows to 908\n%d pixels wide: the page overflows to 908" % (width, width)
        for width in (320, 360, 768)) + "$"),
    (LONG, "320 pixels wide: BODY overflows to [0-9]{4}"),
    *(("<%s>%s</%s>" % (tag, LONG, tag),
       "320 pixels wide: %s overflows to [0-9]{4}\n%s\n(.*\n)*1400 pixels wide" % (tag.upper(), PAGE_OVERFLOWS))
      for tag in ("p", "pre")),
    ("<style>p::before { content: '%s' }</style><p></p>" % LONG, PAGE_OVERFLOWS),
    # A box that scrolls, and is itself too wide.
    ("<div style='overflow-x: auto; width: 900px'>.</div>", ".*DIV overflows to 908"),
    *(("<div class='cuts' style='overflow-x: %s'>%s</div>" % (hides, content), "(.*\n)*" + CUTS_OFF)
      for hides in ("hidden", "clip")
      for content in ("<p>%s</p>" % LONG, LONG, "<div style='width: 3000px'>.</div>")),
    # The content is narrower than the window, and wider than its box.
    ("<div style='width: 100px; overflow: hidden'><div style='width: 120px'>.</div></div>",
     "320 pixels wide: DIV cuts off 20 pixels"),
    ("<style>body { overflow-x: hidden }</style><p>%s</p>" % LONG, ".*BODY cuts off"),
    ("<script>console.error('oh')</script>", ".*oh"),
    ("<script>there.is.none()</script>", ".*there"),
    ("<img src='https://elsewhere.example/a.png'>", ".*elsewhere"),
]


class BrowserTest(unittest.TestCase):
    def test_faults(self):
        with tempfile.NamedTemporaryFile("w", suffix=".html") as page, browser.opened(page.name) as opened:
            for body, faults in CASES:
                with self.subTest(body=body[:60]):
                    pathlib.Path(page.name).write_text(PAGE % body)
                    opened.refresh()
                    found = "\n".join(browser.faults(opened))
                    if faults is None:
                        self.assertEqual(found, "")
                    else:
                        self.assertRegex(found, r"\A" + faults)
