#!/usr/bin/env python3
"""Runs the demo's programs and prints its table; started by ./demo.

Usage: tools/demo_report.py [--first] [--repeat=N] [--targets]
"""

import argparse
import json
import statistics
import subprocess
import sys
import typing

BINARIES = "bazel-bin/bench/"
# Runtimes and pools that take one rank only.
SERIAL = ("serial", "pool_serial")
# Runtimes of the table that ./demo shows before it has built the others.
FIRST = ("serial", "cont_greedy")
FORK_JOIN = FIRST + ("cont_greedy_sws", "cont_greedy_linked", "cont_stalling", "cont_stalling_turns", "cont_baseline",
                     "child_full", "child_full_text", "child_full_rotation", "child_rtc")
# Pools whose places have a manager, a rank that runs no tasks: on this machine one rank more than the table says.
MANAGED = ("pool_glb_hybrid", "pool_glb_hybrid_sdc")
POOLS = ("pool_serial", "pool_sdc", "pool_sws", "pool_sws_first", "pool_glb") + MANAGED
# The simulated machine.
MACHINE = "ito_a"
SIMULATED_RANKS = 576
# Cells of a row: the program and the runtime; on this machine; simulated; the result.
GROUPS = "{:<29}{:>15}{:>22}"
ROW = "{:<9}{:<20}{:>8}{:>7}{:>8}{:>7}{:>7}"
SIMULATED_GROUP = "{:>16}"
SIMULATED_ROW = "{:>9}{:>7}"


class Program(typing.NamedTuple):
    """A program, and the known answer, which must be among its result's numbers."""
    title: str
    flags: list
    answer: int
    unit: str
    runtimes: tuple


PROGRAMS = [
    Program("UTS T1", ["uts", "--tree=T1"], 4130071, "nodes", FORK_JOIN + POOLS),
    # The rotation begins so many tasks of fib before it ends one that their memory runs out.
    Program("fib(34)", ["fib", "--n=34"], 5702887, "",
            tuple(each for each in FORK_JOIN if each != "child_full_rotation")),
]


def numbers(result):
    """Yields every number in a result, which may be a number, or an object of numbers."""
    if isinstance(result, dict):
        return [n for value in result.values() for n in numbers(value)]
    if isinstance(result, list):
        return [n for value in result for n in numbers(value)]
    return [result]


def run(command):
    """Returns the JSON object that a program prints; ends the demo if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit("demo: exit status %d from: %s" % (done.returncode, " ".join(command)))
    return json.loads(done.stdout)


def progress(text, begins=False):
    """Tells what runs now: in place on a terminal; otherwise by a line before each long step."""
    if sys.stderr.isatty():
        print("\r\033[K" + text, end="", file=sys.stderr, flush=True)
    elif begins:
        print(text, file=sys.stderr, flush=True)


def measure(program, runtimes, repeat):
    """Makes the runs of a program on this machine, by runtime and ranks; all take turns."""
    places = [(runtime, ranks) for runtime in runtimes for ranks in ((1,) if runtime in SERIAL else (1, 2))]
    runs = {place: [] for place in places}
    progress("running %s ..." % program.title, begins=True)
    for turn in range(repeat):
        for runtime, ranks in places:
            progress("running %s, %s, %d of 1 and 2 ranks, turn %d of %d ..." % (
                program.title, runtime, ranks, turn + 1, repeat))
            runs[runtime, ranks].append(
                run([BINARIES + runtime] + program.flags +
                    ["--ranks=%d" % (ranks + (runtime in MANAGED and ranks > 1)), "--json"]))
    progress("")
    return runs


def simulate(program, runtimes):
    """Makes one run of each on the simulated machine, where all runs are the same; serial ones on one rank."""
    runs = {}
    progress("simulating %s ..." % program.title, begins=True)
    for runtime in runtimes:
        progress("simulating %s, %s ..." % (program.title, runtime))
        ranks = 1 if runtime in SERIAL else SIMULATED_RANKS
        runs[runtime] = run([BINARIES + runtime + "_sim"] + program.flags +
                            ["--net=" + MACHINE, "--ranks=%d" % ranks, "--json"])
    progress("")
    return runs


def seconds(runs):
    return statistics.median(each["seconds"] for each in runs)


def speed(took, serial):
    """Returns the speed relative to the serial program, which may take no time where plain calls cost nothing."""
    if serial == 0:
        return ""
    return "%.*f" % (0 if serial > 10 * took else 2, serial / took)


def row(program, runtime, local, simulated):
    """Returns the cells of one runtime, and whether all of its runs were right."""
    one, two = local[runtime, 1], local.get((runtime, 2), [])
    serial = seconds(local["serial", 1])
    cells = ["%.3f" % seconds(one), speed(seconds(one), serial)]
    cells += ["%.3f" % seconds(two), speed(seconds(two), serial),
              "%d" % statistics.median(each["metrics"]["steals_ok"] for each in two)] if two else [""] * 3
    checked = one + two
    if simulated:
        many = simulated[runtime]
        checked = checked + [many]
        cells += [""] * 2 if runtime in SERIAL else [
            "%.2f" % (many["seconds"] * 1e3), speed(many["seconds"], simulated["serial"]["seconds"])]
    right = all(program.answer in numbers(each["result"]) for each in checked)
    return cells + [("%d %s" % (program.answer, program.unit)).strip() if right else "WRONG"], right


def table(repeat, first):
    """Prints the table; returns whether every run was right."""
    print((GROUPS + ("" if first else SIMULATED_GROUP)).format(
        "", "1 rank", "2 ranks", "%d simulated" % SIMULATED_RANKS))
    form = ROW + ("" if first else SIMULATED_ROW) + "  {}"
    print(form.format("program", "runtime", *["seconds", "speed"] * 2, "steals",
                      *([] if first else ["ms", "speed"]), "result"))
    all_right = True
    for program in PROGRAMS:
        runtimes = FIRST if first else program.runtimes
        local = measure(program, runtimes, repeat)
        simulated = {} if first else simulate(program, runtimes)
        for runtime in runtimes:
            cells, right = row(program, runtime, local, simulated)
            title = program.title if runtime == runtimes[0] else ""
            print(form.format(title, runtime, *cells), flush=True)
            all_right = all_right and right
    return all_right


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", action="store_true", help="run only serial and cont_greedy, nothing simulated")
    parser.add_argument("--targets", action="store_true", help="print the targets to build, and run nothing")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each; medians count (default 3)")
    options = parser.parse_args(arguments)
    if options.targets:
        for runtime in FIRST if options.first else FORK_JOIN + POOLS:
            for suffix in [""] if options.first else ["", "_sim"]:
                print("//bench:" + runtime + suffix)
        return 0
    right = table(options.repeat, options.first)
    print("Medians of %d. Speed: how many times as fast as serial." % options.repeat)
    if not options.first:
        print("pool_glb_hybrid, with a place for each node: beside its 2 ranks a manager that mostly rests.")
    if not options.first:
        print("Simulated: one run on %s (cluster22); speed beside serial on one core of it." % MACHINE)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
