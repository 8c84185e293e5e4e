#!/usr/bin/env python3
"""Measures the runtimes, and says which of their targets are met.

Usage: bench/compare.py [--repeat=N] [--out=FILE] [--only=WORD] [--markdown] ...

Run from the repository root, after

    bazel build //bench:serial //bench:cont_greedy //bench:cont_greedy_mpi

on a machine that does nothing else. Runs take turns, so that a disturbance of
the machine hits all alike, and medians are compared. Exits with status 0 if all
targets are met, 1 if one is missed or a result is wrong, 2 for bad flags.
"""

import argparse
import json
import os
import platform
import re
import shlex
import shutil
import statistics
import subprocess
import sys

SERIAL = "bazel-bin/bench/serial"
CONT_GREEDY = "bazel-bin/bench/cont_greedy"
CONT_GREEDY_MPI = "bazel-bin/bench/cont_greedy_mpi"
RUN_MPI = "third_party/mpi/run_mpi.sh"

ROW = "{:<46}{:>12}  {:<9}{}"


def systems(options):
    """Names and commands of all runs."""
    uts = ["uts"] + options.uts.split()
    fib = ["fib", "--n=%d" % options.fib]

    def mpi(ranks):
        return [RUN_MPI, "--flavor=" + options.mpi, "--launcher=" + options.launcher,
                "--ranks=%d" % ranks, CONT_GREEDY_MPI] + fib

    found = {"uts serial": [SERIAL] + uts}
    for ranks in (1, 2, 8):
        found["uts %d" % ranks] = [CONT_GREEDY] + uts + ["--ranks=%d" % ranks]
    for ranks in (1, 2):
        found["fib %d" % ranks] = [CONT_GREEDY] + fib + ["--ranks=%d" % ranks]
    if options.mpi != "none":
        for ranks in (1, 2):
            found["fib mpi %d" % ranks] = mpi(ranks)
    return {name: command + ["--json"] for name, command in found.items()}


# Title, the runs that it needs, the value (of their medians), its bound, whether the bound is the least or the most.
def measurements(fib):
    def ns_per_spawn(runs):
        return seconds(runs["fib 1"]) * 1e9 / runs["fib 1"][0]["metrics"]["spawns"]

    def ratio(above, below):
        return lambda runs: seconds(runs[above]) / seconds(runs[below])

    return [
        ("fib(%d), 1 rank: ns per fork + join" % fib, ["fib 1"], ns_per_spawn, 12.5, "most"),
        ("UTS, 1 rank: speed / serial's", ["uts serial", "uts 1"], ratio("uts serial", "uts 1"), 0.98, "least"),
        ("UTS, 2 ranks: speed / 1 rank's", ["uts 1", "uts 2"], ratio("uts 1", "uts 2"), 1.95, "least"),
        ("fib(%d), 2 ranks: speed / 1 rank's" % fib, ["fib 1", "fib 2"], ratio("fib 1", "fib 2"), 1.8, "least"),
        ("fib(%d), mpirun -n 2: speed / -n 1's" % fib, ["fib mpi 1", "fib mpi 2"],
         ratio("fib mpi 1", "fib mpi 2"), 1.7, "least"),
        ("UTS, 8 ranks: time / 2 ranks'", ["uts 2", "uts 8"], ratio("uts 8", "uts 2"), 1.3, "most"),
    ]


def seconds(runs):
    return statistics.median(run["seconds"] for run in runs)


def spread(values):
    values = list(values)
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def extremes(runs):
    of_seconds = spread(run["seconds"] for run in runs)
    return of_seconds["min"], of_seconds["max"]


def summary(runs):
    """The number of runs, and the spread of each number that they told."""
    metrics = {name: spread(run["metrics"][name] for run in runs)
               for name, value in runs[0]["metrics"].items() if isinstance(value, (int, float))}
    return {"runs": len(runs), "seconds": spread(run["seconds"] for run in runs),
            "metrics": {name: each for name, each in metrics.items() if each["max"] != 0}}


def as_text(report):
    """Returns JSON with each spread on a line."""
    return re.sub(r'\{\s+("median"[^}]*?)\s+\}', lambda found: "{%s}" % " ".join(found[1].split()),
                  json.dumps(report, indent=1)) + "\n"


def run(command):
    """Returns the JSON object that a program prints. A wrong result or a crash ends the comparison."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        print("compare: exit status %d from: %s" % (done.returncode, " ".join(command)), file=sys.stderr)
        sys.exit(1)
    return json.loads(done.stdout)


def progress(text):
    if sys.stderr.isatty():
        print("\r\033[K" + text, end="", file=sys.stderr, flush=True)


def measure(commands, repeat):
    """Makes all runs of each command; the commands take turns."""
    runs = {name: [] for name in commands}
    for turn in range(repeat):
        for name, command in commands.items():
            progress("turn %d of %d: %s ..." % (turn + 1, repeat, name))
            runs[name].append(run(command))
    progress("")
    return runs


def machine():
    """Describes the machine, for a comparison with other numbers."""
    model = ""
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as info:
            model = next((line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), "")
    return {"processor": model or platform.machine(), "cores": len(os.sched_getaffinity(0)),
            "system": platform.system() + " " + platform.release()}


class Parser(argparse.ArgumentParser):
    """Refuses bad flags in one line."""

    def error(self, message):
        print("%s: %s" % (self.prog, message), file=sys.stderr)
        sys.exit(2)


def parse(arguments):
    parser = Parser(prog="compare", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=9, help="runs of each system (default 9)")
    parser.add_argument("--out", metavar="FILE", help="file for the medians, with least and most, as JSON")
    parser.add_argument("--only", metavar="WORD", default="", help="run only measurements with WORD in their title")
    parser.add_argument("--markdown", action="store_true", help="print tables for a document")
    parser.add_argument("--fib", type=int, default=34, metavar="N", help="which Fibonacci number (default 34)")
    parser.add_argument("--uts", default="--tree=T1 --sha=portable", metavar="FLAGS",
                        help="the tree (default --tree=T1 --sha=portable)")
    parser.add_argument("--mpi", choices=["openmpi", "mpich", "none"], default="openmpi",
                        help="the MPI that was linked (default openmpi)")
    parser.add_argument("--launcher", help="launcher of that MPI (default mpirun.openmpi or mpirun.mpich, else mpirun)")
    options = parser.parse_args(arguments)
    if options.repeat < 1:
        parser.error("--repeat=%d: must be at least 1" % options.repeat)
    options.launcher = options.launcher or next(
        name for name in ("mpirun." + options.mpi, "mpirun") if shutil.which(name) or name == "mpirun")
    return options


def verdicts(options, runs):
    """The table's rows, as objects."""
    found = []
    for title, needed, value_of, bound, side in measurements(options.fib):
        if options.only not in title or any(name not in runs for name in needed):
            continue
        value = value_of(runs)
        met = value >= bound if side == "least" else value <= bound
        target = (">= " if side == "least" else "<= ") + "%g" % bound
        found.append({"measurement": title, "value": value, "target": target, "met": met})
    return found


def print_words(runs, found):
    for name, each in runs.items():
        print("%-12s median %.3f s, %.3f to %.3f" % (name, seconds(each), *extremes(each)))
    print(ROW.format("measurement", "value", "target", "  verdict"))
    for row in found:
        print(ROW.format(row["measurement"], "%.3f" % row["value"], row["target"], "  met" if row["met"] else "  MISSED"))


def print_markdown(machine, commands, runs, found):
    """Prints for a document the measurements, and the runs behind them, each beside its command."""
    print("%s, %d cores:\n\n| measurement | value | target | |\n|---|---|---|---|" % (
        machine["processor"], machine["cores"]))
    for row in found:
        print("| %s | %.3f | %s | %s |" % (
            row["measurement"], row["value"], row["target"], "met" if row["met"] else "missed"))
    print("\n| printed by | seconds: median | of | least | most |\n|---|---|---|---|---|")
    for name, each in runs.items():
        print("| `%s` | %.3f | %d | %.3f | %.3f |" % (
            shlex.join(commands[name]), seconds(each), len(each), *extremes(each)))


def main(arguments):
    options = parse(arguments)
    commands = systems(options)
    wanted = {name for title, needed, *_ in measurements(options.fib) if options.only in title
              for name in needed}
    commands = {name: command for name, command in commands.items() if name in wanted}
    if not commands:
        print("compare: --only=%s: no measurement has that in its title" % options.only, file=sys.stderr)
        return 2
    runs = measure(commands, options.repeat)
    found = verdicts(options, runs)
    if options.markdown:
        print_markdown(machine(), commands, runs, found)
    else:
        print_words(runs, found)
    if options.out:
        with open(options.out, "w") as out:
            out.write(as_text({
                "command": shlex.join(["bench/compare.py"] + arguments), "machine": machine(),
                "verdicts": found,
                "systems": [{"name": name, "command": shlex.join(commands[name]), **summary(each)}
                            for name, each in runs.items()]}))
    return 0 if all(row["met"] for row in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
