#!/usr/bin/env python3
"""The matrix of programs, runtimes, networks and numbers of ranks: prints what runs where.

    tests/matrix/matrix.py --markdown     # the picture in tests/README.md, from tests/matrix/table.bzl

The runs themselves are tests: bazel test //tests/matrix/...
"""

import argparse
import pathlib
import sys
import textwrap

NAMES = {"shm": "shm", "sim": "sim", "mpi": "Open MPI", "mpich": "MPICH"}
ALL, SOME, NONE = "●", "◐", "○"


def load():
    """The names that table.bzl defines."""
    table = {}
    path = pathlib.Path(__file__).resolve().parent / "table.bzl"
    exec(compile(path.read_text(), str(path), "exec"), table)
    return table


TABLE = load()
RANKS, RUNTIMES, NETWORKS, EXCEPTIONS = (TABLE[name] for name in ("RANKS", "RUNTIMES", "NETWORKS", "EXCEPTIONS"))


def programs_of(runtime):
    """{name: row} of the programs that the runtime can run."""
    return {name: row for kind in RUNTIMES[runtime]["kinds"] for name, row in TABLE["PROGRAMS"][kind].items()}


def exceptions_to(runtime, program, network, ranks):
    """Positions in EXCEPTIONS of those that are for this run, all of them reasons not to make it."""
    run = {"runtimes": runtime, "programs": program, "networks": network, "ranks": ranks}
    return [i for i, exception in enumerate(EXCEPTIONS)
            if all(value in exception.get(name, [value]) for name, value in run.items())]


def ranks_of(runtime, program, network):
    """Numbers of ranks on which the runtime runs the program over the network."""
    return [ranks for ranks in RANKS if not exceptions_to(runtime, program, network, ranks)]


def mark(runtime, program, network):
    ranks = ranks_of(runtime, program, network)
    return ALL if ranks == RANKS else SOME if ranks else NONE


def reasons(runtime):
    """Numbers of the exceptions to a runtime, from 1."""
    found = {i + 1 for program in programs_of(runtime) for network in NETWORKS for ranks in RANKS
             for i in exceptions_to(runtime, program, network, ranks)}
    return ", ".join(map(str, sorted(found)))


def table_of(runtimes, programs):
    """Lines of a Markdown table: runtimes are rows, programs columns."""
    yield "| | %s | but |" % " | ".join("`%s`" % program for program in programs)
    yield "|---" * (len(programs) + 2) + "|"
    for runtime in runtimes:
        cells = ["".join(mark(runtime, program, network) for network in NETWORKS)
                 if program in programs_of(runtime) else "" for program in programs]
        yield "| `%s` | %s | %s |" % (runtime, " | ".join(cells), reasons(runtime))


def runs_over(network):
    return sum(len(ranks_of(runtime, program, network)) for runtime in RUNTIMES for program in programs_of(runtime))


def wrapped(text, indent=""):
    return textwrap.wrap(text, 120, subsequent_indent=indent)


def markdown():
    programs = TABLE["PROGRAMS"]
    lines = wrapped("%s: on %s ranks; %s: on some; %s: on none. A cell has a mark for each of %s, in this order; it is "
                    "empty where the runtime cannot run the program."
                    % (ALL, ", ".join(map(str, RANKS)), SOME, NONE, ", ".join(NAMES.values())))
    for kinds, title in ((["fork_join"], "Fork and join:"), (["pool", "async"], "Task pools:")):
        runtimes = [name for name, row in RUNTIMES.items() if row["kinds"][0] == kinds[0]]
        lines += ["", title, ""]
        lines += table_of(runtimes, [program for kind in kinds for program in programs[kind]])
    lines += ["", "But:", ""]
    for i, exception in enumerate(EXCEPTIONS, 1):
        why = exception["why"]
        lines += wrapped("%d. %s (%s)." % (i, why[0].upper() + why[1:], scope(exception)), "   ")
    counts = ["%d runs over %s" % (runs_over(network), NAMES[network]) for network in NETWORKS]
    lines += ["", "In all %s." % ", ".join(counts)]
    return "\n".join(lines)


def scope(exception):
    """What an exception is for, without its runtimes, which have its number in their rows."""
    parts = ["`%s`" % program for program in exception.get("programs", [])]
    parts += [NAMES[network] for network in exception.get("networks", [])]
    if "ranks" in exception:
        parts.append("%s ranks" % ", ".join(map(str, exception["ranks"])))
    return "; ".join(parts)


class Parser(argparse.ArgumentParser):
    """Refuses bad flags in one line."""

    def error(self, message):
        sys.exit(print("matrix.py: %s; allowed: --markdown, --help" % message, file=sys.stderr) or 2)


def main(arguments=None):
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--markdown", action="store_true", required=True,
                        help="print which runtime runs which program where, as tables in Markdown")
    parser.parse_args(arguments)
    print(markdown())


if __name__ == "__main__":
    main()
