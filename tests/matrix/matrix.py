"""What runs where: table.bzl, read as Python."""

import pathlib
import runpy

TABLE = runpy.run_path(str(pathlib.Path(__file__).resolve().parent / "table.bzl"))
RANKS, RUNTIMES, NETWORKS, EXCEPTIONS = (TABLE[name] for name in ("RANKS", "RUNTIMES", "NETWORKS", "EXCEPTIONS"))


def programs_of(runtime):
    return {name: row for kind in RUNTIMES[runtime]["kinds"] for name, row in TABLE["PROGRAMS"][kind].items()}


def ranks_of(runtime, program, network):
    """Numbers of ranks of the runs for which there is no exception."""
    def is_made(ranks):
        run = {"runtimes": runtime, "programs": program, "networks": network, "ranks": ranks}
        return not any(all(value in exception.get(name, [value]) for name, value in run.items())
                       for exception in EXCEPTIONS)

    return [ranks for ranks in RANKS if is_made(ranks)]
