#!/usr/bin/env python3
"""Measures the runtimes, on this machine or on simulated ones.

  bench/measure.py turns serial="bazel-bin/bench/serial uts" two="bazel-bin/bench/cont_greedy uts --ranks=2"
  bench/measure.py scaling --net=ito_a --ranks=36,144 --out=bench/results/mine.json
  bench/measure.py scaling --help

Run from the repository root, after `bazel build` of the programs: of bench/*_sim
for simulated machines. Tables are Markdown. Times of simulated machines are the
same in every run and on every computer; a real machine should do nothing else.
Exits with status 1 when a run fails, 2 for bad flags.
"""

import inspect
import shlex
import sys

from measuring import shared
from measuring import real, scaling  # the order of the help


def parser():
    of_all = shared.Parser(prog="measure.py", description=__doc__)
    subparsers = of_all.add_subparsers(metavar="SUBCOMMAND FLAGS", required=True)
    for name, (function, arguments) in shared.SUBCOMMANDS.items():
        text = inspect.getdoc(function)
        one = subparsers.add_parser(name, help=text.splitlines()[0], description=text)
        for argument, settings in arguments:
            one.add_argument(argument, **settings)
        one.set_defaults(function=function, refuse=one.error)
    return of_all


def main(arguments):
    options = parser().parse_args(arguments)
    options.command_line = shlex.join(["bench/measure.py"] + arguments)
    return options.function(options)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
