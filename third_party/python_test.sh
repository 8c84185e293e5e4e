#!/bin/bash
# Runs a test written in Python with the machine's python3, since rules_python
# would come from the network.
PYTHONDONTWRITEBYTECODE=1 exec python3 "$@"
