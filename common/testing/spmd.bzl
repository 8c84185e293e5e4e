"""Tests in which ranks meet, on several networks."""

load("//common/rma:networks.bzl", "network_binaries")
load(":run.bzl", "run_test")

def spmd_test(name, deps, srcs = None, ranks = [1, 2, 3, 8], seeds = 200, explored = "*"):
    """A program of SPMD_TESTs on shared memory, simulated, and explored.

    Args:
      name: of the programs, NAME_shm and NAME_sim; of the tests, the same with
        the number of ranks after it, and NAME_explored_test.
      srcs: of the program; NAME_test.cc if it is None.
      deps: without the harness and the network.
      ranks: each number of ranks with which it runs on shm and sim.
      seeds: so many schedules are explored with 3 ranks; 0: none.
      explored: GoogleTest filter of the cases that are.
    """
    rows = [
        ("%s_%d_ranks" % (network, n), network, ["--ranks=%d" % n])
        for network in ["shm", "sim"]
        for n in ranks
    ]
    if seeds:
        rows.append(("explored", "sim", [
            "--ranks=3",
            "--explore",
            "--memory=pso",
            "--seeds=1..%d" % seeds,
            "'--gtest_filter=%s'" % explored,
        ]))
    network_binaries(
        name = name,
        testonly = 1,
        srcs = [name + "_test.cc"] if srcs == None else srcs,
        deps = deps + [Label("//common/testing")],
    )
    for row, network, args in rows:
        run_test(
            name = "%s_%s_test" % (name, row),
            programs = [":%s_%s" % (name, network)],
            flags = args,
            size = "small",
        )
