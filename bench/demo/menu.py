"""The programs and runtimes that the demo runs, and the command of one run."""

import os
import pathlib
import re
import runpy
import sys
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Of modules that the demo shares with others; behind its own, one of which has the name of a folder there.
sys.path.append(str(ROOT / "bench"))

BINARIES = "bazel-bin/bench/"
# Draws the events of a runtime.
EXPLAIN = "bench/explain"
FORK_JOIN, POOL = "fork and join", "pool"
# The runtimes of which ./demo shows a first table, before it has built the others.
FIRST = ("serial", "cont_greedy")
SUFFIXES = {"shm": "", "mpi": "_mpi", "sim": "_sim"}
# Names that --net may begin with.
NETS = ("ito_a", "wisteria_o", "fx10", "tsubame25", "lotus", "kassel", "loopback", "ideal", "custom")


class Runtime(typing.NamedTuple):
    """A runtime or a pool, of the menu or a user's own."""
    name: str
    facade: str
    # Path of a user's own binary; None: that of //bench.
    own_binary: str = None
    # Whether it runs on one rank only, so that others are compared with it.
    serial: bool = False
    # Whether each place has a manager, a rank that runs no tasks.
    managed: bool = False


def read(lists):
    """The runtimes of one of the lists of runtimes.bzl, {kind: names}."""
    names = runpy.run_path(str(ROOT / "runtimes/runtimes.bzl"))
    return tuple(Runtime(name, FORK_JOIN if kind in ("serial", "continuations", "children") else POOL,
                         serial="serial" in kind, managed="hybrid" in name)
                 for kind, of_kind in names[lists].items() for name in of_kind)


# The runtimes of a demo that names none, and those that it runs only where they are named.
MENU, VARIANTS = read("MENU"), read("VARIANTS")
# {name: what it is made of}, in Markdown, whose links begin at the folder `runtimes`.
MADE_OF = dict(re.findall(r"^\| `(\w+)\.cc` \| `[^`]+` \| (.*) \|$", (ROOT / "runtimes/README.md").read_text(), re.M))

# Runtimes that do not run a program, and why.
MEMORY = {"child_full_system": "begins so many tasks before it ends one that their stacks exhaust the memory"}
FUTURES = {"child_rtc": "may have a task join one that is buried under it",
           "child_full": "looks at its many waiting tasks only after failed steals, and takes minutes"}


class Program(typing.NamedTuple):
    """A program with its flags, and the known answer, which is among its result's numbers."""
    name: str
    title: str
    about: str
    flags: tuple
    answer: int
    unit: str
    facades: tuple
    # Runtimes left out: {name: reason}.
    without: dict = {}
    # Whether tasks are so small that what a spawn costs can be told.
    fine: bool = False
    # Flags for some runtimes only: {beginning of the name: flags}.
    more_flags: dict = {}

    @property
    def baseline(self):
        """Name of the runtime that others are compared with."""
        return "serial" if FORK_JOIN in self.facades else "pool_serial"


PROGRAMS = (
    Program("uts", "UTS T1", "counts the nodes of an unbalanced tree, each a hash to compute (cluster22 §V, icpp21 "
            "§5.2)",
            ("uts", "--tree=T1"), 4130071, "nodes", (FORK_JOIN, POOL),
            fine=True),
    Program("fib", "fib(32)", "adds up Fibonacci numbers: nothing but forks and joins", ("fib", "--n=32"), 2178309, "",
            (FORK_JOIN,), MEMORY, fine=True),
    Program("recpfor", "RecPFor 1024", "runs parallel loops at each level of a recursion, iterations of 1 us "
            "(cluster22 §IV-C)", ("pfor", "--recursive", "--n=1024", "--iteration_ns=1000"), 52224, "iterations",
            (FORK_JOIN,)),
    Program("lcs", "LCS 32768", "finds the longest common subsequence by futures with three consumers (cluster22 §V-D)",
            ("lcs", "--n=32768"), 10655, "letters", (FORK_JOIN,), FUTURES,
            more_flags={"child_full": ("--stack_bytes=256K",)}),
    Program("bpc", "BPC", "bounces a producer of 32 tasks between ranks (icpp21 §5.2.1)",
            ("bpc", "--consumer_us=100", "--producer_us=20"), 529, "tasks", (POOL,)),
    Program("tsp", "TSP 18", "finds the shortest tour through 18 cities by branch and bound (hybrid_glb_apgas18 §5)",
            ("tsp", "--cities=18"), 4102, "units long", (POOL,)),
    Program("bc", "BC 2^10", "computes how many shortest paths of a random graph lead over each vertex "
            "(hybrid_glb_apgas18 §5)", ("bc", "--scale=10"), 2582317, "paths", (POOL,)),
    Program("nqueens", "NQueens 11", "counts the ways to place 11 queens, a thread for each board (hpdc15 §6.1)",
            ("nqueens", "--n=11"), 2680, "ways", (FORK_JOIN,)),
    Program("btc", "BTC 20", "creates a binary tree of empty tasks (hpdc15 §6.1)", ("btc", "--depth=20"), 2097151,
            "tasks", (FORK_JOIN,), MEMORY, fine=True),
    Program("nqueens_pool", "NQueens 13", "counts the ways to place 13 queens, a bag of boards (hybrid_glb_apgas18 §5)",
            ("nqueens", "--n=13"), 73712, "ways", (POOL,)),
    Program("uts_any", "UTS T1 in bags", "counts the nodes of an unbalanced tree, up to 511 of them a task "
            "(hybrid_glb_apgas18 §5)", ("uts_any", "--tree=T1"), 4130071, "nodes", (POOL,)),
)
# Programs of a demo that names none; the others are asked for by --programs.
USUAL = ("uts", "fib", "recpfor", "lcs", "bpc", "tsp", "bc")


def about(runtime):
    """A line on what a runtime is, in Markdown."""
    return MADE_OF.get(runtime.name, "one of your own: `%s`" % runtime.own_binary)


def obstacle(program, runtime):
    """Why a runtime of the program's facade does not run it; "" where it does, or where nobody knows."""
    return "" if runtime.own_binary else program.without.get(runtime.name, "")


def runtimes_for(program, runtimes):
    """Those that run a program, behind the one that they are compared with."""
    fits = [each for each in runtimes if each.facade in program.facades and not obstacle(program, each)
            and not (each.serial and each.name == program.baseline)]
    return [each for each in MENU if each.name == program.baseline] + fits


def why_left_out(program, runtimes):
    """Words on a program that none of the runtimes runs."""
    of_facade = [each for each in runtimes if each.facade in program.facades]
    if not of_facade:
        kinds = {FORK_JOIN: "runtimes of fork and join", POOL: "pools"}
        return "%s is left out: it is a program for %s, and none is among the chosen ones." % (
            program.title, " and ".join(kinds[facade] for facade in program.facades))
    return "%s is left out: %s." % (
        program.title, "; ".join("%s %s" % (each.name, obstacle(program, each)) for each in of_facade))


def binary_of(runtime, backend):
    # Plain calls need no launcher.
    suffix = "" if runtime.serial and backend == "mpi" else SUFFIXES[backend]
    return runtime.own_binary or BINARIES + runtime.name + suffix


def commands_of(program, runtime, backend, ranks, net, repeat):
    """The different commands of `repeat` runs: one, or, simulated, one for each seed of the choice of victims."""
    command = command_of(program, runtime, backend, ranks, net)
    if backend != "sim" or ranks == 1:
        return [command]
    return [command[:-1] + ["--victim_seed=%d" % seed, command[-1]] for seed in range(1, repeat + 1)]


def command_of(program, runtime, backend, ranks, net):
    """One run. A managed pool has, on this machine, one rank beside those that run tasks."""
    ranks += runtime.managed and backend != "sim" and ranks > 1
    command = [binary_of(runtime, backend)] + list(program.flags)
    for beginning, flags in program.more_flags.items():
        command += flags if runtime.name.startswith(beginning) and not runtime.own_binary else ()
    if backend == "mpi" and not runtime.serial:
        flavor = os.environ.get("MAGPIE_MPI", "openmpi")
        launcher = {"openmpi": "mpirun.openmpi", "mpich": "mpiexec.mpich"}.get(flavor, "mpirun")
        return ["third_party/mpi/run_mpi.sh", "--flavor=" + flavor, "--launcher=" + launcher,
                "--ranks=%d" % ranks] + command + ["--json"]
    return command + (["--net=" + net] if backend == "sim" else []) + ["--ranks=%d" % ranks, "--json"]


def ranks_of(command):
    """The ranks that a command asks for: one, unless it says so."""
    return next((int(part.partition("=")[2]) for part in command if part.startswith("--ranks=")), 1)
