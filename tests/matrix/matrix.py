"""What runs where: table.bzl, read as Python."""

import pathlib


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
