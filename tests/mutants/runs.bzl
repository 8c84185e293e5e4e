"""Programs with which mutants are explored, and flags: see mutants.bzl."""

# A program of the conformance suite of task pools.
def pool_scenario(name, ranks, n = 20):
    return ["pool_scenarios", "--scenario=" + name, "--n=%d" % n, "--ranks=%d" % ranks]

# The same of the suite of pools that have the constructs.
def async_scenario(name, ranks, n = 20):
    return ["async_scenarios", "--scenario=" + name, "--n=%d" % n, "--ranks=%d" % ranks]

# Runs cases of such a test.
def cases(filter, ranks):
    return ["alone", "--gtest_filter=" + filter, "--ranks=%d" % ranks]

def fib(ranks):
    return ["bench", "fib", "--n=12", "--ranks=%d" % ranks]

def scenario(name, n, ranks):
    return ["scenarios", "--scenario=" + name, "--n=%d" % n, "--ranks=%d" % ranks]

def rows(ranks):
    return scenario("rows", 200, ranks) + ["--grain=4"]

# Pauses, detours and store buffers are drawn in multiples of the latency between nodes.
# Here all ranks share one, whose own latency is a hundredth of that: rough.
ROUGH = ["--net=loopback,latency=2us"]

def rough_in_closure(memory):
    return scenario("in_closure", 20, 4) + ROUGH + ["--memory=" + memory]

ROUGH_DAG = scenario("dag", 60, 4) + ROUGH

# Tasks are long: a rank that waits for one does so for longer than its patience.
SLOW_FIB = fib(8) + ["--net=loopback,spawn=1ms", "--patience=0.001"]
