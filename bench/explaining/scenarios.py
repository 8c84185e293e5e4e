"""The events that bench/explain draws: which program has each, on which runtime, and how it is told from others."""

import dataclasses
import itertools
import os
import shlex

THREADS = "meet --ranks=2 --net=ito_a "
POOL = "bpc --ranks=2 --net=ito_a --depth=1 --consumers=6 --consumer_us=30 --producer_us=20 "
WHO_JOINS = {0: "joined thread", 1: "joining thread"}
STEAL = dict(begins={"event": "steal"}, ends={})
THIEF = {0: "victim", 1: "thief"}


class NotBuilt(Exception):
    """A program that is not there, in words."""


@dataclasses.dataclass
class Scenario:
    event: str
    runtime: str
    program: str
    title: str
    # What it begins and ends with (chart.times_of); without `ends`, what it begins with is the event.
    begins: dict
    ends: dict
    roles: dict
    # Of a program of the user's: the program itself.
    path: str = ""
    outcome: str = ""
    outcome_words: str = ""
    # Layout of entries (records.LAYOUTS), and of stealvals (values.STEALVALS).
    layout: str = ""
    stealval: str = "pool"
    # Words whose accesses by their own rank are shown.
    own: tuple = ()
    # Where something is given: the ranks whose operations are shown, and the words that these are about.
    by: tuple = ()
    only: tuple = ()
    # Whether operations of attempts to steal that take nothing are shown.
    failed_steals: bool = False


def joins():
    """Joins whose child was left behind, by who comes when."""
    begins = {"word": "state"}
    race = dict(layout="greedy", roles=WHO_JOINS, begins=begins)
    yield Scenario("join", "cont_greedy", THREADS + "--child_ns=40000 --parent_ns=5000",
                   "Greedy join, the joining thread comes first", outcome="joiner_first",
                   outcome_words="The joining thread suspends; the joined one, which comes last, goes on with it.",
                   ends={"event": "outstanding join"}, **race)
    yield Scenario("join", "cont_greedy", THREADS + "--child_ns=20000 --parent_ns=12600",
                   "Greedy join, the joining thread comes last", outcome="joiner_last",
                   outcome_words="Its fetch_add finds that the other is done: it goes on in place.",
                   ends={"op": "fetch_add", "word": "freed"}, **race)
    yield Scenario("join", "cont_greedy", THREADS + "--child_ns=20000 --parent_ns=20000",
                   "Greedy join of a thread that is done", outcome="done",
                   outcome_words="The joining thread finds the result; the entry's rank finds the mark that it is free.",
                   ends={"load": "freed", "value": 1}, own=("freed",), **race)
    yield Scenario("join", "cont_greedy", "pfor --ranks=3 --net=ito_a --n=8 --loops=1 --iteration_ns=6000",
                   "Greedy join of a thread that ends away from its entry", outcome="away",
                   outcome_words="The joined thread was stolen: it puts its result into the entry, and comes last.",
                   ends={"event": "outstanding join"}, **race | {"roles": {
                       0: "entry", 1: "joined thread", 2: "joining thread"}, "begins": {"word": "state", "rank": 2}})
    for runtime, how in (("cont_stalling", "looked at where it waits"), ("cont_baseline", "brought in to look")):
        yield Scenario("join", runtime, THREADS + "--child_ns=25000 --parent_ns=5000",
                       "Stalling join: the waiting thread is " + how, layout="stalling", own=("state",),
                       roles=WHO_JOINS, begins=begins, failed_steals=True, ends={"event": "outstanding join"})
    for runtime, how in (("child_full", "suspends"), ("child_rtc", "calls the scheduler")):
        yield Scenario("join", runtime, THREADS + "--child_ns=20000 --parent_ns=20000",
                       "Join of a stolen child: the parent " + how, layout="child", own=("state",),
                       roles={0: "parent", 1: "stolen child"},
                       begins={"op": "put", "word": "time of end"}, ends={"event": "outstanding join"})


def releases():
    """Ways of freeing an entry that lies on another rank."""
    common = dict(roles={0: "owner", 1: "last user"})
    for runtime, variant in (("cont_greedy", ""), ("cont_greedy_linked", ", the variant with a linked list")):
        yield Scenario("release", runtime, THREADS + "--child_ns=20000 --parent_ns=20000",
                       "Freeing by local collection" + variant, layout="greedy", own=("freed",),
                       begins={"op": "fetch_add", "word": "freed"}, ends={"load": "freed", "value": 1}, **common)
    yield Scenario("release", "cont_baseline", THREADS + "--child_ns=20000 --parent_ns=20000",
                   "Freeing by the lock queue", layout="stalling", own=("free-queue count 1", "freed"),
                   begins={"word": "free-queue lock"}, ends={"op": "swap", "word": "free-queue lock", "number": 2},
                   **common)


def steals():
    for runtime, title in (("cont_greedy", "uni-address threads over THE"),
                           ("cont_greedy_sws", "uni-address threads over SWS"), ("child_full", "Full threads"),
                           ("child_rtc", "run to completion")):
        is_thread = runtime.startswith("cont")
        yield Scenario("steal", runtime, THREADS + "--child_ns=30000 --parent_ns=30000", "Steal of a %s: %s" % (
            "thread" if is_thread else "child", title), roles=THIEF, layout="greedy" if is_thread else "child",
            stealval="threads", **STEAL)
    for runtime, title in (("pool_sdc", "Steal of half: SDC"), ("pool_sws", "Steal of half: SWS")):
        yield Scenario("steal", runtime, POOL, title, roles=THIEF, **STEAL)


def shares():
    """What the owner of a pool's queue offers to thieves, and takes back."""
    common = dict(roles={0: "owner", 1: "thief"}, failed_steals=True)
    yield Scenario("release", "pool_sdc", POOL, "Release of SDC: the owner offers tasks", own=("tail", "split"),
                   begins={"store": "split", "rank": 0}, ends={}, **common)
    # Thieves have tried twice to take the only task that was offered.
    yield Scenario("release", "pool_sws", POOL, "Release of SWS: the owner offers tasks", own=("stealval",),
                   begins={"load": "stealval", "rank": 0, "value": 2 << 40 | 1 << 19},
                   ends={"op": "swap", "word": "stealval", "rank": 0}, **common)
    yield Scenario("acquire", "pool_sdc", POOL, "Acquire of SDC: the owner wants tasks back, and a thief has the lock",
                   begins={"op": "fetch_add", "word": "queue lock"}, own=("tail", "split"),
                   ends={"op": "swap", "word": "queue lock", "rank": 0}, **common)
    yield Scenario("acquire", "pool_sws", POOL, "Acquire of SWS: a thief comes meanwhile",
                   begins={"op": "swap", "word": "stealval", "rank": 0, "number": 2}, own=("completion 0",),
                   ends={"op": "swap", "word": "stealval", "rank": 0, "number": 2}, **common)


def pools():
    yield Scenario("lifeline", "pool_glb", "bpc --ranks=2 --net=ito_a --depth=1 --consumers=8 --consumer_us=30 "
                   "--producer_us=0 --random_victims=0", "A lifeline request, and what answers it",
                   begins={"op": "fetch_add", "word": "lifeline"},
                   ends={"load": "loot arrived 0", "value": 2, "rank": 1},
                   only=("lifeline", "loot size", "loot", "loot arrived"), own=("lifeline", "loot arrived 0"),
                   roles={0: "has tasks", 1: "asks"})
    hybrid = "bpc --ranks=%d --net=kassel,node_size=3 --workers_per_place=2 --depth=1 --consumers=%d " \
             "--consumer_us=30 --producer_us=0"
    yield Scenario("steal", "pool_glb_hybrid", hybrid % (3, 8), "Hybrid: a worker steals from another one of its place",
                   roles=THIEF, outcome="within_a_place", by=(1,), **STEAL)
    yield Scenario("steal", "pool_glb_hybrid", hybrid % (6, 16), "Hybrid: a manager pulls tasks of another place",
                   begins={"event": "steal", "rank": 5}, ends={}, by=(5,),
                   roles={5: "manager", 0: "worker", 1: "worker", 2: "manager", 3: "worker", 4: "worker"},
                   outcome="between_places")
    yield Scenario("cancel", "pool_glb", "cancel_any --ranks=3 --net=kassel --n=10 --task_us=700 --after_ms=1",
                   "A cancel, and when each rank learns of it", begins={"op": "put", "word": "cancelled"},
                   ends={"load": "cancelled", "value": 1, "number": 5}, own=("cancelled",), only=("cancelled",),
                   roles={2: "cancels"})


SCENARIOS = [*steals(), *shares(), *joins(), *releases(), *pools()]


EVENTS = sorted({each.event for each in SCENARIOS})


def of_program(command, event, number, runtime):
    """The number-th event of that name in the trace of a user's program, whose words are as those of a runtime."""
    path, *flags = shlex.split(command)
    like = next((each for each in SCENARIOS if each.runtime == runtime), None)
    return Scenario(event, runtime or os.path.basename(path), shlex.join(flags), "%s %d of %s" % (
        event.capitalize(), number, os.path.basename(path)), {"event": event, "number": number}, {}, {},
        path if "/" in path else "./" + path,
        layout=like.layout if like else "", stealval=like.stealval if like else "pool", failed_steals="fail" in event)


def command_of(scenario, binaries="bazel-bin/bench"):
    return [scenario.path or "%s/%s_sim" % (binaries, scenario.runtime), *shlex.split(scenario.program)]


def built(scenario, binaries):
    """The program's path; ends in words where it has not been built."""
    path = command_of(scenario, binaries)[0]
    if os.path.isfile(path) and os.access(path, os.X_OK):
        return path
    raise NotBuilt("--program: %s: there is no such program" % path if scenario.path else
                   "--binaries: %s: %s is not there: bazel build //bench:%s_sim" % (binaries, path, scenario.runtime))


def find(event):
    return [each for each in SCENARIOS if each.event == event]


def by_page(chosen):
    """Lists of the scenarios that share a page: outcomes of one event of one runtime."""
    return [list(each) for _, each in itertools.groupby(
        sorted(chosen, key=lambda each: (each.event, each.runtime)), lambda each: (each.event, each.runtime))]


def command(scenario):
    """The command that draws it, and nothing else."""
    command = "bench/explain %s" % scenario.event
    if len({each.runtime for each in find(scenario.event)}) > 1:
        command += " --runtime=" + scenario.runtime
    return command + (" --outcome=" + scenario.outcome if scenario.outcome else "")
