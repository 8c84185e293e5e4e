"""Finds rules of Bazel's that a file uses and does not load: Bazel 9 has none of them built in."""

import re

CALL = re.compile(r"^ *(native\.)?((?:cc|sh)_(?:binary|library|test|toolchain))\(", re.MULTILINE)
LOAD = re.compile(r"\bload\(([^)]*)\)")


def not_loaded(text):
    loaded = " ".join(LOAD.findall(text))
    return sorted({rule for native, rule in CALL.findall(text) if native or '"%s"' % rule not in loaded})
