"""The conformance suite of task pools on pools and networks."""

load("//common/testing:run.bzl", "run_test")
load("//tests/compose:compositions.bzl", "tags_of")

# Further runs of pools whose places have several ranks: ways to make ranks into
# places (of three workers, which do not divide the ranks), and ways in which
# places get each other's tasks.
PLACES = {
    "of_1": "--workers_per_place=1",
    "of_1_asking": "--workers_per_place=1 --steal_by=asking",
    "of_2": "--workers_per_place=2",
    "of_3": "--workers_per_place=3",
}

# Nodes that have no more ranks than a place's workers, or one rank, or ranks that
# remain; a place that is larger than the job; machines where no rank can take
# another's tasks without its help; and managers that look all the time, or are
# away for long, as if other processes had their cores: tasks take as long, since
# otherwise the managers would not be away.
ODD_PLACES = {
    "shm": {
        "larger_than_all": "--ranks=3 --workers_per_place=1048576",
        "looking": "--ranks=5 --workers_per_place=1 --period_us=1 --n=300",
    },
    "sim": {
        "asked_nodes": "--ranks=20 --net=fx10,node_size=7 --workers_per_place=2 --n=100",
        "lone_ranks": "--ranks=5 --net=kassel,node_size=1 --workers_per_place=2",
        "small_nodes": "--ranks=7 --net=kassel,node_size=3 --workers_per_place=5",
        "some_remain": "--ranks=13 --net=kassel,node_size=5 --workers_per_place=2 --n=100",
        "starved": "--ranks=6 --workers_per_place=2 --period_us=1000000 --net=loopback,copy_byte=3us --backoff=1048576 --n=10",
        "starved_explored": "--ranks=5 --workers_per_place=1 --period_us=1000000 --net=loopback,copy_byte=3us --backoff=1048576 --explore --memory=pso --n=10 --seeds=1..4",
    },
}

# Runs of pools with lifelines: a ring, a graph of more edges than places, no random
# victims, loads of one task, a look at others now and then.
LIFELINES = {
    "many_edges": "--ranks=7 --lifeline_radix=1073741824 --lifeline_dimension=30 --n=100",
    "no_victims": "--ranks=7 --random_victims=0 --lifeline_radix=2 --n=100",
    "ring": "--ranks=7 --lifeline_dimension=1 --random_victims=0 --n=100",
    "small_loads": "--ranks=4 --loot_bytes=1 --tasks_per_step=7 --n=100",
}

# Runs on one rank, and on several: on more ranks than cores, with a thief for each
# added task, and in explored schedules.
ROWS = {
    "shm": {
        "1_rank": "--ranks=1",
        "2_ranks": "--ranks=2",
        "4_ranks": "--ranks=4",
        "7_ranks": "--ranks=7",
        "forced": "--ranks=3 --forced_steal --n=100",
    },
    "sim": {
        "1_rank": "--ranks=1",
        "2_ranks": "--ranks=2",
        "7_ranks": "--ranks=7",
        "64_ranks": "--ranks=64 --net=ito_a --n=100",
        "explored": "--ranks=3 --explore --memory=pso --n=20 --seeds=1..40",
        "forced_explored": "--ranks=3 --forced_steal --explore --memory=tso --n=10 --seeds=1..30",
    },
}

def conformance_rows(pools, hybrid_pools, forced = True):
    """The tests of programs that are named POOL_NETWORK.

    Beside those of `pools` there are pool_glb's and pool_serial's.

    Args:
      pools: they are run with all rows.
      hybrid_pools: those of them that have --workers_per_place. With places of all kinds the first is run: in the
        others only the workers' queue differs.
      forced: whether steals are forced, too.
    """
    for network, flags_of in ROWS.items():
        for row, flags in flags_of.items():
            if not forced and "--forced_steal" in flags:
                continue
            for pool in pools:
                # Its ranks answer each other between two tasks: nobody steals, and the flag is refused.
                if pool == "pool_glb" and "--forced_steal" in flags:
                    continue
                _row(pool, network, row, flags)
            for pool in hybrid_pools:
                for places, more in PLACES.items():
                    # One or two ranks are one place, as 4 are with 3 workers.
                    if row not in ["1_rank", "2_ranks"] and (pool == hybrid_pools[0] or places == "of_1"):
                        _row(pool, network, row + "_" + places, flags + " " + more)
        for row, flags in ODD_PLACES[network].items():
            _row(hybrid_pools[0], network, row, flags)
        for row, flags in LIFELINES.items():
            _row("pool_glb", network, row, flags)
            _row("pool_glb_hybrid", network, row, flags + " --workers_per_place=1")
        run_test("pool_serial_%s_test" % network, [":pool_serial_" + network])
    _row("pool_serial", "sim", "explored", "--explore --memory=pso --n=20 --seeds=1..20")

def _row(pool, network, row, flags):
    run_test(
        name = "%s_%s_%s_test" % (pool, network, row),
        programs = [":%s_%s" % (pool, network)],
        flags = flags.split(" "),
        tags = tags_of(pool),
    )
