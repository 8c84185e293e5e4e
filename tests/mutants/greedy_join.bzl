"""Mistakes in impl/greedy_join: see mutants.bzl."""

load(
    ":parts.bzl",
    "EAGER",
    "ENTRIES",
    "HEAP",
    "JOIN",
    "LINKED",
    "LOCK_QUEUE",
    "ROUGH",
    "RUNTIME",
    "STALLING",
    "dag",
    "discard",
    "edit",
    "fib",
    "in_closure",
    "rough_in_closure",
    "scenario",
)

_GREEDY = [
    # -------------------------------------------------------------- greedy join
    dict(
        name = "result_unflushed",
        breaks = "the result has arrived when the flag is raised, which only a flush makes sure of (rma.h; greedy_join.h, 2): no flush",
        edits = [edit(JOIN, "rma::flush(e.rank); const uint64_t state = joins.fetch_add_flag(e, kDone);", "const uint64_t state = joins.fetch_add_flag(e, kDone);")],
        run = rough_in_closure("tso"),
        within = 20,
    ),
    dict(
        name = "location_read_early",
        breaks = "DIE reads the joiner's location after its own fetch-and-add has told that there is one (greedy_join.h, 3): it reads before",
        edits = [
            edit(JOIN, "const SavedThread joiner = rma::get(joiner_of(e, consumer, bytes));", "const SavedThread joiner = early;"),
            edit(JOIN, "const uint64_t state = joins.fetch_add_flag(e, kDone);", "const SavedThread early = rma::get(joiner_of(e, 0, bytes)); const uint64_t state = joins.fetch_add_flag(e, kDone);"),
        ],
        run = in_closure(3),
        within = 80,
    ),
    dict(
        name = "die_not_atomic",
        breaks = "DIE and JOIN find out in one step who comes last (cluster22 Fig. 4, lines 33 and 46): DIE looks, and then raises the flag",
        edits = [edit(JOIN, "joins.fetch_add_flag(e, kDone);", "rma::get_word(Entries::state_of(e)); rma::put_word(Entries::state_of(e), state | kDone); rma::flush(e.rank);")],
        run = discard(2),
        within = 30,
    ),
    dict(
        name = "dies_as_if_here",
        breaks = "plain stores are for an entry of one's own (greedy_join.h, 2): a thread that has moved dies by them",
        edits = [edit(JOIN, "if (Entries::here(e)) { copy_task_bytes", "if (e.rank >= 0) { copy_task_bytes")],
        run = fib(3),
        within = 200,
    ),
    dict(
        name = "rank_kept",
        breaks = "who goes on after a join may be on another rank, and asks anew for what is a rank's own (threads.h, 2): it keeps the old",
        edits = [edit(JOIN, "if ((state & kDone) == 0) wait_for(thread, consumer, bytes); self().entries_.take_result(entry_of<Entry>(thread), consumer, result, bytes);", "GreedyJoin& joins = self(); if ((state & kDone) == 0) wait_for(thread, consumer, bytes); const EntryPtr e = entry_of<Entry>(thread); rma::get(result, {e.rank, retval_of(e).offset}, bytes); joins.entries_.free(e);")],
        run = fib(3),
        within = 200,
    ),

    # -------------------------------------------------------- several consumers
    dict(
        name = "shared_finished_unread",
        breaks = "which consumer is the last is found out in one step (task_entries.h, let_go): it looks, and then adds",
        edits = [edit(ENTRIES, "const uint64_t before = rma::fetch_add(e.field(&Entry::finished), mine);", "const uint64_t before = rma::get_word(e.field(&Entry::finished)); rma::fetch_add(e.field(&Entry::finished), mine);")],
        run = scenario("all_wait", 3, 4),
        within = 200,
    ),
    dict(
        name = "ready_above_ancestors",
        breaks = "a ready thread comes into the queue only where no continuation in place is there (threads.h, 4): a thread that has lost its race leaves, and is offered above its ancestors",
        edits = [edit(JOIN, "if (lost) ++self().join_losers_; return lost;", "if (lost) Parts::here().threads.make_ready(me); return false;")],
        run = in_closure(3),
        within = 200,
    ),

    # ----------------------------------------------------------------- spawning
    dict(
        name = "handle_made_late",
        breaks = "the handle is written before the parent may leave with its place (threads.h, 3): after that",
        edits = [
            edit(RUNTIME, "const Handle task = *out = rank.joins.create(type);", "const Handle task = rank.joins.create(type);"),
            edit(RUNTIME, "rank.threads.after_spawn(); return task;", "rank.threads.after_spawn(); *out = task; return task;"),
        ],
        run = fib(5) + ["--forced_steal"],
        within = 60,
    ),

    # -------------------------------------------------------- freeing from afar
    dict(
        name = "mark_is_put",
        breaks = "what lets memory be used again is added, since a put may write twice (rma.h, put; local_collection.h, 1): it is put",
        edits = EAGER + [edit(
            HEAP,
            "rma::fetch_add_nb(Cell::freed_of(object), 1, nullptr);",
            "static constexpr uint64_t kFreed = 1; const auto freed = Cell::freed_of(object); rma::put_nb({freed.rank, freed.offset}, &kFreed, sizeof(kFreed));",
        )],
        run = dag(4),
        control = "none_eager",
        within = 200,
    ),
    dict(
        name = "result_taken_late",
        breaks = "a consumer is through with an entry when it has the result (task_entries.h, take_result): before",
        edits = EAGER + [edit(ENTRIES, "rma::get(result, retval_of(e), bytes); } let_go(e, consumer);", "let_go(e, consumer); return rma::get(result, retval_of(e), bytes); } let_go(e, consumer);")],
        run = in_closure(3) + ROUGH,
        control = "none_eager",
        within = 400,
    ),
]

# ------------------------------------------ stalling join, other ways to free

def _under(runtime, **mutant):
    return dict(runtime = runtime, control = "none_" + runtime, **mutant)

_CONTROLS = [
    dict(
        name = "none_" + runtime,
        breaks = "nothing: the control of the mutants of " + runtime,
        edits = [],
        run = [],
        within = 0,
        runtime = runtime,
    )
    for runtime in ["cont_baseline", "cont_greedy_linked", "cont_stalling", "cont_stalling_system"]
]

_STALLING = [
    _under(
        "cont_stalling",
        name = "stalling_result_unflushed",
        breaks = "the result has arrived when the flag is raised (task_entries.h, put_done): no flush",
        edits = [edit(ENTRIES, "rma::flush(e.rank); rma::fetch_add(state_of(e), kDone);", "rma::fetch_add(state_of(e), kDone);")],
        run = rough_in_closure("tso"),
        within = 40,
    ),
    _under(
        "cont_stalling",
        name = "stalling_discard_freed_early",
        breaks = "an entry is freed when its thread has ended (stalling_join.h, 3): when it is discarded",
        edits = EAGER + [edit(STALLING, "claim(self().enqueue(thread, consumer, {}));", "self().entries_.free(entry_of<Entry>(thread));")],
        run = discard(3) + ROUGH,
        within = 100,
    ),
    _under(
        "cont_stalling_system",
        name = "stalling_claim_comes_late",
        breaks = "a claim has come before its consumer goes on (stalling_join.h, 3): it may come to the next task's entry",
        edits = EAGER + [edit(STALLING, "rma::flush(entry_of<Entry>(waiter.joined).rank); if ((waiter.claims & waiter.claim()) != 0) rma::fatal(kClaimedTwice);", "")],
        run = scenario("wavefront", 1, 3) + ROUGH,
        within = 400,
    ),
]

_FREEING = [
    _under(
        "cont_greedy_linked",
        name = "linked_freed_stays",
        breaks = "the objects that live are in the list, and nothing else is (linked_collection.h, 1): a freed one's neighbour names it still",
        edits = [
            edit(LINKED, "if (link->next != nullptr) link->next->previous = link->previous;", ""),
            edit(LINKED, "if (live_bytes_ + bytes > limit_) [[unlikely]]", ""),
        ],
        run = scenario("any_order", 3, 3) + ROUGH,
        within = 100,
    ),
    _under(
        "cont_baseline",
        name = "freed_without_lock",
        breaks = "a place is written before the owner may look for it, which only the lock makes sure of (lock_queue.h, 2): no lock",
        edits = [
            edit(LOCK_QUEUE, "lock(queue.field(&Ends::lock)); const uint64_t at", "const uint64_t at"),
            edit(LOCK_QUEUE, "rma::flush(object.rank); unlock(queue.field(&Ends::lock));", "rma::flush(object.rank);"),
        ],
        run = scenario("any_order", 3, 3) + ROUGH,
        within = 600,
    ),
    _under(
        "cont_baseline",
        name = "freed_place_unflushed",
        breaks = "a place has arrived when the lock is let go (lock_queue.h, 2): no flush",
        edits = [edit(LOCK_QUEUE, "rma::flush(object.rank); unlock(queue.field(&Ends::lock));", "unlock(queue.field(&Ends::lock));")],
        run = scenario("any_order", 3, 3) + ROUGH,
        within = 200,
    ),
]

GREEDY_JOIN = _GREEDY + _CONTROLS + _STALLING + _FREEING
