"""Mistakes in impl/glb_lifeline: see mutants.bzl."""

load(
    ":parts.bzl",
    "GLB_BOXES",
    "GLB_BOXES_TEST",
    "GLB_COOPERATIVE",
    "GLB_FINISHES",
    "GLB_FINISHES_TEST",
    "GLB_LIFELINES",
    "GLB_MANAGER",
    "GLB_REQUESTS",
    "GLB_SCHEME",
    "GLB_WORKER",
    "PARTIAL",
    "async_scenario",
    "cases",
    "edit",
)

# Places of a worker and its manager.
_OF_1 = ["--workers_per_place=1"]
_LIFELINES = ["--random_victims=0"]

# A place that has said too early that it is inactive shows when its tasks are sent to others.
_SENT = async_scenario("trees_at_places", 4, n = 30) + _OF_1 + ["--net=loopback,latency=2us"]

_CONTROLS = [
    dict(
        name = name,
        breaks = "nothing: the control of the mutants in " + test,
        edits = [],
        run = [],
        within = 0,
        test = test,
    )
    for name, test in [
        ("none_glb_boxes", GLB_BOXES_TEST),
        ("none_glb_finishes", GLB_FINISHES_TEST),
    ]
] + [
    dict(
        name = name,
        breaks = "nothing: the control of the mutants of " + runtime,
        edits = [],
        run = [],
        within = 0,
        runtime = runtime,
    )
    for name, runtime in [("none_glb", "pool_glb"), ("none_glb_hybrid", "pool_glb_hybrid")]
]

_ALONE = [
    dict(
        name = "glb_loot_unflushed",
        breaks = "a load counts from when it is there as a whole (loot.h, 1): no flush",
        edits = [edit(GLB_BOXES, "rma::flush(rank); rma::fetch_add(head", "rma::fetch_add(head")],
        run = cases("LootBoxes.*", 3),
        within = 20,
        test = GLB_BOXES_TEST,
        control = "none_glb_boxes",
    ),
    dict(
        name = "glb_finish_entered_late",
        breaks = "a rank has entered a finish when it says so (finishes.h, 1): it enters it afterwards",
        edits = [
            edit(GLB_FINISHES, "begun_.begin_next(); enter(); rma::flush_all();", "begun_.begin_next(); rma::flush_all();"),
            edit(GLB_FINISHES, "[](void*, const void*) {}); pause = longer(pause)) rma::idle(pause);", "[](void*, const void*) {}); pause = longer(pause)) rma::idle(pause); enter();"),
        ],
        run = cases("Finishes.*", 3),
        within = 20,
        test = GLB_FINISHES_TEST,
        control = "none_glb_finishes",
    ),
]

# ------------------------------------------------------------ places of one rank

_COOPERATIVE = [
    dict(runtime = "pool_glb", control = "none_glb", **mutant)
    for mutant in [
        dict(
            name = "glb_counts_reported_twice",
            breaks = "a report says what has changed since the one before (steal_counts.h, 1): since the start",
            edits = [edit(GLB_SCHEME, "++own_.reports; counts_.clear();", "++own_.reports;")],
            run = async_scenario("trees", 3),
            within = 100,
        ),
        dict(
            name = "glb_lifeline_asked_twice",
            breaks = "an edge has one request at most (lifelines.h, 1): a place asks whenever it has nothing",
            edits = [edit(GLB_LIFELINES, "if (is_waiting_[edge] || !ends_[edge].buddy) continue;", "if (!ends_[edge].buddy) continue;")],
            run = async_scenario("trees", 3) + _LIFELINES,
            within = 20,
        ),
        dict(
            name = "glb_passive_while_it_waits",
            breaks = "a place that waits for an answer is not inactive (steal_counts.h): it is",
            edits = [edit(GLB_COOPERATIVE, "scheme_.ask(victim); if (await_answer(bag)) return true;", "if (scheme_.awaits_answer()) break; scheme_.ask(victim); serve(bag); if (!bag.empty()) return true;")],
            run = async_scenario("trees", 4),
            within = 1500,
        ),
        dict(
            name = "glb_request_by_all",
            breaks = "who has made the first attempt adds its number (requests.h, 2): everybody does",
            edits = [edit(GLB_REQUESTS, "if (rma::fetch_add(request_.at(victim), 1) != 0) return false;", "rma::fetch_add(request_.at(victim), 1);")],
            run = async_scenario("trees", 4),
            within = 20,
        ),
        dict(
            name = "glb_not_woken",
            breaks = "a counted receipt ends inactivity (lifeline_scheme.h, 1): the place stays inactive",
            edits = [edit(GLB_COOPERATIVE, "if (scheme_.receive(bag)) state_ = State::kActive;", "scheme_.receive(bag);")],
            run = async_scenario("trees", 3),
            within = 20,
        ),
        dict(
            name = "glb_end_of_place_0",
            breaks = "the run is over when all sums are 0 (steal_counts.h): when place 0 is inactive",
            edits = [edit(GLB_SCHEME, "is_end_said_ || !sums_.all_zero()) return;", "is_end_said_) return;")],
            run = async_scenario("trees", 3),
            within = 300,
        ),
        dict(
            name = "glb_one_number",
            breaks = "the sum of each place is 0 at the end (steal_counts.h): the sum of all",
            edits = [edit(GLB_SCHEME, "!sums_.all_zero()) return;", "[this] { int64_t all = 0; for (const auto& [place, sum] : sums_) all += sum; return all != 0; }()) return;")],
            run = async_scenario("trees", 5, n = 60) + _LIFELINES,
            within = 50,
        ),
    ]
]

# ------------------------------------------------- the parts beside the bag

_RANK = [
    dict(runtime = "common/task_pool/pool_rank", control = "none_glb", **mutant)
    for mutant in [
        dict(
            name = "glb_result_read_torn",
            breaks = "a partial result is read between two merges (partial_result.h, read_first): whenever",
            edits = [edit(PARTIAL, "if (before % 2 == 0 && rma::get_word(changes_.at(rank)) == before) return; rma::idle();", "return;")],
            run = async_scenario("reduce_during", 3),
            within = 20,
        ),
        dict(
            name = "glb_merge_ends_early",
            breaks = "a partial result's sequence is even again when what was merged is there (partial_result.h, merge_in_sight): others may see that before",
            edits = [edit(PARTIAL, "~Change() { changes->store(changes->own_value() + 1); }", "~Change() { changes->store_relaxed(changes->own_value() + 1); }")],
            run = async_scenario("reduce_during", 3) + ["--memory=pso"],
            within = 100,
        ),
    ]
]

# ------------------------------------------------------- places of several ranks

_HYBRID = [
    dict(runtime = "pool_glb_hybrid", control = "none_glb_hybrid", **mutant)
    for mutant in [
        dict(
            name = "glb_counted_after_the_report",
            breaks = "loot is counted before it is sent (steal_counts.h): when the place has reported next",
            edits = [
                edit(GLB_SCHEME, "counts_.add(thief.number, 1);", "late_.add(thief.number, 1);"),
                edit(GLB_SCHEME, "++own_.reports; counts_.clear();", "++own_.reports; counts_.clear(); std::swap(counts_, late_);"),
                edit(GLB_SCHEME, "Counts sums_;", "Counts sums_, late_;"),
            ],
            run = _SENT,
            within = 1500,
        ),
        dict(
            name = "glb_counts_told_after_parking",
            breaks = "a worker has told what it has sent before it parks (worker.h, 3): it parks before",
            edits = [
                edit(GLB_WORKER, "rma::flush_all(); if (!counts_.all_zero())", "rma::flush_all(); rma::fetch_add(shared_.busy, ~uint64_t{0}); if (!counts_.all_zero())"),
                edit(GLB_WORKER, "rma::fetch_add(shared_.busy, ~uint64_t{0}); is_parked_ = true;", "is_parked_ = true;"),
            ],
            run = async_scenario("trees_at_places", 4) + _OF_1,
            within = 2000,
        ),
        dict(
            name = "glb_counts_not_collected",
            breaks = "what workers have told before they parked is in the report (manager.h, all_tasks_have_been_executed): what was there when the step began",
            edits = [edit(GLB_MANAGER, "return false; scheme_.collect(shared_.sent);", "return false;")],
            run = async_scenario("trees_at_places", 4) + _OF_1,
            within = 2000,
        ),
        dict(
            name = "glb_unparks_after_the_claim",
            breaks = "a parked worker is counted again before it claims a task (worker.h, 2): afterwards",
            edits = [edit(GLB_WORKER, "unpark(); failures = 0; } const Outcome outcome = bag.steal(victim);", "failures = 0; } const Outcome outcome = bag.steal(victim); if (is_parked_) unpark();")],
            run = _SENT,
            within = 600,
        ),
        dict(
            name = "glb_neighbours_mail_uncounted",
            breaks = "`busy` counts tasks on their way to a neighbour (worker.h, 1): from when they are there",
            edits = [
                edit(GLB_WORKER, "rma::fetch_add(shared_.busy, 1); return rank;", "return rank;"),
                edit(GLB_WORKER, "void mail_taken() const { rma::fetch_add(shared_.busy, ~uint64_t{0}); }", "void mail_taken() const {}"),
            ],
            run = async_scenario("trees_at_places", 3, n = 30) + ["--workers_per_place=2", "--period_us=1", "--net=loopback,latency=2us"],
            within = 6000,
        ),
        dict(
            name = "glb_begins_parked",
            breaks = "workers are busy when a finish begins (worker.h, begin_next): they are parked, the root's too",
            edits = [edit(GLB_WORKER, "own_.end.begin_next(); if (is_parked_) unpark();", "own_.end.begin_next();")],
            run = _SENT + ["--period_us=1"],
            within = 100,
        ),
        dict(
            name = "glb_passive_while_it_asks",
            breaks = "a place that waits for an answer is not inactive, though none of its workers runs (manager.h, step): it is",
            edits = [edit(GLB_MANAGER, "if (all_potential_victims_were_contacted() &&", "if (state_ != State::kEnoughTasks &&")],
            run = _SENT + ["--steal_by=asking"],
            within = 200,
        ),
    ]
]

GLB_LIFELINE = _CONTROLS + _ALONE + _COOPERATIVE + _RANK + _HYBRID
