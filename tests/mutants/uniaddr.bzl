"""Mistakes in impl/uniaddr: see mutants.bzl."""

load(
    ":parts.bzl",
    "EAGER",
    "JOIN",
    "QUEUE",
    "ROUGH",
    "ROUGH_DAG",
    "THREADS",
    "THREADS_TEST",
    "cases",
    "dag",
    "discard",
    "edit",
    "fib",
    "in_closure",
    "rough_in_closure",
    "rows",
)

UNIADDR = [
    dict(
        name = "none_threads",
        breaks = "nothing: the control of the mutants in " + THREADS_TEST,
        edits = [],
        run = [],
        within = 0,
        test = THREADS_TEST,
    ),
    # ---------------------------------------------------------------- THE queue
    dict(
        name = "pop_without_fence",
        breaks = "an owner lowers top, fences, and then looks at base (the_queue.h, 5): no fence",
        edits = [edit(QUEUE, "rma::Word::fence();", "")],
        run = fib(5),
        within = 100,
    ),
    dict(
        name = "thief_looks_first",
        breaks = "a thief raises base, flushes, and then looks at top (the_queue.h, 5): it looks first",
        edits = [
            edit(QUEUE, "rma::put_word(victim.base(), oldest + 1); rma::flush(victim.shared.rank);", ""),
            edit(QUEUE, "const Item item = rma::get(victim.items + oldest);", "rma::put_word(victim.base(), oldest + 1); rma::flush(victim.shared.rank); const Item item = rma::get(victim.items + oldest);"),
        ],
        run = fib(5),
        within = 60,
    ),
    dict(
        name = "thief_reads_item_early",
        breaks = "a thief reads the item when its base stands, since the owner may exchange it until then (the_queue.h, 5): it reads before",
        edits = [
            edit(QUEUE, "rma::put_word(victim.base(), oldest + 1);", "const Item early = rma::get(victim.items + oldest); rma::put_word(victim.base(), oldest + 1);"),
            edit(QUEUE, "const Item item = rma::get(victim.items + oldest);", "const Item item = early;"),
        ],
        run = rows(3),
        within = 60,
    ),
    dict(
        name = "thief_ignores_the_lock",
        breaks = "who finds that others tried before has not got the lock (remote_lock.h, 1; the_queue.h, 3): it goes on",
        edits = [edit(QUEUE, "if (!try_lock(victim.lock(), &oldest)) return kBusy;", "try_lock(victim.lock(), &oldest);")],
        run = dag(5),
        within = 30,
    ),
    dict(
        name = "unlock_before_copy",
        breaks = "a thief has the lock until it has copied the frames (the_queue.h, 6): it unlocks before",
        edits = [edit(QUEUE, "take(std::span(&item, 1)); phase.restart(); unlock(victim.lock(), oldest + 1);", "unlock(victim.lock(), oldest + 1); take(std::span(&item, 1));")],
        run = dag(3),
        within = 30,
    ),
    dict(
        name = "thief_leaves_old_base",
        breaks = "who lets the lock go leaves the base in it (the_queue.h, 4): a thief leaves that which it found",
        edits = [edit(QUEUE, "unlock(victim.lock(), oldest + 1);", "unlock(victim.lock(), oldest);")],
        run = dag(3),
        within = 60,
    ),
    dict(
        name = "owner_locks_by_store",
        breaks = "the target of others' atomics is changed by atomics alone, by its owner too (rma.h; remote_lock.h, 1): the owner locks by a load and a store",
        edits = [edit(QUEUE, "lock(own_.lock()); const bool found", "auto& word = own_.shared.local()->lock; while ((word.load() & 0xffffffff) != 0) rma::idle(); word.store(word.load() + 1); const bool found")],
        run = rough_in_closure("tso"),
        within = 50,
    ),
    dict(
        name = "left_lowered",
        breaks = "a pop that is not over at once leaves top as it was (the_queue.h, pop_at_once): lowered",
        edits = [edit(QUEUE, "ends->top.store(ends->top.own_value() + 1); return false;", "return false;")],
        run = fib(2),
        within = 100,
    ),
    dict(
        name = "owner_looks_once",
        breaks = "an owner believes base when it has the lock, for a thief may step back (the_queue.h, 5): it believes what it saw before",
        edits = [edit(QUEUE, "const bool found = static_cast<int64_t>(ends_->base.load()) <= top;", "const bool found = false;")],
        run = discard(3),
        within = 20,
    ),
    dict(
        name = "owner_unlocks_unflushed",
        breaks = "what is changed under the lock has arrived when the lock is let go, which only a flush makes sure of (rma.h; the_queue.h, 3): no flush",
        edits = [edit(QUEUE, "rma::flush(own_.shared.rank);", "")],
        run = rough_in_closure("tso"),
        within = 300,
    ),
    dict(
        name = "push_relaxed",
        breaks = "push orders what went before it, the item and the flag of a child that has died (the_queue.h, 1; greedy_join.h, line 30): it orders nothing",
        edits = [edit(QUEUE, "ends->top.store(top + 1);", "ends->top.store_relaxed(top + 1);")],
        run = rough_in_closure("pso"),
        within = 1500,
    ),

    # ------------------------------------------------------------------ threads
    dict(
        name = "ready_as_if_in_place",
        breaks = "an evacuated thread is in the queue as such, and not as a continuation whose frames lie at their addresses (item.h): one that became ready is offered as the latter",
        edits = [
            edit(THREADS, "incoming_ = next;", "incoming_ = next; queue_.push(next.home);"),
            edit(THREADS, "enter(bring_in(std::exchange(incoming_, {})));", "const SavedThread next = std::exchange(incoming_, {}); Item popped; if (!queue_.pop(&popped)) continue; enter(bring_in(next));"),
        ],
        run = in_closure(3),
        within = 50,
    ),
    dict(
        name = "winner_evacuates_late",
        breaks = "who waits has copied its frames before its fetch-and-add, for it may be resumed at once (greedy_join.h, 4): it copies after",
        edits = [
            edit(THREADS, "std::copy(home.frame_base, home.frame_base + home.frame_bytes, copy);", ""),
            edit(THREADS, "} else {\n go_on_without_it();", "} else { std::copy(saved.home.frame_base, saved.home.frame_base + saved.home.frame_bytes, saved.frames.local()); go_on_without_it();"),
        ],
        run = ROUGH_DAG,
        within = 300,
    ),
    dict(
        name = "end_before_ready",
        breaks = "a rank leaves the run when it has no thread that is ready (threads.h): it leaves with one",
        edits = [edit(THREADS, "while (incoming_.frames || !may_end()) {", "while (!may_end()) {")],
        run = discard(3),
        within = 200,
    ),
    dict(
        name = "unflushed_end",
        breaks = "a rank flushes before the run ends, since a collective orders nothing (rma.h): no flush",
        edits = [edit(THREADS, "rma::flush_all();", "")],
        run = discard(3),
        within = 50,
    ),
    dict(
        name = "loser_queued",
        breaks = "the loser of a JOIN goes on in place, its ancestors below it: it is queued",
        edits = [edit(THREADS, "evacuation_.free(saved.frames);\n } else {", "incoming_ = saved; go_on_without_it();\n } else {")],
        run = ROUGH_DAG,
        within = 400,
    ),
    dict(
        name = "copy_freed_early",
        breaks = "an object is freed after its last use (remote_heap.h): an evacuated thread's copy before it was brought in",
        edits = EAGER + [
            edit(THREADS, "Lineage::use(thread.home);\n    rma::get(", "Lineage::use(thread.home); evacuation_.free(thread.frames); rma::get("),
            edit(THREADS, "thread.home.frame_bytes);\n    evacuation_.free(thread.frames);", "thread.home.frame_bytes);"),
        ],
        run = dag(3) + ROUGH,
        within = 300,
        control = "none_eager",
    ),

    # -------------------------------------------- ready threads (thread_layer.h)
    dict(
        name = "ready_thread_as_parent",
        breaks = "a thread that has no parent here leaves a ready thread in the queue (threads.h, has_no_parent): it takes it away",
        edits = [edit(THREADS, "queue_.push(youngest); return false;", "return false;")],
        run = cases("*.WhoIsReady*", 3),
        within = 200,
        test = THREADS_TEST,
        control = "none_threads",
    ),
    dict(
        name = "looks_only_before_it_searches",
        breaks = "a thread that waits is looked at after each failed attempt (thread_layer.h): when the search begins",
        edits = [edit(THREADS, "if (outcome != Outcome::kTaken) ready.next(&incoming_);", "")],
        run = cases("*.WhoWaits*", 3),
        within = 100,
        test = THREADS_TEST,
        control = "none_threads",
    ),
]
