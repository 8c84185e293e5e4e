#!/usr/bin/env python3
"""Runs commands side by side, in turns, so that a disturbance of the machine hits all alike.

Usage: bench/turns.py [--repeat=N] [--value=NAME] [--out=FILE] NAME=COMMAND NAME=COMMAND ...
  bench/turns.py serial="bazel-bin/bench/pool_serial uts --tree=T1" sws="bazel-bin/bench/pool_sws uts --tree=T1"
  bench/turns.py --value=result.last_start_us glb="bazel-bin/bench/pool_glb cancel_any"

Run from the repository root, on a machine that does nothing else. The commands
are programs of bench/; --json is added to them. Prints, as a table for a
document, the median of the field of their output that --value names (default:
seconds), with the least and the most, and two ratios to the first command: the
ratio of the medians, and the median of the ratios within each turn, with the
middle half of these. Every second turn goes through the commands backwards.
Exits with status 1 when a run fails, 2 for bad flags.
"""

import argparse
import functools
import json
import shlex
import statistics
import sys

import compare

HEAD = ["", "%s: median", "least", "most", "to the first: medians", "median of turns", "middle half"]


def parse(arguments):
    parser = compare.Parser(prog="turns", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=15, help="turns (default 15)")
    parser.add_argument("--value", default="seconds",
                        help="field of the output, also metrics.NAME, result.NAME (default seconds)")
    parser.add_argument("--out", metavar="FILE", help="file for all values, as JSON")
    parser.add_argument("commands", nargs="+", metavar="NAME=COMMAND")
    options = parser.parse_args(arguments)
    if options.repeat < 1:
        parser.error("--repeat=%d: must be at least 1" % options.repeat)
    named = {}
    for text in options.commands:
        name, equals, command = text.partition("=")
        if not equals or not command.strip() or name in named:
            parser.error("%s: must be NAME=COMMAND, with another name for each" % text)
        named[name] = shlex.split(command) + ["--json"]
    options.commands = named
    return options


def value_of(report, path):
    found = functools.reduce(lambda part, name: part.get(name) if isinstance(part, dict) else None,
                             path.split("."), report)
    if not isinstance(found, (int, float)):
        print("turns: --value=%s: no number of that name in what a command prints" % path, file=sys.stderr)
        sys.exit(2)
    return found


def measure(options):
    """Returns the values of each command, turn by turn."""
    values = {name: [] for name in options.commands}
    for turn in range(options.repeat):
        names = list(values) if turn % 2 == 0 else list(reversed(values))
        for name in names:
            compare.progress("turn %d of %d: %s ..." % (turn + 1, options.repeat, name))
            values[name].append(value_of(compare.run(options.commands[name]), options.value))
    compare.progress("")
    return values


def middle_half(values):
    if len(values) == 1:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def rows(values):
    first = next(iter(values.values()))
    for name, own in values.items():
        row = [name] + ["%.4g" % f(own) for f in (statistics.median, min, max)]
        if all(first):
            ratios = [value / other for value, other in zip(own, first)]
            row += ["%.3f" % (statistics.median(own) / statistics.median(first)), "%.3f" % statistics.median(ratios),
                    "%.3f to %.3f" % middle_half(ratios)]
        else:
            row += ["", "", ""]
        yield row


def print_row(cells):
    print("| " + " | ".join(cells) + " |")


def main(arguments):
    options = parse(arguments)
    values = measure(options)
    print_row([cell % options.value if "%s" in cell else cell for cell in HEAD])
    print("|" + "---|" * len(HEAD))
    for row in rows(values):
        print_row(row)
    if options.out:
        with open(options.out, "w") as out:
            json.dump({"command": shlex.join(["bench/turns.py"] + arguments), "machine": compare.machine(),
                       "value": options.value, "values": values}, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
