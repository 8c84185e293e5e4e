#!/bin/bash
# Runs what a file in Python has, with the arguments behind it: its main(), or
# else its tests. It finds modules in its folder, in those above it, and in the
# folders of what many tests share.
#
# With the system's python3, since rules_python would come from the network;
# Debian's Python packages are for /usr/bin/python3, which need not be the first
# python3 in PATH.
python=/usr/bin/python3
[[ -x $python ]] || python=python3
PYTHONDONTWRITEBYTECODE=1 exec "$python" -c '
import importlib, pathlib, sys, unittest

del sys.argv[0]
path = pathlib.Path(sys.argv[0])
folders = list(path.resolve().parents)[:len(path.parts)]
sys.path[:1] = map(str, [*folders, *(folders[-1] / shared for shared in ("bench", "tests/house", "tools"))])
module = importlib.import_module(path.stem)
main = getattr(module, "main", None)
if callable(main) and main.__module__ == module.__name__:
    sys.exit(main(*sys.argv[1:]))
result = unittest.main(module, verbosity=2, exit=False).result
if not result.testsRun and not result.skipped:
    sys.exit("no test was run")
sys.exit(not result.wasSuccessful())
' "$@"
