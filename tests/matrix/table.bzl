"""The matrix: every program, every runtime that can run it, every network, some numbers of ranks.

Nothing but lists and dictionaries: BUILD loads it and makes a test of each
(runtime, network), and matrix.py reads it as Python.
"""

RANKS = [1, 2, 3, 4, 7]

# The programs of //bench, by the runtimes that can run them: fork_join, pool,
# and async, a pool whose binary has the programs that use async_any.h. Of each:
#   flags    sizes for a run of milliseconds
#   varies   fields of the result that depend on which rank did what when; all
#            others are those of the serial runtime
#   more     1 where rank 0 sends one task more to each other rank; -1 where the
#            number of tasks varies; else it is the serial runtime's
#   counted  the field of the result in which the program has counted its tasks,
#            and how many more these are than the tasks that the runtime has run
#   slot     bytes of a task in a pool's queue
#   consumers
#            most tasks that join one task, where they are several
PROGRAMS = {
    "fork_join": {
        "btc": {"flags": ["--depth=6"], "counted": ["tasks", 1]},
        "fib": {"flags": ["--n=15"]},
        "lcs": {"flags": ["--n=1024", "--cutoff=64"], "consumers": 3},
        "meet": {"flags": ["--child_ns=1000", "--parent_ns=1000"]},
        "nqueens": {"flags": ["--n=6"]},
        "pfor": {"flags": ["--n=64", "--iteration_ns=1000"]},
        "uts": {"flags": ["-t", "balanced", "-d", "4", "-b", "5"]},
    },
    "pool": {
        "bc": {"flags": ["--scale=8", "--sources=8"], "more": 1, "slot": 32},
        "bpc": {
            "flags": ["--depth=10", "--consumers=20", "--consumer_us=10", "--producer_us=10"],
            "varies": ["bounces"],
            "counted": ["tasks", 0],
            "slot": 32,
        },
        "nqueens": {"flags": ["--n=7", "--cutoff=0"], "slot": 32},
        "tsp": {"flags": ["--cities=9", "--cutoff=4"], "varies": ["nodes", "tour"], "more": -1, "slot": 128},
        "uts": {"flags": ["-t", "balanced", "-d", "4", "-b", "5"], "counted": ["nodes", 0], "slot": 32},
        "uts_any": {"flags": ["-t", "balanced", "-d", "4", "-b", "5", "--nodes=10"], "slot": 200},
    },
    "async": {
        "cancel_any": {
            "flags": ["--n=200", "--task_us=10", "--after_ms=1"],
            "varies": ["started", "cancel_us", "last_start_us"],
            "more": -1,
            # The task that cancels the others is not among those.
            "counted": ["started", -1],
        },
        "hello_any": {"flags": ["--n=100"], "varies": ["places", "tasks_at"], "counted": ["tasks", 0]},
        "nqueens_any": {"flags": ["--n=7", "--cutoff=0"]},
        "pi": {"flags": ["--n=500"], "counted": ["terms", 0]},
        "tsp_any": {"flags": ["--cities=9", "--cutoff=4"], "varies": ["nodes", "tour"], "more": -1},
    },
}

# Of each runtime the kinds of programs that it runs, and flags that it needs.
# With "forced" it is given --forced_steal on real networks: spawns wait until ranks
# without work have stolen something. On so many ranks or more, somebody can steal.
RUNTIMES = {
    "serial": {"kinds": ["fork_join"]},
    "cont_greedy": {"kinds": ["fork_join"], "forced": 2},
    "cont_greedy_linked": {"kinds": ["fork_join"], "forced": 2},
    "cont_greedy_sws": {"kinds": ["fork_join"], "forced": 2},
    "cont_stalling": {"kinds": ["fork_join"], "forced": 2},
    # With --forced_steal these two take seconds on more ranks than cores: waiting
    # threads are resumed again and again, and each look is a search for work.
    "cont_stalling_system": {"kinds": ["fork_join"]},
    "cont_baseline": {"kinds": ["fork_join"]},
    # Stacks that hold the borders of lcs.
    "child_full": {"kinds": ["fork_join"], "forced": 2, "flags": ["--stack_bytes=64K"]},
    "child_full_system": {"kinds": ["fork_join"], "forced": 2, "flags": ["--stack_bytes=64K"]},
    "child_full_tuned": {"kinds": ["fork_join"], "forced": 2, "flags": ["--stack_bytes=64K"]},
    "child_rtc": {"kinds": ["fork_join"], "forced": 2},
    "pool_serial": {"kinds": ["pool", "async"]},
    "pool_sdc": {"kinds": ["pool"], "forced": 2},
    "pool_sws": {"kinds": ["pool"], "forced": 2},
    "pool_sws_first": {"kinds": ["pool"], "forced": 2},
    # It has no --forced_steal: a task that waits for a thief would not answer one.
    "pool_glb": {"kinds": ["pool", "async"]},
    # A place has a manager besides its two workers: 2 and 3 ranks are one place, 4
    # are two, 7 are three.
    "pool_glb_hybrid": {"kinds": ["pool", "async"], "forced": 3, "flags": ["--workers_per_place=2"]},
    # All ranks of a node are one place.
    "pool_glb_hybrid_sdc": {"kinds": ["pool", "async"], "forced": 3},
}

# Of each network: its flags; whether steals are forced; and whether all programs
# run as one job, since a launch takes longer than all of them.
NETWORKS = {
    "shm": {"forced": True},
    # Nodes of three ranks.
    "sim": {"flags": ["--net=ito_a,node_size=3"]},
    "mpi": {"forced": True, "one_job": True},
    # Not forced, since its ranks wait without letting others run.
    "mpich": {"one_job": True},
}

# Runs that are not made, and why. An exception that names no runtimes is for all
# of them; so with programs, networks and ranks.
EXCEPTIONS = [
    {
        "runtimes": ["serial", "pool_serial"],
        "ranks": [2, 3, 4, 7],
        "why": "the serial runtimes run on one rank",
    },
    {
        "runtimes": ["child_rtc"],
        "programs": ["lcs"],
        "ranks": [2, 3, 4, 7],
        "why": "a run-to-completion thread may bury the one that it waits for: programs with futures end with an " +
               "error or with their result, as the schedule has it",
    },
    {
        "networks": ["mpich"],
        "ranks": [4, 7],
        "why": "MPICH's ranks wait without letting others run, which takes seconds where they are more than cores",
    },
]

# What ./test runs over MPI; the other runtimes are left to ./test --thorough.
MPI_ROW = ["cont_greedy"]
