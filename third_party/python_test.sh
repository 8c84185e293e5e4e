#!/bin/bash
# Runs a test written in Python with the system's python3, since rules_python
# would come from the network. Debian's Python packages are for /usr/bin/python3,
# which need not be the first python3 in PATH.
python=/usr/bin/python3
[[ -x $python ]] || python=python3
PYTHONDONTWRITEBYTECODE=1 exec "$python" "$@"
