"""Reports of runs that never were, for tests."""

import json
import re

import menu

ANSWERS = {tuple(program.flags): program.answer for program in menu.PROGRAMS}
OPERATIONS = {name: {"operations": 10 * place, "bytes": 80} for place, name in
              enumerate(("flush", "get", "put", "fetch_add"), 1)}


def report(command):
    """One second on one rank, half of it on two, and so on."""
    if command[0] == menu.EXPLAIN:
        runtime, folder = (part.partition("=")[2] for part in command[2:])
        return {"result": {"%s/steal_%s.html" % (folder, runtime): "Steal <%s>" % runtime}}
    ranks = menu.ranks_of(command)
    if "steal_volume" in command[0]:
        return {"result": {"steals": [{"task_bytes": size, "tasks": tasks, "sdc_ns": 90, "sws_ns": 80}
                                      for size in (24, 192) for tasks in (2**i for i in range(11))]}}
    for part in command:
        if part.startswith("--timeline="):
            with open(part.partition("=")[2], "w") as file:
                file.write("begin_ns,end_ns,busy_ranks,ready_joins\n0,1024,1.5,0\n1024,2048,2,0.5\n")
        if part.startswith("--trace="):
            spans = [("run", 0, 100), ("suspend", 0, 1), ("steal", 1, 93), ("lock", 1, 23), ("take item", 24, 70),
                     ("resume", 94, 6)]
            with open(part.partition("=")[2], "w") as file:
                json.dump({"traceEvents": [{"ph": "X", "tid": 1, "name": name, "ts": begin, "dur": length, "args": {
                    "events_dropped": 0}} for name, begin, length in spans]}, file)
    answer = next((answer for flags, answer in ANSWERS.items()
                   if all(flag in command for flag in flags)), 1)
    return {"ranks": ranks, "runtime": re.sub("_(sim|mpi)$", "", command[0].rpartition("/")[2]),
            "seconds": 1 / ranks, "result": {"nodes": answer},
            "metrics": {"spawns": 1000, "steals_ok": 5 if ranks > 1 else 0, "steal_latency_ns": 2500.0,
                        "outstanding_joins": 3, "outstanding_join_time_ns": 1500.0, "region_bytes_max": 4096,
                        "rma": OPERATIONS}}
