"""peers: a fork and join here, and in what a user might pick instead."""

import functools
import os
import shlex
import statistics

from measuring import shared
from measuring.shared import OUT, REPEAT, flag, subcommand

OWN = ("cont_greedy", "cont_greedy_sws", "child_full", "child_rtc")
# {peer: what bench/peers/build.sh needs for it}.
PEERS = {"openmp_gcc": "", "openmp_llvm": "", "tbb": "", "libfork": "LIBFORK=SOURCES ", "lace": "LACE=SOURCES ",
         "itoyori": "ITOYORI=SOURCES "}
ALL = [*OWN, *PEERS]


@functools.lru_cache(None)
def forks(n):
    """The number of calls of fib(n) that do not return n."""
    return 0 if n < 2 else 1 + forks(n - 1) + forks(n - 2)


def command_of(options, name, workers):
    if name in OWN:
        return ["%s/%s" % (options.binaries, name), "fib", "--n=%d" % options.fib, "--ranks=%d" % workers, "--json"]
    return [options.peers + "/" + name, str(options.fib), str(workers)]


def row_of(name, *tries):
    """Median, least and most for each number of workers, and the first median / the last."""
    return [name] + ["%.1f" % value for values in tries for value in shared.extremes(values)] + [
        "%.2f" % (statistics.median(tries[0]) / statistics.median(tries[-1]))]


@subcommand(REPEAT, OUT, shared.BINARIES,
            flag("--peers", "folder of the other runtimes' programs", "bazel-bin/peers", metavar="DIR"),
            flag("--only", "run only these", ",".join(ALL), metavar="NAMES", type=shared.names),
            flag("--workers", "numbers of workers", "1,2", metavar="N,...", type=shared.counts),
            flag("--fib", "which Fibonacci number", 32))
def peers(options):
    """a fork and join beside those of other runtimes, on one worker and on more

    Prints the seconds of fib / its forks. What is not there is left out, and how to
    build it is printed: Magpie's own by Bazel, the others by bench/peers/build.sh.
    """
    if not set(options.only) <= set(ALL):
        options.refuse("--only=%s: must be some of %s" % (",".join(options.only), ",".join(ALL)))
    if not 2 <= options.fib <= 90:
        options.refuse("--fib=%d: must be a number from 2 to 90" % options.fib)
    there = [name for name in options.only if os.path.isfile(command_of(options, name, 1)[0])]
    commands = {"%s %d" % (name, workers): command_of(options, name, workers) for name in there
                for workers in options.workers}
    ns = {name: [run["seconds"] * 1e9 / forks(options.fib) for run in each]
          for name, each in shared.runs_in_turns(commands, options.repeat).items()}
    shared.print_table(["ns, fib(%d)" % options.fib,
                        *(column for workers in options.workers for column in ("%d: median" % workers, "least", "most")),
                        "%d / %d" % (options.workers[0], options.workers[-1])],
                       [row_of(name, *(ns["%s %d" % (name, workers)] for workers in options.workers)) for name in there])
    print("".join("\n%s is not there: %s" % (
        name, "bazel build //bench:" + name if name in OWN else "%sbench/peers/build.sh %s" % (PEERS[name], options.peers))
        for name in options.only if name not in there))
    shared.save(options, machine=shared.machine(), fork_join_ns=ns,
                commands={name: shlex.join(command) for name, command in commands.items()})
