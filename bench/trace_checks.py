"""What a trace says of a run is what its report says, for tests: sums, and tasks that moved from rank to rank."""

import collections

from trace_file import dropped, duration

# Room for the events of each rank. A rank that waits while others have its core records any number of searches.
ROOMS = [1 << 18, 1 << 20, 1 << 22]


def with_all_events(traced):
    """(report, {rank: Track}, ...) of a run that traced(flag) makes, again with more room until no event is dropped."""
    for room in ROOMS:
        made = traced("--trace_events=%d" % room)
        if not any(map(dropped, made[1].values())):
            break
    return made


def total(events, *names):
    return sum(duration(event) for event in events if event.name in names)


def named(events, *names):
    return [event for event in events if event.name in names]


def check_sums(test, metrics, tracks, consumers=1):
    """Counts, times and bytes of all ranks' events and marks add up to the report's.

    Of several `consumers` that wait for one task, those that are resumed after the first have no event of their joins.
    """
    events = [event for track in tracks.values() for event in track.events]
    joins = [join for track in tracks.values() for join in track.joins]
    steals = named(events, "steal")
    test.assertEqual(len(steals), metrics["steals_ok"])
    test.assertEqual(len(named(events, "failed steal")), metrics["steals_failed"])
    outstanding = metrics.get("outstanding_joins", 0)
    test.assertLessEqual(len(joins), outstanding)
    test.assertLessEqual(outstanding, consumers * len(joins))
    test.assertEqual(total(events, "steal"), round(metrics["steal_time_s"] * 1e9))
    test.assertEqual(total(events, "failed steal", "search"), round(metrics["search_time_s"] * 1e9))
    test.assertEqual(total(events, "task copy"), round(metrics.get("task_copy_ns", 0) * len(steals)))
    test.assertEqual(sum(map(duration, joins)), round(metrics.get("outstanding_join_time_ns", 0) * outstanding))
    copied = steals + [event for event in named(events, "task copy") if event.inside.name == "busy"]
    test.assertEqual(sum(event.args.get("bytes", 0) for event in copied), metrics["stolen_bytes"])
    marks = [track.run.args for track in tracks.values()]
    for name in ("spawns", "steals_ok", "steals_failed", "outstanding_joins"):
        if name in metrics:
            test.assertEqual(sum(mark[name] for mark in marks), metrics[name], name)
    # Spawned tasks are executed tasks, and nothing is left of them.
    for name, known in (("deaths", metrics["spawns"]), ("unclaimed", 0), ("waiting", 0)):
        test.assertEqual(sum(mark[name] for mark in marks), known, name)
    test.assertEqual(max(mark["region_bytes_max"] for mark in marks), metrics.get("region_bytes_max", 0))


def moves_to(track):
    """Steals and threads that are brought in, without steals of ready threads, whose frames are brought in next."""
    events = named(track.events, "steal", "bring in", "resume")
    for event, following in zip(events, events[1:] + [None]):
        if event.name == "bring in" or (event.name == "steal" and not (following and following.name == "bring in")):
            yield event


def check_moves(test, tracks, root_moves, slot_bytes=None, sent=0):
    """What came to a rank and did not leave it has ended there: so steals in are steals out, rank by rank.

    A steal takes one task, or in a pool as many as its bytes are slots. Stolen continuations take the root along, whose
    end counts for no rank. `sent` tasks come to each other rank from rank 0, without a steal.
    """
    here = collections.Counter({rank: t.run.args["spawns"] - t.run.args["deaths"] for rank, t in tracks.items()})
    for rank, track in tracks.items():
        here[rank] += sent
        here[0] -= sent
        for event in moves_to(track):
            tasks = event.args["bytes"] // slot_bytes if slot_bytes else 1
            here[rank] += tasks
            here[event.args["victim" if event.name == "steal" else "from"]] -= tasks
    moved = sorted(count for count in here.values() if count)
    if root_moves and moved:
        test.assertEqual((moved, here[0]), ([-1, 1], -1))
    else:
        test.assertEqual(moved, [])
