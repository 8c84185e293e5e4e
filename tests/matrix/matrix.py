#!/usr/bin/env python3
"""The matrix of programs, runtimes, networks and numbers of ranks: prints what runs where.

    tests/matrix/matrix.py --markdown     # the picture in tests/README.md, from tests/matrix/table.bzl

The runs themselves are tests: bazel test //tests/matrix/...
"""

import pathlib
import sys
import textwrap

NAMES = {"shm": "shm", "sim": "sim", "mpi": "Open MPI", "mpich": "MPICH"}
ALL, SOME, NONE = "●", "◐", "○"


def load():
    table = {}
    path = pathlib.Path(__file__).resolve().parent / "table.bzl"
    exec(compile(path.read_text(), str(path), "exec"), table)
    return table


TABLE = load()
RANKS, RUNTIMES, NETWORKS, EXCEPTIONS = (TABLE[name] for name in ("RANKS", "RUNTIMES", "NETWORKS", "EXCEPTIONS"))


def programs_of(runtime):
    return {name: row for kind in RUNTIMES[runtime]["kinds"] for name, row in TABLE["PROGRAMS"][kind].items()}


def exceptions_to(runtime, program, network, ranks):
    """Positions in EXCEPTIONS of those that are for this run, all of them reasons not to make it."""
    run = {"runtimes": runtime, "programs": program, "networks": network, "ranks": ranks}
    return [i for i, exception in enumerate(EXCEPTIONS)
            if all(value in exception.get(name, [value]) for name, value in run.items())]


def ranks_of(runtime, program, network):
    return [ranks for ranks in RANKS if not exceptions_to(runtime, program, network, ranks)]


def mark(runtime, program, network):
    ranks = ranks_of(runtime, program, network)
    return ALL if ranks == RANKS else SOME if ranks else NONE


def cells(runtime, program):
    """(marks, numbers of the exceptions from 1) of a runtime and a program."""
    numbers = {i + 1 for network in NETWORKS for ranks in RANKS for i in exceptions_to(runtime, program, network, ranks)}
    return "".join(mark(runtime, program, network) for network in NETWORKS), ", ".join(map(str, sorted(numbers)))


def quoted(names):
    return ", ".join(map("`{}`".format, names))


def names_of(programs):
    """Names of the programs, or the kinds whose programs they are, all of them."""
    whole = {kind: rows for kind, rows in TABLE["PROGRAMS"].items() if set(rows) <= set(programs)}
    others = [name for name in programs if not any(name in rows for rows in whole.values())]
    return ", ".join([*whole, *map("`{}`".format, others)])


def table():
    """Lines of a Markdown table: a row has all runtimes whose cells are equal for the same programs."""
    rows = {}
    for runtime in RUNTIMES:
        own = {}
        for program in programs_of(runtime):
            own.setdefault(cells(runtime, program), []).append(program)
        for of_programs, programs in own.items():
            rows.setdefault((names_of(programs), *of_programs), []).append(runtime)
    yield "| runtimes | programs | ranks | but |"
    yield "|---|---|---|---|"
    for row, runtimes in rows.items():
        yield "| %s | %s |" % (quoted(runtimes), " | ".join(row))


def wrapped(text, indent=""):
    return textwrap.wrap(text, 120, subsequent_indent=indent)


def markdown():
    lines = wrapped("%s: on %s ranks; %s: on some; %s: on none; a mark for each of %s, in this order. Programs are:"
                    % (ALL, ", ".join(map(str, RANKS)), SOME, NONE, ", ".join(NAMES.values()))) + [""]
    for kind, programs in TABLE["PROGRAMS"].items():
        lines += wrapped("- %s: %s" % (kind, quoted(programs)), "  ")
    lines += ["", *table()]
    lines += ["", "But:", ""]
    for i, exception in enumerate(EXCEPTIONS, 1):
        why = exception["why"]
        lines += wrapped("%d. %s (%s)." % (i, why[0].upper() + why[1:], scope(exception)), "   ")
    counts = ["%d runs over %s" % (
        sum(len(ranks_of(runtime, program, network)) for runtime in RUNTIMES for program in programs_of(runtime)),
        NAMES[network]) for network in NETWORKS]
    lines += ["", "In all %s." % ", ".join(counts)]
    return "\n".join(lines)


def scope(exception):
    """What an exception is for, without its runtimes, which have its number in their rows."""
    parts = [quoted(exception["programs"])] if "programs" in exception else []
    parts += [NAMES[network] for network in exception.get("networks", [])]
    if "ranks" in exception:
        parts.append("%s ranks" % ", ".join(map(str, exception["ranks"])))
    return "; ".join(parts)


def main(arguments):
    if arguments not in (["--markdown"], ["--help"]):
        sys.stderr.write("matrix.py: %s: --markdown or --help is needed\n" % " ".join(arguments) or "no flag")
        sys.exit(2)
    print(__doc__.strip() if arguments == ["--help"] else markdown())


if __name__ == "__main__":
    main(sys.argv[1:])
