"""What mutants are made of: see mutants.bzl."""

END = "common/stealing/end_of_run.h"
SEARCH = "common/stealing/search.h"
ENTRIES = "common/fork_join/task_entries.h"
THREADS = "impl/uniaddr/threads.h"
QUEUE = "impl/uniaddr/the_queue.h"
JOIN = "impl/greedy_join/greedy_join.h"
LINKED = "impl/greedy_join/linked_collection.h"
LOCK_QUEUE = "impl/greedy_join/lock_queue.h"
STALLING = "impl/greedy_join/stalling_join.h"
CELLS = "common/remote_heap/cells.h"
HEAP = "impl/greedy_join/local_collection.h"
RUNTIME = "common/fork_join/thread_runtime.h"
CHILD_BURIALS = "impl/child_steal/burials.h"
CHILD_FULL = "impl/child_steal/full.h"
CHILD_ORDERS = "impl/child_steal/orders.h"
CHILD_RTC = "impl/child_steal/rtc.h"
BAG = "common/task_pool/bag.h"
COMPLETIONS = "impl/sws_queue/completions.h"
INBOX = "common/stealing/inbox.h"
SDC = "impl/sws_queue/sdc_queue.h"
SPLIT = "impl/sws_queue/split_queue.h"
SWS = "impl/sws_queue/sws_queue.h"
TERMINATION = "common/stealing/termination.h"
WAVES = "common/stealing/waves.h"
SHARED_MAX = "common/run/shared_max.h"
PARTIAL = "common/task_pool/partial_result.h"
GLB_BOXES = "impl/glb_lifeline/loot.h"
GLB_COOPERATIVE = "impl/glb_lifeline/cooperative.h"
GLB_FINISHES = "common/task_pool/finishes.h"
GLB_LIFELINES = "impl/glb_lifeline/lifelines.h"
GLB_MANAGER = "impl/glb_lifeline/manager.h"
GLB_REQUESTS = "impl/glb_lifeline/requests.h"
GLB_SCHEME = "impl/glb_lifeline/lifeline_scheme.h"
GLB_WORKER = "impl/glb_lifeline/worker.h"

# Whose headers are a part of what is mutated.
FOLDERS = [
    "common/fork_join",
    "common/remote_heap",
    "common/run",
    "common/stealing",
    "common/task_pool",
    "impl/child_steal",
    "impl/glb_lifeline",
    "impl/greedy_join",
    "impl/sws_queue",
    "impl/uniaddr",
]

# Tests in which mechanisms are mutated that are no part of a fork-join runtime.
QUEUES_TEST = "impl/sws_queue/queues_test.cc"
TERMINATION_TEST = "common/stealing/termination_test.cc"
END_TEST = "common/stealing/end_of_run_test.cc"
SHARED_MAX_TEST = "common/run/shared_max_test.cc"
THREADS_TEST = "impl/uniaddr/threads_test.cc"
GLB_BOXES_TEST = "impl/glb_lifeline/loot_boxes_test.cc"
GLB_FINISHES_TEST = "common/task_pool/finishes_test.cc"
TESTS = [
    QUEUES_TEST,
    TERMINATION_TEST,
    END_TEST,
    SHARED_MAX_TEST,
    THREADS_TEST,
    GLB_BOXES_TEST,
    GLB_FINISHES_TEST,
]

def kind_of(mutant):
    if "test" in mutant:
        return "test"
    if mutant.get("runtime", "").startswith("common/task_pool"):
        return "pool_rank"
    return "pool" if mutant.get("runtime", "").startswith("pool") else "fork_join"

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

def dag(ranks):
    return scenario("dag", 30, ranks)

def discard(ranks):
    return scenario("discard", 10, ranks)

def in_closure(ranks):
    return scenario("in_closure", 10, ranks)

def any_order(ranks):
    return scenario("any_order", 3, ranks)

def rows(ranks):
    return scenario("rows", 200, ranks) + ["--grain=4"]

# Pauses, detours and store buffers are drawn in multiples of the latency between nodes.
# Here all ranks share one, whose own latency is a hundredth of that: rough.
ROUGH = ["--net=loopback,latency=2us"]

def rough_in_closure(memory):
    return scenario("in_closure", 20, 4) + ROUGH + ["--memory=" + memory]

ROUGH_DAG = scenario("dag", 60, 4) + ROUGH

# Tasks are long: who waits for one does so for longer than its patience.
SLOW_FIB = fib(8) + ["--net=loopback,spawn=1ms", "--patience=0.001"]

def edit(file, old, new):
    return dict(file = file, old = old, new = new)

# No mistake, but an owner that looks for freed memory at each allocation instead of
# when it has run out, and overwrites it: small programs notice then that it is gone.
EAGER = [
    edit(HEAP, "return cells_.allocate(bytes,", "collect(); return cells_.allocate(bytes,"),
    edit(CELLS, "cell->next = free_[used->size_class];", "std::fill_n(reinterpret_cast<std::byte*>(cell), class_bytes(used->size_class) - sizeof(Cell), std::byte{0xdb}); cell->next = free_[used->size_class];"),
]
