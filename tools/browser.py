"""Opens pages in a real browser, Chromium without a screen: for tests.

Needs the Debian packages chromium, chromium-driver and python3-selenium, which
`third_party/setup.sh thorough` installs.
"""

import contextlib
import pathlib
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

# Widths of windows, in pixels: a small phone, a phone, a tablet, a desk.
WIDTHS = (320, 360, 768, 1400)
# What is not seen, or seen only by moving the page: boxes and text that reach beyond the right edge of the window and do
# not lie in a box that scrolls; content that its box cuts off; and a page that is wider than the window, whatever makes
# it so.
OVERFLOWS = """
    const found = [], edge = document.documentElement.clientWidth + 1;
    const scrolls = element => {
      for (let at = element; at && at !== document.body; at = at.parentElement)
        if (["auto", "scroll"].includes(getComputedStyle(at).overflowX)) return true;
      return false;
    };
    const rightOf = boxes => Math.max(0, ...[...boxes].filter(box => box.width > 0).map(box => box.right));
    // A word that is too long does not widen the box of its element.
    const textOf = element => [...element.childNodes].filter(node => node.nodeType === Node.TEXT_NODE).flatMap(node => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return [...range.getClientRects()];
    });
    for (const element of [document.body, ...document.body.querySelectorAll("*")]) {
      if (element.ownerSVGElement) continue;
      const name = (element.tagName + " " + element.className).trim();
      const to = Math.max(scrolls(element.parentElement) ? 0 : rightOf(element.getClientRects()),
                          scrolls(element) ? 0 : rightOf(textOf(element)));
      if (to > edge) found.push(name + " overflows to " + Math.round(to));
      if (element instanceof HTMLElement && element.scrollWidth > element.clientWidth + 1 &&
          ["hidden", "clip"].includes(getComputedStyle(element).overflowX))
        found.push(name + " cuts off " + (element.scrollWidth - element.clientWidth) + " pixels");
    }
    const page = document.documentElement;
    if (page.scrollWidth > page.clientWidth) found.push("the page overflows to " + page.scrollWidth);
    return found;
"""


@contextlib.contextmanager
def opened(page):
    """Returns the browser, with the file `page` open; no other address can be reached from it."""
    with tempfile.TemporaryDirectory() as profile:
        options = Options()
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--force-device-scale-factor=1", "--host-resolver-rules=MAP * ~NOTFOUND",
                     "--user-data-dir=" + profile):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        try:
            browser.get(pathlib.Path(page).resolve().as_uri())
            yield browser
        finally:
            browser.quit()


def faults(browser, widths=WIDTHS):
    """Says what is wrong with the open page: nothing may overflow or be cut off in a window of any of these widths,
    and nothing be said in the console."""
    found = []
    for width in widths:
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
        found += ["%d pixels wide: %s" % (width, each) for each in browser.execute_script(OVERFLOWS)]
    return found + ["console: " + entry["message"] for entry in browser.get_log("browser")]
