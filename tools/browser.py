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

# Widths of windows, in pixels: a phone, a tablet, a desk.
WIDTHS = (360, 768, 1400)
# Elements that reach beyond the right edge of the window and do not lie in a box that scrolls.
OVERFLOWS = """
    const beyond = [];
    const scrolls = element => {
      for (let at = element; at && at !== document.body; at = at.parentElement)
        if (["auto", "scroll", "hidden"].includes(getComputedStyle(at).overflowX)) return true;
      return false;
    };
    for (const element of document.body.querySelectorAll("*")) {
      if (element.ownerSVGElement) continue;
      const box = element.getBoundingClientRect();
      if (box.width > 0 && box.right > document.documentElement.clientWidth + 1 && !scrolls(element))
        beyond.push(element.tagName + " " + element.className + " to " + Math.round(box.right));
    }
    return beyond;
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
    """Says what is wrong with the open page: nothing may overflow in a window of any of these widths, and
    nothing be said in the console."""
    found = []
    for width in widths:
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
        found += ["%d pixels wide: %s overflows" % (width, each) for each in browser.execute_script(OVERFLOWS)]
    return found + ["console: " + entry["message"] for entry in browser.get_log("browser")]
