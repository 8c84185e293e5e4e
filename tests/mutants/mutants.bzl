"""The mutants: mistakes that one could make in the runtime, and exploration has to find.

Starlark for the BUILD file, and so little of it that the scripts read it as Python. Of each:

  name    of the binary
  breaks  what the mistake is, and which rule it breaks
  edits   (file, old text, new text); old text, which quotes no comment, is found exactly once,
          white space and comments aside
  run     program and flags with which it is explored, under --memory=tso where they do not say
  within  the number of seeds within which it must fail: several times as many as it
          took from seed 1, 10001, 20001, ..., since other compilers lay out other frames
  control what must pass the same seeds, where that is not "none"
"""

_END = "common/stealing/end_of_run.h"
_LOCK = "common/stealing/remote_lock.h"
_SEARCH = "common/stealing/search.h"
_RESULT = "common/run/root_result.h"
_THREADS = "impl/uniaddr/threads.h"
_QUEUE = "impl/uniaddr/the_queue.h"
_JOIN = "impl/greedy_join/greedy_join.h"
_HEAP = "impl/greedy_join/local_collection.h"
_RUNTIME = "impl/greedy_join/runtime.h"

# Whose headers are a part of what is mutated.
FOLDERS = [
    "common/fork_join",
    "common/remote_heap",
    "common/run",
    "common/stealing",
    "impl/greedy_join",
    "impl/uniaddr",
]

def _fib(ranks):
    return ["bench", "fib", "--n=12", "--ranks=%d" % ranks]

def _scenario(name, n, ranks):
    return ["scenarios", "--scenario=" + name, "--n=%d" % n, "--ranks=%d" % ranks]

def _dag(ranks):
    return _scenario("dag", 30, ranks)

def _discard(ranks):
    return _scenario("discard", 10, ranks)

def _in_closure(ranks):
    return _scenario("in_closure", 10, ranks)

def _rows(ranks):
    return _scenario("rows", 200, ranks) + ["--grain=4"]

# Pauses, detours and store buffers are drawn in multiples of the latency between nodes.
# Here all ranks share one, whose own latency is a hundredth of that: rough.
_ROUGH = ["--net=loopback,latency=2us"]

def _rough_in_closure(memory):
    return _scenario("in_closure", 20, 4) + _ROUGH + ["--memory=" + memory]

_ROUGH_DAG = _scenario("dag", 60, 4) + _ROUGH

def _edit(file, old, new):
    return dict(file = file, old = old, new = new)

# No mistake, but an owner that looks for freed memory at each allocation instead of
# when it has run out, and overwrites it: small programs notice then that it is gone.
_EAGER = [
    _edit(_HEAP, "if (bytes <= kSmallBytes && align <= kAlign)", "collect(); if (bytes <= kSmallBytes && align <= kAlign)"),
    _edit(_HEAP, "cell->next = free_[header->size_class];", "std::fill_n(reinterpret_cast<std::byte*>(cell), class_bytes(header->size_class) - sizeof(Header), std::byte{0xdb}); cell->next = free_[header->size_class];"),
]

MUTANTS = [
    dict(
        name = "none",
        breaks = "nothing: the control",
        edits = [],
        run = [],
        within = 0,
    ),
    dict(
        name = "none_eager",
        breaks = "nothing: the control of the mutants with _EAGER",
        edits = _EAGER,
        run = [],
        within = 0,
    ),
    # ---------------------------------------------------------------- THE queue
    dict(
        name = "pop_without_fence",
        breaks = "the owner looks at base before others see that it lowered top (THE; the_queue.h, 5)",
        edits = [_edit(_QUEUE, "rma::Word::fence();", "")],
        run = _fib(5),
        within = 100,
    ),
    dict(
        name = "pop_without_look",
        breaks = "pop takes the youngest and does not look at base (the_queue.h, 5)",
        edits = [_edit(_QUEUE, "if (static_cast<int64_t>(ends->base.load()) > top) [[unlikely]] { if (!pop_locked(top)) return false; }", "")],
        run = _fib(3),
        within = 10,
    ),
    dict(
        name = "pop_looks_first",
        breaks = "the owner looks at base before it lowers top (the_queue.h, 5)",
        edits = [
            _edit(_QUEUE, "ends->top.store_relaxed(static_cast<uint64_t>(top));", "const uint64_t base = ends->base.load(); ends->top.store_relaxed(static_cast<uint64_t>(top));"),
            _edit(_QUEUE, "if (static_cast<int64_t>(ends->base.load()) > top) [[unlikely]]", "if (static_cast<int64_t>(base) > top)"),
        ],
        run = _discard(3),
        within = 150,
    ),
    dict(
        name = "thief_without_flush",
        breaks = "the thief looks at top before its base has arrived (DESIGN 3: only flush orders; the_queue.h, 5)",
        edits = [_edit(_QUEUE, "rma::put_word(victim.base(), oldest + 1); rma::flush(victim.shared.rank);", "rma::put_word(victim.base(), oldest + 1);")],
        run = _discard(2),
        within = 60,
    ),
    dict(
        name = "thief_looks_first",
        breaks = "the thief looks at top before it raises base (the_queue.h, 5)",
        edits = [
            _edit(_QUEUE, "rma::put_word(victim.base(), oldest + 1); rma::flush(victim.shared.rank);", ""),
            _edit(_QUEUE, "const Entry entry = rma::get(victim.entries + oldest);", "rma::put_word(victim.base(), oldest + 1); rma::flush(victim.shared.rank); const Entry entry = rma::get(victim.entries + oldest);"),
        ],
        run = _fib(5),
        within = 250,
    ),
    dict(
        name = "thief_reads_entry_early",
        breaks = "the thief reads the entry before it raises base: the owner may still exchange it (the_queue.h, 5)",
        edits = [
            _edit(_QUEUE, "rma::put_word(victim.base(), oldest + 1);", "const Entry early = rma::get(victim.entries + oldest); rma::put_word(victim.base(), oldest + 1);"),
            _edit(_QUEUE, "const Entry entry = rma::get(victim.entries + oldest);", "const Entry entry = early;"),
        ],
        run = _rows(3),
        within = 60,
    ),
    dict(
        name = "thief_stays_ahead",
        breaks = "a thief that found nothing does not step base back (the_queue.h, 5)",
        edits = [_edit(_QUEUE, "rma::put_word(victim.base(), oldest);", "")],
        run = _discard(3),
        within = 20,
    ),
    dict(
        name = "thief_unlocks_unflushed",
        breaks = "a thief that found nothing unlocks before its step back has arrived (the_queue.h, 3)",
        edits = [_edit(_QUEUE, "rma::put_word(victim.base(), oldest); rma::flush(victim.shared.rank);", "rma::put_word(victim.base(), oldest);")],
        run = _discard(3),
        within = 200,
    ),
    dict(
        name = "thief_ignores_the_lock",
        breaks = "a thief goes on although another one has the lock (the_queue.h, 3)",
        edits = [_edit(_QUEUE, "if (!try_lock(victim.lock(), &oldest)) return kBusy;", "try_lock(victim.lock(), &oldest);")],
        run = _dag(5),
        within = 30,
    ),
    dict(
        name = "thief_keeps_the_lock",
        breaks = "a thief that found nothing does not unlock (hpdc15 Fig. 6, line 17)",
        edits = [_edit(_QUEUE, "unlock(victim.lock(), oldest); return kEmpty;", "return kEmpty;")],
        run = _fib(5),
        within = 20,
    ),
    dict(
        name = "unlock_before_copy",
        breaks = "the lock is released before the frames are copied (DESIGN 5; the_queue.h, 6)",
        edits = [_edit(_QUEUE, "take(std::span(&entry, 1)); unlock(victim.lock(), oldest + 1);", "unlock(victim.lock(), oldest + 1); take(std::span(&entry, 1));")],
        run = _dag(3),
        within = 30,
    ),
    dict(
        name = "lock_on_any_value",
        breaks = "who adds to the lock has it, whatever was in it (remote_lock.h, 1)",
        edits = [_edit(_LOCK, "return tries == 0;", "return true;")],
        run = _dag(5),
        within = 20,
    ),
    dict(
        name = "thief_leaves_old_base",
        breaks = "who lets the lock go leaves the base in it that it found (the_queue.h, 4)",
        edits = [_edit(_QUEUE, "unlock(victim.lock(), oldest + 1);", "unlock(victim.lock(), oldest);")],
        run = _dag(3),
        within = 1000,
    ),
    dict(
        name = "owner_leaves_old_base",
        breaks = "the owner starts again at 0 and leaves the old base in the lock (the_queue.h, 4)",
        edits = [_edit(_QUEUE, "lock(own_.lock()); const bool found", "lock(own_.lock()); const uint32_t old = own_base(); const bool found"), _edit(_QUEUE, "unlock(own_.lock(), own_base());\n return found;", "unlock(own_.lock(), old);\n return found;")],
        run = _dag(3),
        within = 1000,
    ),
    dict(
        name = "owner_takes_no_lock",
        breaks = "an owner whose parent seems stolen reuses the region without the lock (DESIGN 5; the_queue.h, 6)",
        edits = [
            _edit(_QUEUE, "lock(own_.lock()); const bool found", "if (static_cast<int64_t>(ends_->base.load()) > top) return false; lock(own_.lock()); const bool found"),
            _edit(_QUEUE, "if (ends_->top.own_value() == 0) return;", "return;"),
        ],
        run = _in_closure(3),
        within = 10,
    ),
    dict(
        name = "owner_locks_by_store",
        breaks = "the owner takes the lock by a load and a store (DESIGN 3: only by atomics; the_queue.h, 4)",
        edits = [_edit(_QUEUE, "lock(own_.lock()); const bool found", "auto& word = own_.shared.local()->lock; while ((word.load() & 0xffffffff) != 0) rma::idle(); word.store(1); const bool found")],
        run = _rough_in_closure("tso"),
        within = 50,
    ),
    dict(
        name = "owner_looks_once",
        breaks = "the owner believes what it saw without the lock: a thief that steps back has taken nothing (the_queue.h, 5)",
        edits = [_edit(_QUEUE, "const bool found = static_cast<int64_t>(ends_->base.load()) <= top;", "const bool found = false;")],
        run = _discard(3),
        within = 20,
    ),
    dict(
        name = "owner_unlocks_unflushed",
        breaks = "the owner unlocks before others see that it started again at 0 (DESIGN 3: only flush orders)",
        edits = [_edit(_QUEUE, "rma::flush(own_.shared.rank);", "")],
        run = _rough_in_closure("tso"),
        within = 300,
    ),
    dict(
        name = "owner_resets_unlocked",
        breaks = "the owner starts again at 0 after the unlock (the_queue.h, 3)",
        edits = [
            _edit(_QUEUE, "ends_->base.store(0);", ""),
            _edit(_QUEUE, "ends_->top.store(0);", ""),
            _edit(_QUEUE, "unlock(own_.lock(), own_base());\n return found;", "unlock(own_.lock(), found ? own_base() : 0); if (!found) { ends_->base.store(0); ends_->top.store(0); } return found;"),
        ],
        run = _rough_in_closure("tso"),
        within = 150,
    ),
    dict(
        name = "push_publishes_early",
        breaks = "push raises top before the entry is written (the_queue.h, 1); the load is a point where others may run",
        edits = [
            _edit(_QUEUE, "entries_[top] = entry;", "ends->top.store(top + 1);"),
            _edit(_QUEUE, "ends->top.store(top + 1);\n  }", "ends->top.load(); entries_[top] = entry;\n  }"),
        ],
        run = _discard(3),
        within = 300,
    ),
    dict(
        name = "push_relaxed",
        breaks = "push does not order what went before it: the flag of a child that has died (greedy_join.h, line 30; the_queue.h, 1)",
        edits = [_edit(_QUEUE, "ends->top.store(top + 1);\n  }", "ends->top.store_relaxed(top + 1);\n  }")],
        run = _rough_in_closure("pso"),
        within = 1500,
    ),

    # ------------------------------------------------------------------ threads
    dict(
        name = "end_without_look",
        breaks = "a child that ends goes on with its parent although the queue had none (thread_layer.h, end_child)",
        edits = [_edit(_THREADS, "if (!queue_.pop(&entry)) [[unlikely]] return false;", "if (!queue_.pop(&entry)) return true;")],
        run = _fib(3),
        within = 10,
    ),
    dict(
        name = "ready_in_the_deque",
        breaks = "a ready thread is offered in the deque while its frames are still evacuated (DESIGN 5)",
        edits = [
            _edit(_THREADS, "incoming_ = next;", "incoming_ = next; queue_.push(next.home);"),
            _edit(_THREADS, "enter(bring_in(std::exchange(incoming_, {})));", "const SavedThread next = std::exchange(incoming_, {}); TaskqEntry popped; if (!queue_.pop(&popped)) continue; enter(bring_in(next));"),
        ],
        run = _in_closure(3),
        within = 50,
    ),
    dict(
        name = "ancestors_forgotten",
        breaks = "after a suspension the rank steals although its region holds ancestors (DESIGN 5)",
        edits = [_edit(_THREADS, "if (queue_.pop(&ancestor)) lineage_.continue_at(ancestor);", "static_cast<void>(ancestor);")],
        run = _in_closure(3),
        within = 20,
    ),
    dict(
        name = "winner_evacuates_late",
        breaks = "the winner of a JOIN copies its frames after the fetch-and-add (DESIGN 5; thread_entry.h, 4)",
        edits = [
            _edit(_THREADS, "std::copy(home.frame_base, home.frame_base + home.frame_bytes, copy);", ""),
            _edit(_THREADS, "} else {\n self->leave();", "} else { std::copy(saved.home.frame_base, saved.home.frame_base + saved.home.frame_bytes, saved.frames.local()); self->leave();"),
        ],
        run = _ROUGH_DAG,
        within = 300,
    ),
    dict(
        name = "end_before_ready",
        breaks = "a rank leaves the run with a thread that it made ready",
        edits = [_edit(_THREADS, "while (incoming_.frames || !end_.over()) {", "while (!end_.over()) {")],
        run = _discard(3),
        within = 200,
    ),
    dict(
        name = "end_not_passed_down",
        breaks = "ranks do not pass the end of the run down the tree (end_of_run.h, 2)",
        edits = [_edit(_END, "known_ = true;", "known_ = true; if (rma::rank() != 0) return true;")],
        run = _fib(5),
        within = 10,
    ),
    dict(
        name = "search_never_ends",
        breaks = "a rank that has found something still counts as one that searches (search.h, 2)",
        edits = [_edit(_SEARCH, "if (forced_steal_) rma::fetch_add(searching_, ~uint64_t{0});", "")],
        run = _fib(2) + ["--forced_steal"],
        within = 10,
    ),
    dict(
        name = "unflushed_end",
        breaks = "a rank ends the run with operations unflushed (DESIGN 3)",
        edits = [_edit(_THREADS, "rma::flush_all();", "")],
        run = _discard(3),
        within = 200,
    ),

    # -------------------------------------------------------------- greedy join
    dict(
        name = "result_unflushed",
        breaks = "the flag is raised before the result has arrived (DESIGN 3: only flush orders; thread_entry.h, 2)",
        edits = [_edit(_JOIN, "rma::flush(e.rank); const uint64_t state = rma::fetch_add(state_of(e), kDone);", "const uint64_t state = rma::fetch_add(state_of(e), kDone);")],
        run = _rough_in_closure("tso"),
        within = 200,
    ),
    dict(
        name = "location_unflushed",
        breaks = "JOIN's fetch-and-add may overtake the joiner's location (DESIGN 3: only flush orders; thread_entry.h, 3)",
        edits = [_edit(_JOIN, "me); rma::flush(e.rank);", "me);")],
        run = _rough_in_closure("tso"),
        within = 150,
    ),
    dict(
        name = "location_read_early",
        breaks = "DIE reads the joiner's location before its fetch-and-add (DESIGN 5)",
        edits = [
            _edit(_JOIN, "const SavedThread joiner = rma::get(rma::remote_field(e, &Entry::joiner));", ""),
            _edit(_JOIN, "const uint64_t state = rma::fetch_add(state_of(e), kDone);", "const SavedThread joiner = rma::get(rma::remote_field(e, &Entry::joiner)); const uint64_t state = rma::fetch_add(state_of(e), kDone);"),
        ],
        run = _in_closure(3),
        within = 80,
    ),
    dict(
        name = "die_not_atomic",
        breaks = "DIE looks for a joiner and then raises the flag, in two steps (cluster22 Fig. 4, line 33)",
        edits = [_edit(_JOIN, "rma::fetch_add(state_of(e), kDone);", "rma::get_word(state_of(e)); rma::put_word(state_of(e), state | kDone); rma::flush(e.rank);")],
        run = _discard(2),
        within = 30,
    ),
    dict(
        name = "done_before_pop",
        breaks = "the fast path raises the flag before it knows that the parent is still here (thread_entry.h, 2)",
        edits = [
            _edit(_JOIN, "++home.joins.stats_.deaths;", "++home.joins.stats_.deaths; entry->state.store_relaxed(entry->state.own_value() | kDone);"),
            _edit(_JOIN, "const uint64_t state = entry->state.own_value(); check((state & (kJoined | kDone)) == 0, \"a joiner came too early\"); entry->state.store_relaxed(state | kDone);", ""),
        ],
        run = _fib(3),
        within = 10,
    ),
    dict(
        name = "dies_as_if_here",
        breaks = "a thread that has moved dies by the plain stores of one that has not (thread_entry.h, 2)",
        edits = [_edit(_JOIN, "if (here(e)) [[likely]] {", "if (e.rank >= 0) {")],
        run = _fib(3),
        within = 400,
    ),
    dict(
        name = "joins_as_if_here",
        breaks = "the usual join is taken for an entry that lies elsewhere (DESIGN 3: a RemotePtr is of one rank)",
        edits = [_edit(_JOIN, "if (!here(e)) [[unlikely]] return join_elsewhere(thread, result, bytes);", "")],
        run = _fib(3),
        within = 20,
    ),
    dict(
        name = "joins_as_if_done",
        breaks = "the usual join is taken for a thread that is not done (thread_entry.h, 3)",
        edits = [_edit(_JOIN, "if (state != done_state_of(thread)) [[unlikely]] return finish_join(thread, state, result, bytes);", "")],
        run = _in_closure(3),
        within = 20,
    ),
    dict(
        name = "dies_at_home",
        breaks = "a thread dies on the instance of the rank where it was born (threads.h, 2)",
        edits = [
            _edit(_JOIN, "Rank::self().joins.die_without_parent(e);", "home.joins.die_without_parent(home, e);"),
            _edit(_JOIN, "die_without_parent(EntryPtr e) { Threads& threads = Rank::self().threads;", "die_without_parent(Rank& home, EntryPtr e) { Threads& threads = home.threads;"),
        ],
        run = _fib(5),
        within = 20,
    ),
    dict(
        name = "loser_queued",
        breaks = "the loser of a JOIN is queued instead of resumed in place (DESIGN 5)",
        edits = [_edit(_THREADS, "self->evacuation_.free(saved.frames);", "self->incoming_ = saved; self->leave();")],
        run = _ROUGH_DAG,
        within = 400,
    ),
    dict(
        name = "loser_keeps_copy",
        breaks = "the loser of a JOIN does not free its evacuated copy (DESIGN 5)",
        edits = [_edit(_THREADS, "self->evacuation_.free(saved.frames);", "")],
        run = _in_closure(3),
        within = 20,
    ),
    dict(
        name = "die_winner_frees",
        breaks = "the first comer of DIE frees the entry, and the joiner again (thread_entry.h, 4)",
        edits = [_edit(_JOIN, "if ((state & kJoined) == 0) threads.leave_empty_region();", "if ((state & kJoined) == 0) { free_entry(e); threads.leave_empty_region(); }")],
        run = _dag(3),
        within = 20,
    ),
    dict(
        name = "state_not_reset",
        breaks = "a recycled entry starts with the flag of the thread before (thread_entry.h, 1)",
        edits = [_edit(_JOIN, "entry->state = rma::Word(new_state(++stats_.spawns));", "++stats_.spawns;")],
        run = _fib(3) + _ROUGH,
        within = 20,
    ),
    dict(
        name = "copy_freed_early",
        breaks = "an evacuated thread's copy is freed before it was brought in (local_collection.h: its last user frees it)",
        edits = _EAGER + [
            _edit(_THREADS, "Lineage::use(thread.home);\n    rma::get(", "Lineage::use(thread.home); evacuation_.free(thread.frames); rma::get("),
            _edit(_THREADS, "thread.home.frame_bytes);\n    evacuation_.free(thread.frames);", "thread.home.frame_bytes);"),
        ],
        run = _dag(3) + _ROUGH,
        within = 300,
        control = "none_eager",
    ),
    dict(
        name = "freed_before_result",
        breaks = "the joiner frees the entry before it has fetched the result (cluster22 Fig. 4, lines 51-52)",
        edits = _EAGER + [
            _edit(_JOIN, "static void take_result(EntryPtr e, void* result, size_t bytes) {", "static void take_result(EntryPtr e, void* result, size_t bytes) { free_entry(e);"),
            _edit(_JOIN, "retval_of(e).offset}, bytes); } free_entry(e);", "retval_of(e).offset}, bytes); }"),
        ],
        run = _dag(3) + _ROUGH,
        within = 20,
        control = "none_eager",
    ),
    dict(
        name = "usual_join_frees_first",
        breaks = "the usual join frees the entry before it has copied the result (remote_heap.h: its last user frees it)",
        edits = _EAGER + [
            _edit(_JOIN, "copy_task_bytes(result, e.local() + 1, bytes); free_entry(e);", "free_entry(e); copy_task_bytes(result, e.local() + 1, bytes);"),
        ],
        run = _dag(3),
        within = 20,
        control = "none_eager",
    ),
    dict(
        name = "mark_not_cleared",
        breaks = "the owner collects without clearing the mark, and will collect again (local_collection.h, 3)",
        edits = _EAGER + [_edit(_HEAP, "cell->freed = rma::Word(0);", "")],
        run = _scenario("any_order", 2, 3) + _ROUGH,
        within = 20,
        control = "none_eager",
    ),
    dict(
        name = "spawned_as_if_small",
        breaks = "the usual spawn is taken for a task that does not fit into its frame (task_frames.h, SmallFrame)",
        edits = [_edit(_RUNTIME, "SmallFrame::fits(*type) ? &run_child<SmallFrame> : &run_child<AnyFrame>", "&run_child<SmallFrame>")],
        run = _scenario("seam_shapes", 2, 2),
        within = 10,
    ),
    dict(
        name = "handle_made_late",
        breaks = "the handle is written when the parent may have left with its place (DESIGN 2; threads.h, 3)",
        edits = [
            _edit(_RUNTIME, "*out = make_handle(e, entry->state.own_value());", ""),
            _edit(_RUNTIME, "rank.threads.begin_child(parent);", "rank.threads.begin_child(parent); *out = make_handle(e, entry->state.own_value());"),
        ],
        run = _fib(5) + ["--forced_steal"],
        within = 60,
    ),

    # -------------------------------------------------------- freeing from afar
    dict(
        name = "cell_without_header",
        breaks = "the usual allocate forgets the header: the cell is too small (local_collection.h, class_of)",
        edits = [_edit(_HEAP, "pop(small_class(bytes + sizeof(Header)))", "pop(small_class(bytes))")],
        run = _discard(3),
        within = 20,
    ),
    dict(
        name = "freed_as_if_here",
        breaks = "free puts an object of another rank into its own free list (local_collection.h, 3)",
        edits = [_edit(_HEAP, "if (object.rank == rma::rank())", "if (object.rank >= 0)")],
        run = _fib(3),
        within = 10,
    ),
    dict(
        name = "mark_on_the_stack",
        breaks = "a non-blocking put's source changes before the flush (DESIGN 3)",
        edits = [_edit(_HEAP, "static constexpr uint64_t kFreed = 1;", "const uint64_t kFreed = 1;")],
        run = _fib(5),
        within = 30,
    ),

    # ----------------------------------------------------------------- the root
    dict(
        name = "root_result_stays",
        breaks = "the root is assumed to end on rank 0: its result is written there locally (DESIGN 5)",
        edits = [_edit(_RESULT, "rma::put(result_, result, bytes_);", "std::memcpy(result_.local(), result, bytes_);")],
        run = _fib(3),
        within = 30,
    ),
    dict(
        name = "root_end_stays",
        breaks = "the root is assumed to end on rank 0: its end is written there locally (DESIGN 5)",
        edits = [_edit(_END, "tell(0);", "over_.local()->store(1);")],
        run = _fib(3),
        within = 20,
    ),
]
