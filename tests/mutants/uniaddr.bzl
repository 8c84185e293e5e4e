"""Mistakes in impl/uniaddr: see mutants.bzl."""

load(":parts.bzl", "EAGER", "controlled", "edit", "made", "mutant", "seeds")
load(":runs.bzl", "ROUGH", "ROUGH_DAG", "cases", "fib", "rough_in_closure", "rows", "scenario")

_IN_RUNS = {
    # ------------------------------------------------------------------ THE queue
    "pop_without_fence": mutant(
        "an owner lowers top, fences, and then looks at base (the_queue.h, 5): no fence",
        [edit("the_queue.h", "rma::Word::fence();", "")],
        seeds(100, fib(5)),
    ),
    "thief_looks_first": mutant(
        "a thief raises base, flushes, and then looks at top (the_queue.h, 5): it looks first",
        [
            edit("the_queue.h", "rma::put_word(victim.base(), oldest + 1); rma::flush(victim.shared.rank);", ""),
            edit("the_queue.h", "const Item item = rma::get(victim.items + oldest);", "rma::put_word(victim.base(), oldest + 1); rma::flush(victim.shared.rank); const Item item = rma::get(victim.items + oldest);"),
        ],
        seeds(60, fib(5)),
    ),
    "thief_reads_item_early": mutant(
        "a thief reads the item when its base stands, since the owner may exchange it until then (the_queue.h, 5): it reads before",
        [
            edit("the_queue.h", "rma::put_word(victim.base(), oldest + 1);", "const Item early = rma::get(victim.items + oldest); rma::put_word(victim.base(), oldest + 1);"),
            edit("the_queue.h", "const Item item = rma::get(victim.items + oldest);", "const Item item = early;"),
        ],
        seeds(60, rows(3)),
    ),
    "unlock_before_copy": mutant(
        "a thief has the lock until it has copied the frames (the_queue.h, 6): it unlocks before",
        [edit("the_queue.h", "take(std::span(&item, 1)); phase.restart(); unlock(victim.lock(), oldest + 1);", "unlock(victim.lock(), oldest + 1); take(std::span(&item, 1));")],
        seeds(30, scenario("dag", 30, 3)),
    ),
    "thief_leaves_old_base": mutant(
        "a rank that lets the lock go leaves the base in it (the_queue.h, 4): a thief leaves that which it found",
        [edit("the_queue.h", "unlock(victim.lock(), oldest + 1);", "unlock(victim.lock(), oldest);")],
        seeds(60, scenario("dag", 30, 3)),
    ),
    "owner_locks_by_store": mutant(
        "the target of others' atomics is changed by atomics alone, by its owner too (rma.h; remote_lock.h, 1): the owner locks by a load and a store",
        [edit("the_queue.h", "lock(own_.lock()); const bool found", "auto& word = own_.shared.local()->lock; while ((word.load() & 0xffffffff) != 0) rma::idle(); word.store(word.load() + 1); const bool found")],
        seeds(50, rough_in_closure("tso")),
    ),
    "unlocks_by_a_put": mutant(
        "a lock is let go by a put only where puts are atomic (remote_lock.h): everywhere",
        [edit("remote_lock.h", "if (rma::writes_are_atomic())", "")],
        seeds(100, fib(5)),
    ),
    "left_lowered": mutant(
        "a pop that is not over at once leaves top as it was (the_queue.h, pop_at_once): lowered",
        [edit("the_queue.h", "ends->top.store(ends->top.own_value() + 1); return false;", "return false;")],
        seeds(100, fib(2)),
    ),
    "owner_unlocks_unflushed": mutant(
        "what is changed under the lock has arrived when the lock is let go, which only a flush makes sure of (rma.h; the_queue.h, 3): no flush",
        [edit("the_queue.h", "rma::flush(own_.shared.rank);", "")],
        seeds(300, rough_in_closure("tso")),
    ),
    "push_relaxed": mutant(
        "push orders what went before it, the item and the flag of a child that has died (the_queue.h, 1; greedy_join.h, line 30): it orders nothing",
        [edit("the_queue.h", "ends->top.store(top + 1);", "ends->top.store_relaxed(top + 1);")],
        seeds(1500, rough_in_closure("pso")),
    ),

    # -------------------------------------------------------------------- threads
    "ready_as_if_in_place": mutant(
        "an evacuated thread is in the queue as such, and not as a continuation whose frames lie at their addresses (offered_threads.h): one that became ready is offered as the latter",
        [
            edit("uniaddr/threads.h", "incoming_ = next;", "incoming_ = next; queue_.push(next.home);"),
            edit("uniaddr/threads.h", "lineage_.enter(bring_in(std::exchange(incoming_, {})));", "const SavedThread next = std::exchange(incoming_, {}); if (queue_.pop() == nullptr) continue; lineage_.enter(bring_in(next));"),
        ],
        seeds(50, scenario("in_closure", 10, 3)),
    ),
    "winner_evacuates_late": mutant(
        "a thread that waits has copied its frames before its fetch-and-add, for it may be resumed at once (greedy_join.h, 4): it copies after",
        [
            edit("uniaddr/threads.h", "std::copy(home.frame_base, home.frame_base + home.frame_bytes, rma::plain_write(copy, home.frame_bytes));", ""),
            edit("uniaddr/threads.h", "} else {\n go_on_without_it();", "} else { std::copy(saved.home.frame_base, saved.home.frame_base + saved.home.frame_bytes, saved.frames.local()); go_on_without_it();"),
        ],
        seeds(300, ROUGH_DAG),
    ),
    "end_before_ready": mutant(
        "a rank leaves the run when it has no thread that is ready (threads.h): it leaves with one",
        [edit("uniaddr/threads.h", "while (incoming_.frames || !may_end()) {", "while (!may_end()) {")],
        seeds(200, scenario("discard", 10, 3)),
    ),
    "unflushed_end": mutant(
        "a rank flushes before the run ends, since a collective orders nothing (rma.h): no flush",
        [edit("uniaddr/threads.h", "rma::flush_all();", "")],
        seeds(50, scenario("discard", 10, 3)),
    ),
    "loser_queued": mutant(
        "the loser of a JOIN goes on in place, its ancestors below it: it is queued",
        [edit("uniaddr/threads.h", "evacuation_.free(saved.frames);\n } else {", "incoming_ = saved; go_on_without_it();\n } else {")],
        seeds(400, ROUGH_DAG),
    ),
    "copy_freed_early": mutant(
        "an object is freed after its last use (remote_heap.h): an evacuated thread's copy before it was brought in",
        EAGER + [
            edit("uniaddr/threads.h", "Lineage::use(thread.home);\n    rma::get(", "Lineage::use(thread.home); evacuation_.free(thread.frames); rma::get("),
            edit("uniaddr/threads.h", "thread.home.frame_bytes);\n    evacuation_.free(thread.frames);", "thread.home.frame_bytes);"),
        ],
        seeds(300, scenario("dag", 30, 3) + ROUGH),
        control = "none_eager",
    ),
}

# Ready threads (thread_layer.h).
_IN_A_TEST = {
    "ready_thread_as_parent": mutant(
        "a thread that has no parent here leaves a ready thread in the queue (threads.h, has_no_parent): it takes it away",
        [edit("uniaddr/threads.h", "queue_.push(youngest); return false;", "return false;")],
        seeds(200, cases("*.ReadyGoesOn*", 3)),
    ),
    "looks_only_before_it_searches": mutant(
        "a thread that waits is looked at after each failed attempt (thread_layer.h): when the search begins",
        [edit("uniaddr/threads.h", "if (outcome != Outcome::kTaken) ready.next(&incoming_);", "")],
        seeds(100, cases("*.WaitingIsLookedAt*", 3)),
    ),
}

UNIADDR = made(_IN_RUNS) + controlled("none_threads", _IN_A_TEST, test = "impl/uniaddr/threads_test.cc")
