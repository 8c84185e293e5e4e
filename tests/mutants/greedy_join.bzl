"""Mistakes in impl/greedy_join: see mutants.bzl."""

load(":parts.bzl", "EAGER", "controlled", "edit", "made", "mutant", "seeds")
load(":runs.bzl", "ROUGH", "fib", "rough_in_closure", "scenario")

_GREEDY = {
    # ---------------------------------------------------------------- greedy join
    "result_unflushed": mutant(
        "the result has arrived when the flag is raised, which only a flush makes sure of (rma.h; greedy_join.h, 2): no flush",
        [edit("greedy_join.h", "rma::flush(e.rank); const uint64_t state = joins.fetch_add_flag(e, kDone);", "const uint64_t state = joins.fetch_add_flag(e, kDone);")],
        seeds(20, rough_in_closure("tso")),
    ),
    "location_read_early": mutant(
        "DIE reads the joiner's location after its own fetch-and-add has told that there is one (greedy_join.h, 3): it reads before",
        [
            edit("greedy_join.h", "const SavedThread joiner = rma::get(joiner_of(e, consumer, bytes));", "const SavedThread joiner = early;"),
            edit("greedy_join.h", "const uint64_t state = joins.fetch_add_flag(e, kDone);", "const SavedThread early = rma::get(joiner_of(e, 0, bytes)); const uint64_t state = joins.fetch_add_flag(e, kDone);"),
        ],
        seeds(80, scenario("in_closure", 10, 3)),
    ),
    "die_not_atomic": mutant(
        "DIE and JOIN find out in one step who comes last (cluster22 Fig. 4, lines 33 and 46): DIE looks, and then raises the flag",
        [edit("greedy_join.h", "joins.fetch_add_flag(e, kDone);", "rma::get_word(Entries::state_of(e)); rma::put_word(Entries::state_of(e), state | kDone); rma::flush(e.rank);")],
        seeds(30, scenario("discard", 10, 2)),
    ),
    "dies_as_if_here": mutant(
        "plain stores are for an entry of one's own (greedy_join.h, 2): a thread that has moved dies by them",
        [edit("greedy_join.h", "if (Entries::here(e)) { copy_task_bytes", "if (e.rank >= 0) { copy_task_bytes")],
        seeds(200, fib(3)),
    ),
    "rank_kept": mutant(
        "a thread that goes on after a join may be on another rank, and asks anew for what is a rank's own (threads.h, 2): it keeps the old",
        [edit("greedy_join.h", "if ((state & kDone) == 0) wait_for(thread, consumer, bytes); self().take_result(thread, consumer, result, bytes);", "GreedyJoin& joins = self(); if ((state & kDone) == 0) wait_for(thread, consumer, bytes); const EntryPtr e = entry_of<Entry>(thread); rma::get(result, {e.rank, retval_of(e).offset}, bytes); joins.free(thread);")],
        seeds(200, fib(3)),
    ),

    # ---------------------------------------------------------- several consumers
    "shared_finished_unread": mutant(
        "which consumer is the last is found out in one step (task_entries.h, let_go): it looks, and then adds",
        [edit("task_entries.h", "const uint64_t before = rma::fetch_add(e.field(&Entry::finished), mine);", "const uint64_t before = rma::get_word(e.field(&Entry::finished)); rma::fetch_add(e.field(&Entry::finished), mine);")],
        seeds(100, scenario("all_wait", 10, 3)),
    ),
    "ready_above_ancestors": mutant(
        "a ready thread comes into the queue only where no continuation in place is there (threads.h, 4): a thread that has lost its race leaves, and is offered above its ancestors",
        [edit("greedy_join.h", "if (lost) ++self().join_losers_; return lost;", "if (lost) Parts::here().threads.make_ready(me); return false;")],
        seeds(200, scenario("in_closure", 10, 3)),
    ),

    # ------------------------------------------------------------------- spawning
    "handle_made_late": mutant(
        "the handle is written before the parent may leave with its place (threads.h, 3): after that",
        [
            edit("thread_runtime.h", "*out = created; *task = created;", "*task = created;"),
            edit("thread_runtime.h", "rank.threads.after_spawn(); }", "rank.threads.after_spawn(); *out = *task; }"),
        ],
        seeds(60, fib(5) + ["--forced_steal"]),
    ),

    # ---------------------------------------------------------- freeing from afar
    "mark_is_put": mutant(
        "what lets memory be used again is added, since a put may write twice (rma.h, put; cells.h, 3): it is put",
        EAGER + [edit(
            "cells.h",
            "rma::fetch_add_nb(Cell::freed_of(object), 1, nullptr);",
            "static constexpr uint64_t kFreed = 1; const auto freed = Cell::freed_of(object); rma::put_nb({freed.rank, freed.offset}, &kFreed, sizeof(kFreed));",
        )],
        seeds(200, scenario("dag", 30, 4)),
        control = "none_eager",
    ),
    "result_taken_late": mutant(
        "a consumer is through with an entry when it has the result (task_entries.h, take_result): before",
        EAGER + [edit("task_entries.h", "rma::get(result, retval_of(e), bytes); } let_go(task, consumer);", "let_go(task, consumer); return rma::get(result, retval_of(e), bytes); } let_go(task, consumer);")],
        seeds(2000, scenario("in_closure", 20, 4) + ROUGH),
        control = "none_eager",
    ),
}

# -------------------------------------------- stalling join, other ways to free

_STALLING = {
    "stalling_discard_freed_early": mutant(
        "an entry is freed when its thread has ended (stalling_join.h, 3): when it is discarded",
        EAGER + [edit("stalling_join.h", "claim(self().enqueue(thread, consumer, {}));", "self().free(thread);")],
        seeds(100, scenario("discard", 10, 3) + ROUGH),
    ),
    "done_before_result": mutant(
        "the result is in the entry when its state says that it is there (polled_entries.h, put_done): the store of the state passes that of the result",
        [edit("polled_entries.h", "entry->state.store(", "entry->state.store_relaxed(")],
        seeds(300, fib(3) + ["--memory=pso"]),
    ),
}

_LINKED = {
    "linked_freed_stays": mutant(
        "the objects that live are in the list, and nothing else is (linked_collection.h, 1): a freed one's neighbour names it still",
        [
            edit("linked_collection.h", "if (link->next != nullptr) link->next->previous = link->previous;", ""),
            edit("linked_collection.h", "if (live_bytes_ + bytes > limit_) [[unlikely]]", ""),
        ],
        seeds(100, scenario("any_order", 3, 3) + ROUGH),
    ),
}

_BASELINE = {
    "freed_without_lock": mutant(
        "a place is written before the owner may look for it, which only the lock makes sure of (lock_queue.h, 2): no lock",
        [
            edit("lock_queue.h", "lock(queue.field(&Ends::lock)); const uint64_t at", "const uint64_t at"),
            edit("lock_queue.h", "rma::flush(object.rank); unlock(queue.field(&Ends::lock));", "rma::flush(object.rank);"),
        ],
        seeds(600, scenario("any_order", 3, 3) + ROUGH),
    ),
}

GREEDY_JOIN = (
    made(_GREEDY) +
    controlled("none_cont_stalling", _STALLING, runtime = "cont_stalling") +
    controlled("none_cont_greedy_linked", _LINKED, runtime = "cont_greedy_linked") +
    controlled("none_cont_baseline", _BASELINE, runtime = "cont_baseline")
)
