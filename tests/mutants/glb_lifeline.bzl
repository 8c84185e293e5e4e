"""Mistakes in impl/glb_lifeline: see mutants.bzl."""

load(":parts.bzl", "controlled", "edit", "made", "mutant", "seeds")
load(":runs.bzl", "async_scenario", "cases")

# Places of a worker and its manager.
_OF_1 = ["--workers_per_place=1"]
_LIFELINES = ["--random_victims=0"]

# A place that has said too early that it is inactive shows when its tasks are sent to others.
_SENT = async_scenario("trees_at_places", 4, n = 30) + _OF_1 + ["--net=loopback,latency=2us"]

_BOXES = {
    "glb_loot_unflushed": mutant(
        "a load counts from when it is there as a whole (loot.h, 1): no flush",
        [edit("loot.h", "rma::flush(rank); rma::fetch_add(head", "rma::fetch_add(head")],
        seeds(20, cases("LootBoxes.*", 3)),
    ),
}

# Places of one rank.
_COOPERATIVE = {
    "glb_counts_reported_twice": mutant(
        "a report says what has changed since the one before (steal_counts.h, 1): since the start",
        [edit("lifeline_scheme.h", "++own_.reports; counts_.clear();", "++own_.reports;")],
        seeds(100, async_scenario("trees", 3)),
    ),
    "glb_lifeline_asked_twice": mutant(
        "an edge has one request at most (lifelines.h, 1): a place asks whenever it has nothing",
        [edit("lifelines.h", "if (std::exchange(is_waiting, true)) continue;", "if (buddy.manager() == rma::rank()) continue;")],
        seeds(20, async_scenario("trees", 3) + _LIFELINES),
    ),
    "glb_passive_while_it_waits": mutant(
        "a place that waits for an answer is not inactive (steal_counts.h): it is",
        [edit("cooperative.h", "scheme_.ask(victim); if (await_answer(bag)) return true;", "if (scheme_.awaits_answer()) break; scheme_.ask(victim); serve(bag); if (!bag.empty()) return true;")],
        seeds(1500, async_scenario("trees", 4)),
    ),
    "glb_request_by_all": mutant(
        "the thief that has made the first attempt adds its number (lifelines.h, Requests, 2): everybody does",
        [edit("lifelines.h", "if (rma::fetch_add(request_.at(victim), 1) != 0) return false;", "rma::fetch_add(request_.at(victim), 1);")],
        seeds(20, async_scenario("trees", 4)),
    ),
    "glb_not_woken": mutant(
        "a counted receipt ends inactivity (lifeline_scheme.h, 1): the place stays inactive",
        [edit("cooperative.h", "if (scheme_.receive(bag)) state_ = State::kActive;", "scheme_.receive(bag);")],
        seeds(20, async_scenario("trees", 3)),
    ),
    "glb_end_of_place_0": mutant(
        "the run is over when all sums are 0 (steal_counts.h): when place 0 is inactive",
        [edit("lifeline_scheme.h", "is_end_said_ || !sums_.all_zero()) return;", "is_end_said_) return;")],
        seeds(300, async_scenario("trees", 3)),
    ),
    "glb_one_number": mutant(
        "the sum of each place is 0 at the end (steal_counts.h): the sum of all",
        [edit("lifeline_scheme.h", "!sums_.all_zero()) return;", "[this] { int64_t all = 0; for (const auto& [place, sum] : sums_) all += sum; return all != 0; }()) return;")],
        seeds(50, async_scenario("trees", 5, n = 60) + _LIFELINES),
    ),
}

# The parts beside the bag.
_RANK = {
    "glb_finish_entered_late": mutant(
        "a rank has entered a finish when it says so (pool_rank.h, 1): it enters it afterwards",
        [edit("pool_rank.cc", "++finish_; enter(); say_entered();", "++finish_; say_entered(); enter();")],
        seeds(300, async_scenario("reduce_during", 3)),
    ),
    "glb_result_read_torn": mutant(
        "a partial result is read between two merges (partial_result.h, read_first): whenever",
        [edit("partial_result.h", "if (before % 2 == 0 && rma::get_word(changes_.at(rank)) == before) return; rma::idle();", "return;")],
        seeds(20, async_scenario("reduce_during", 3)),
    ),
    "glb_merge_ends_early": mutant(
        "a partial result's sequence is even again when what was merged is there (partial_result.h, merge): others may see that before",
        [edit("partial_result.h", "~Change() { changes->store(changes->own_value() + 1); }", "~Change() { changes->store_relaxed(changes->own_value() + 1); }")],
        seeds(300, async_scenario("reduce_during", 3) + ["--memory=pso"]),
    ),
}

# Places of several ranks.
_HYBRID = {
    "glb_counted_after_the_report": mutant(
        "loot is counted before it is sent (steal_counts.h): when the place has reported next",
        [
            edit("lifeline_scheme.h", "counts_.add(thief.number, 1);", "late_.add(thief.number, 1);"),
            edit("lifeline_scheme.h", "++own_.reports; counts_.clear();", "++own_.reports; counts_.clear(); std::swap(counts_, late_);"),
            edit("lifeline_scheme.h", "Counts sums_;", "Counts sums_, late_;"),
        ],
        seeds(1500, _SENT),
    ),
    "glb_counts_told_after_parking": mutant(
        "a worker has told what it has sent before it parks (worker.h, 3): it parks before",
        [
            edit("worker.h", "rma::flush_all(); if (!counts_.all_zero())", "rma::flush_all(); rma::fetch_add(shared_.busy, ~uint64_t{0}); if (!counts_.all_zero())"),
            edit("worker.h", "rma::fetch_add(shared_.busy, ~uint64_t{0}); is_parked_ = true;", "is_parked_ = true;"),
        ],
        seeds(2000, async_scenario("trees_at_places", 4) + _OF_1),
    ),
    "glb_counts_not_collected": mutant(
        "what workers have told before they parked is in the report (manager.h, all_tasks_have_been_executed): what was there when the step began",
        [edit("manager.h", "return false; scheme_.collect(shared_.sent);", "return false;")],
        seeds(2000, async_scenario("trees_at_places", 4) + _OF_1),
    ),
    "glb_unparks_after_the_claim": mutant(
        "a parked worker is counted again before it claims a task (worker.h, 2): afterwards",
        [edit("worker.h", "unpark(); failures = 0; } const Outcome outcome = bag.steal(victim);", "failures = 0; } const Outcome outcome = bag.steal(victim); if (is_parked_) unpark();")],
        seeds(600, _SENT),
    ),
    "glb_neighbours_mail_uncounted": mutant(
        "`busy` counts tasks on their way to a neighbour (worker.h, 1): from when they are there",
        [
            edit("worker.h", "rma::fetch_add(shared_.busy, 1); return rank;", "return rank;"),
            edit("worker.h", "void mail_taken() const { rma::fetch_add(shared_.busy, ~uint64_t{0}); }", "void mail_taken() const {}"),
        ],
        seeds(6000, async_scenario("trees_at_places", 3, n = 30) + ["--workers_per_place=2", "--period_us=1", "--net=loopback,latency=2us"]),
    ),
    "glb_begins_parked": mutant(
        "workers are busy when a finish begins (worker.h, begin_next): they are parked, the root's too",
        [edit("worker.h", "own_.end.begin_next(); if (is_parked_) unpark();", "own_.end.begin_next();")],
        seeds(100, _SENT + ["--period_us=1"]),
    ),
    "glb_passive_while_it_asks": mutant(
        "a place that waits for an answer is not inactive, though none of its workers runs (manager.h, step): it is",
        [edit("manager.h", "if (all_potential_victims_were_contacted() &&", "if (state_ != State::kEnoughTasks &&")],
        seeds(200, _SENT + ["--steal_by=asking"]),
    ),
}

GLB_LIFELINE = (
    controlled("none_glb_boxes", _BOXES, test = "impl/glb_lifeline/lifelines_test.cc") +
    controlled("none_glb", _COOPERATIVE, runtime = "pool_glb") +
    made(_RANK, control = "none_glb", runtime = "common/task_pool/pool_rank") +
    controlled("none_glb_hybrid", _HYBRID, runtime = "pool_glb_hybrid")
)
