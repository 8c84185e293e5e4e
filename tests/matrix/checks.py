"""What one run of the matrix has to say: the serial runtime's result, and metrics that agree with each other."""

from program_checks import check_per_rank
from trace_checks import check_moves, check_sums
from trace_file import dropped

ATOMICS = ["fetch_add", "fetch_add_nb", "swap"]
WITHOUT_BYTES = ["flush", "barrier"]


def check_result(test, row, report, serial):
    """The result equals the serial runtime's, but for fields that depend on the schedule.

    Floating-point numbers agree to 13 digits, since ranks add them up in another order.
    """
    varies = row.get("varies", [])
    test.assertEqual(list(report["result"]), list(serial["result"]))
    for name, known in serial["result"].items():
        if name not in varies and isinstance(known, float):
            test.assertAlmostEqual(report["result"][name], known, delta=1e-13 * abs(known), msg=name)
        elif name not in varies:
            test.assertEqual(report["result"][name], known, name)


def check_tasks(test, row, report, serial):
    """The number of tasks is the serial runtime's, and the one that the program has counted itself."""
    metrics, more = report["metrics"], row.get("more", 0)
    if more >= 0:
        test.assertEqual(metrics["spawns"], serial["metrics"]["spawns"] + more * (report["ranks"] - 1))
    run = metrics["spawns"] - metrics.get("dropped", 0)
    test.assertGreaterEqual(run, 0)
    if "counted" in row:
        field, beyond = row["counted"]
        test.assertEqual(report["result"][field], run + beyond, field)
    if more >= 0:
        test.assertEqual(metrics.get("dropped", 0), 0)


def check_spreads(test, report, tracks):
    """The report's least and most are those of the ranks' own numbers; on one rank nothing is stolen."""
    check_per_rank(test, report)
    for name, spread in (("deaths", "tasks"), ("steals_ok", "steals_ok")):
        numbers = [track.run.args[name] for track in tracks.values()]
        test.assertEqual(report["metrics"]["per_rank"][spread], {"least": min(numbers), "most": max(numbers)})
    if report["ranks"] == 1:
        for name in ("steals_ok", "steals_failed", "stolen_bytes", "steal_time_s", "search_time_s"):
            test.assertEqual(report["metrics"][name], 0, name)


def check_rma(test, report):
    """Atomics have 8 bytes each, gets and puts some; an attempt to steal is at least one operation."""
    metrics = report["metrics"]
    for name, count in metrics["rma"].items():
        if name in ATOMICS:
            test.assertEqual(count["bytes"], 8 * count["operations"], name)
        elif name in WITHOUT_BYTES:
            test.assertEqual(count["bytes"], 0, name)
        else:
            test.assertEqual(count["bytes"] > 0, count["operations"] > 0, name)
    operations = sum(count["operations"] for name, count in metrics["rma"].items() if name != "flush")
    test.assertGreaterEqual(operations, metrics["steals_ok"] + metrics["steals_failed"])
    test.assertGreaterEqual(sum(count["bytes"] for count in metrics["rma"].values()), metrics["stolen_bytes"])


def check_run(test, row, report, tracks, serial):
    """Checks one run: its report, its trace, and the serial runtime's report of the same program."""
    check_result(test, row, report, serial)
    check_tasks(test, row, report, serial)
    test.assertEqual(list(tracks), list(range(report["ranks"])))
    test.assertEqual([dropped(track) for track in tracks.values()], [0] * len(tracks))
    check_sums(test, report["metrics"], tracks, row.get("consumers", 1))
    check_spreads(test, report, tracks)
    check_rma(test, report)
    # What is sent on a lifeline is no steal.
    if not report["runtime"].startswith("pool_glb"):
        check_moves(test, tracks, report["runtime"].startswith("cont"), row.get("slot"),
                    max(0, row.get("more", 0)))
