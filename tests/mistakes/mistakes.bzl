"""Programs with mistakes in them, and the tests that make each mistake."""

load("@mpi//:defs.bzl", "MPI_FLAVOR", "MPI_LAUNCHER")
load("//common/rma:networks.bzl", "network_binaries")
load("//common/testing:rebuilt.bzl", "rebuilt")
load("//third_party:python.bzl", "python_test")

def _to_debug_impl(_settings, _attr):
    return {"//command_line_option:compilation_mode": "dbg"}

_to_debug = transition(
    implementation = _to_debug_impl,
    inputs = [],
    outputs = ["//command_line_option:compilation_mode"],
)

_debug_build = rebuilt(_to_debug, "`binary`, built for debugging (-c dbg), whatever the rest is built for.")

_RUN_MPI = "//third_party/mpi:run_mpi.sh"

def mistakes_tests(name, deps, srcs = [], networks = ["shm", "sim"], debug = True, explored = None, thorough = False):
    """A program on several networks, and a test of each: NAME_NETWORK_test.

    Args:
      name: of the program.
      deps: the mistakes, and a runtime or a pool.
      srcs: mistakes that no other program has.
      networks: of "shm", "sim" and "mpi", "shm" among them.
      debug: whether the program on shm is tested in a debug build, too, which checks more.
      explored: words of the mistakes that are made in many schedules, too, in quotes; None: of none.
      thorough: whether all are left to ./test --thorough, as those over MPI and of debug builds always are.
    """
    network_binaries(name = name, srcs = srcs, deps = deps, networks = networks)
    rows = [(network, network, [], thorough) for network in networks if network != "mpi"]
    if "mpi" in networks:
        rows.append(("mpi", "mpi", ["$(rootpath %s)" % _RUN_MPI, MPI_LAUNCHER or "none", MPI_FLAVOR], True))
    if debug:
        _debug_build(name = name + "_debug", binary = ":%s_shm" % name)
        rows.append(("debug", "debug", [], True))
    if explored != None:
        rows.append(("explored", "sim", ["explored", explored], False))
    for row, network, args, is_thorough in rows:
        python_test(
            name = "%s_%s_test" % (name, row),
            size = "medium",
            src = "mistakes_test.py",
            programs = [":%s_%s" % (name, network)],
            args = args,
            data = [_RUN_MPI] if network == "mpi" else [],
            tags = (["cpu:2", "mpi"] if network == "mpi" else []) + (["thorough"] if is_thorough else []),
        )
