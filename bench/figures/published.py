"""What is published of cluster22 beside its text: medians from its artifact (bench/published)."""

import functools
import json

from figures import store

FOLDER = store.BENCH / "published"
ARTIFACT = "medians of the paper's artifact (`bench/published`)"
# Of each series of Fig. 6 our runtime, and the build of the paper's system.
SERIES = {"greedy join": ("cont_greedy", "greedy_gc"), "local collection": ("cont_stalling_system", "waitq_gc"),
          "baseline": ("cont_baseline", "waitq"), "child (Full)": ("child_full_system", "child_stealing_ult"),
          "child (RtC)": ("child_rtc", "child_stealing")}


@functools.lru_cache(None)
def files():
    ito = json.loads((FOLDER / "cluster22_ito_a.json").read_text())
    rest = json.loads((FOLDER / "cluster22_figures.json").read_text())
    return {"raw": {"ito_a": ito["raw"], "wisteria_o": rest["loops"]}, "printed": ito["printed"],
            "uts": rest["uts"], "lcs": rest["lcs"]}


def row_with(rows, **fields):
    return next((row for row in rows if fields.items() <= row.items()), {})


def loops(machine, benchmark, n, build):
    """The columns of Table II in the artifact."""
    return row_with(files()["raw"][machine], benchmark=benchmark, n=n, build=build)


def printed(benchmark, n, build):
    """What the paper's tables print of ITO-A."""
    return row_with(files()["printed"], benchmark=benchmark, n=n, build=build)


def uts(machine, system, tree, ranks):
    return row_with(files()["uts"], machine=machine, system=system, tree=tree, ranks=ranks).get("seconds")


def lcs(machine, n, ranks):
    return row_with(files()["lcs"], machine=machine, n=n, ranks=ranks).get("seconds")
