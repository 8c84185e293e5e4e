"""compare, turns and peers: runtimes side by side on this machine, which should do nothing else."""

import functools
import os
import shlex
import shutil
import statistics

from measuring import shared
from measuring.shared import OUT, REPEAT, flag, subcommand

RUN_MPI = "third_party/mpi/run_mpi.sh"
OWN = ("cont_greedy", "cont_greedy_sws", "child_full", "child_rtc")
PEERS = ("openmp_gcc", "openmp_llvm", "tbb", "libfork", "lace", "itoyori")


def systems(options):
    uts = ["uts"] + shlex.split(options.uts)
    fib = ["fib", "--n=%d" % options.fib]
    launcher = next(name for name in ("mpirun." + options.mpi, "mpirun") if shutil.which(name) or name == "mpirun")
    serial, cont_greedy = (options.binaries + "/" + name for name in ("serial", "cont_greedy"))
    found = {"uts serial": [serial] + uts}
    found.update(("uts %d" % ranks, [cont_greedy] + uts + ["--ranks=%d" % ranks]) for ranks in (1, 2, 8))
    found.update(("fib %d" % ranks, [cont_greedy] + fib + ["--ranks=%d" % ranks]) for ranks in (1, 2))
    if options.mpi != "none":
        found.update(("fib mpi %d" % ranks, [RUN_MPI, "--flavor=" + options.mpi, "--launcher=" + launcher,
                                             "--ranks=%d" % ranks, cont_greedy + "_mpi"] + fib) for ranks in (1, 2))
    return {name: command + ["--json"] for name, command in found.items()}


def measurements(options):
    """(title, the runs that it needs, the value of their medians, its bound, whether the bound is the least) of each
    that --only and --mpi leave."""
    def ns_per_spawn(runs):
        return seconds(runs["fib 1"]) * 1e9 / runs["fib 1"][0]["metrics"]["spawns"]

    def ratio(above, below):
        return [above, below], lambda runs: seconds(runs[above]) / seconds(runs[below])

    fib = "fib(%d), " % options.fib
    found = [(fib + "1 rank: ns per fork + join", ["fib 1"], ns_per_spawn, 12.5, False),
             ("UTS, 1 rank: speed / serial's", *ratio("uts serial", "uts 1"), 0.98, True),
             ("UTS, 2 ranks: speed / 1 rank's", *ratio("uts 1", "uts 2"), 1.95, True),
             (fib + "2 ranks: speed / 1 rank's", *ratio("fib 1", "fib 2"), 1.8, True),
             (fib + "mpirun -n 2: speed / -n 1's", *ratio("fib mpi 1", "fib mpi 2"), 1.7, True),
             ("UTS, 8 ranks: time / 2 ranks'", *ratio("uts 8", "uts 2"), 1.3, False)]
    return [row for row in found if options.only in row[0] and (options.mpi != "none" or "fib mpi 1" not in row[1])]


def seconds(runs):
    return statistics.median(run["seconds"] for run in runs)


def summary(runs):
    """The number of runs, and for each number in their reports the median, the least and the most."""
    def of(values):
        return dict(zip(("median", "min", "max"), shared.extremes(values)))

    metrics = {name: of([run["metrics"][name] for run in runs])
               for name, value in runs[0]["metrics"].items() if isinstance(value, (int, float))}
    return {"runs": len(runs), "seconds": of([run["seconds"] for run in runs]),
            "metrics": {name: each for name, each in metrics.items() if each["max"] != 0}}


def verdicts(options, runs):
    found = []
    for title, _, value_of, bound, is_least in measurements(options):
        value = value_of(runs)
        found.append({"measurement": title, "value": value, "target": "%s %g" % (">=" if is_least else "<=", bound),
                      "met": value >= bound if is_least else value <= bound})
    return found


@subcommand(REPEAT, OUT,
            flag("--only", "run only measurements with this word in their title", "", metavar="WORD"),
            flag("--fib", "which Fibonacci number", 34),
            flag("--uts", "flags of the tree", "--tree=T1 --sha=portable", metavar="FLAGS"),
            flag("--mpi", "the MPI that was linked", "openmpi", choices=["openmpi", "mpich", "none"]),
            shared.BINARIES)
def compare(options):
    """medians, ratios, targets and verdicts of serial, cont_greedy and cont_greedy_mpi

    Exits with status 1 if a target is missed, too. First build //bench:serial
    //bench:cont_greedy //bench:cont_greedy_mpi.
    """
    wanted = {name for _, needed, *_ in measurements(options) for name in needed}
    if not wanted:
        options.refuse("--only=%s: must be in the title of a measurement" % options.only)
    commands = {name: command for name, command in systems(options).items() if name in wanted}
    runs = shared.runs_in_turns(commands, options.repeat)
    found, machine = verdicts(options, runs), shared.machine()
    print("%s, %d cores:\n" % (machine["processor"], machine["cores"]))
    shared.print_table(["measurement", "value", "target", ""], (
        [row["measurement"], "%.3f" % row["value"], row["target"], "met" if row["met"] else "missed"] for row in found))
    print()
    shared.print_head(["command", "seconds: median", "of", "least", "most"])
    for name, each in runs.items():
        median, *others = ("%.3f" % value for value in shared.extremes([run["seconds"] for run in each]))
        shared.print_row(["`%s`" % shlex.join(commands[name]), median, str(len(each)), *others])
    shared.save(options, machine=machine, verdicts=found, runs=[
        {"name": name, "command": shlex.join(commands[name]), **summary(each)} for name, each in runs.items()])
    return 0 if all(row["met"] for row in found) else 1


def run_for_number(options, command):
    found = functools.reduce(lambda part, name: part.get(name) if isinstance(part, dict) else None,
                             options.value.split("."), shared.run(command))
    if not isinstance(found, (int, float)):
        options.refuse("--value=%s: must name a number in what each command prints" % options.value)
    return found


def turns_rows(values):
    first = next(iter(values.values()))
    for name, own in values.items():
        row = [name] + ["%.4g" % value for value in shared.extremes(own)]
        if all(first):
            ratios = [value / other for value, other in zip(own, first)]
            low, _, high = statistics.quantiles(ratios * 2 if len(ratios) == 1 else ratios, n=4, method="inclusive")
            row += ["%.3f" % (statistics.median(own) / statistics.median(first)), "%.3f" % statistics.median(ratios),
                    "%.3f to %.3f" % (low, high)]
        yield row + [""] * (7 - len(row))


@subcommand(flag("--repeat", "turns", 15), OUT,
            flag("--value", "field of the output, also metrics.NAME or result.NAME", "seconds"),
            flag("commands", "what is run, with --json", nargs="+", metavar="NAME=COMMAND"))
def turns(options):
    """any commands side by side

    turns serial="bazel-bin/bench/pool_serial uts" sws="bazel-bin/bench/pool_sws uts"
    turns --value=result.last_start_us glb="bazel-bin/bench/pool_glb cancel_any"

    Prints the median of --value with the least and the most, and two ratios to the
    first command: the ratio of the medians, and the median of the ratios within each
    turn, with the middle half of these.
    """
    tries = {}
    for text in options.commands:
        name, _, command = text.partition("=")
        if not command.strip() or name in tries:
            options.refuse("%s: must be NAME=COMMAND, with another name for each" % text)
        tries[name] = functools.partial(run_for_number, options, shlex.split(command) + ["--json"])
    values = shared.in_turns(tries, options.repeat)
    shared.print_table(["", options.value + ": median", "least", "most", "to the first: medians", "median of turns",
                        "middle half"], turns_rows(values))
    shared.save(options, machine=shared.machine(), value=options.value, values=values)


@functools.lru_cache(None)
def forks(n):
    """The number of calls of fib(n) that do not return n."""
    return 0 if n < 2 else 1 + forks(n - 1) + forks(n - 2)


@subcommand(REPEAT, OUT, shared.BINARIES,
            flag("--peers", "folder of the other runtimes' programs", "bazel-bin/peers", metavar="DIR"),
            flag("--workers", "numbers of workers", "1,2", metavar="N,...", type=shared.counts),
            flag("--fib", "which Fibonacci number", 32))
def peers(options):
    """a fork and join beside those of other runtimes, on one worker and on more

    Prints the seconds of fib / its forks. What is not there is left out: Magpie's own
    are built by Bazel, the others by bench/peers/build.sh.
    """
    if not 2 <= options.fib <= 90:
        options.refuse("--fib=%d: must be a number from 2 to 90" % options.fib)
    commands = {(name, workers): [
        "%s/%s" % (options.binaries, name), "fib", "--n=%d" % options.fib, "--ranks=%d" % workers, "--json"]
        if name in OWN else ["%s/%s" % (options.peers, name), str(options.fib), str(workers)]
        for name in OWN + PEERS for workers in options.workers}
    commands = {key: command for key, command in commands.items() if os.path.isfile(command[0])}
    if not commands:
        options.refuse("--binaries=%s and --peers=%s: no program of %s is there"
                       % (options.binaries, options.peers, ", ".join(OWN + PEERS)))
    ns = {key: [run["seconds"] * 1e9 / forks(options.fib) for run in runs]
          for key, runs in shared.runs_in_turns(commands, options.repeat).items()}
    shared.print_table(["ns, fib(%d)" % options.fib] + ["%d" % workers for workers in options.workers], (
        [name] + [shared.spread(ns[name, workers], "{:.1f}") for workers in options.workers]
        for name in dict.fromkeys(name for name, _ in commands)))
    shared.save(options, machine=shared.machine(), fork_join_ns={"%s %d" % key: each for key, each in ns.items()},
                commands={"%s %d" % key: shlex.join(command) for key, command in commands.items()})
