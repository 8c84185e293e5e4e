"""Mistakes in impl/child_steal: see mutants.bzl."""

load(
    ":parts.bzl",
    "CHILD_BURIALS",
    "CHILD_FULL",
    "CHILD_RANK",
    "CHILD_RTC",
    "CHILD_TASKS",
    "QUEUE",
    "ROUGH",
    "ROUGH_DAG",
    "any_order",
    "dag",
    "discard",
    "edit",
    "fib",
    "in_closure",
    "rows",
    "rough_in_closure",
    "scenario",
)

_FULL = [
    # -------------------------------------------------- the entry, and its flag
    dict(
        name = "child_flag_before_result",
        breaks = "the flag is put before the result (cluster22 Fig. 3, lines 5 and 6; tasks.h, 2)",
        edits = [
            edit(CHILD_TASKS, "if (bytes > 0) rma::put_nb(retval_of(e), result, bytes);", ""),
            edit(CHILD_TASKS, "rma::fetch_add(state_of(e), kDone);", "rma::fetch_add(state_of(e), kDone); if (bytes > 0) rma::put_nb(retval_of(e), result, bytes); rma::flush(e.rank);"),
        ],
        run = in_closure(3),
        within = 40,
    ),
    dict(
        name = "child_result_unflushed",
        breaks = "the flag may overtake the result (DESIGN 3: only flush orders; tasks.h, 2)",
        edits = [edit(CHILD_TASKS, "rma::flush(e.rank); rma::fetch_add(state_of(e), kDone);", "rma::fetch_add(state_of(e), kDone); rma::flush(e.rank);")],
        run = rough_in_closure("tso"),
        within = 40,
    ),
    dict(
        name = "child_flag_is_put",
        breaks = "the flag is put, and so maybe twice (rma.h, put; tasks.h, 2)",
        edits = [edit(CHILD_TASKS, "rma::fetch_add(state_of(e), kDone);", "rma::put_word(state_of(e), done_state_of(task.task)); rma::flush(e.rank);")],
        run = ROUGH_DAG,
        within = 100,
    ),
    dict(
        name = "child_no_room_for_closure",
        breaks = "an entry has room for its result alone, and not for the closure that lies there before (tasks.h, 3)",
        edits = [edit(CHILD_TASKS, "spills ? std::max(type.closure_size, type.result_size) : type.result_size", "type.result_size")],
        run = scenario("seam_shapes", 1, 2) + ["--stack_bytes=1M"],
        within = 10,
    ),
    dict(
        name = "child_entry_freed_twice",
        breaks = "the entry is freed by whoever ran the task, and again by who joins it (tasks.h, 4)",
        edits = [edit(CHILD_TASKS, "entry->state.store(done_state_of(task.task)); return;", "entry->state.store(done_state_of(task.task)); entries_.free({e.rank, e.offset}); return;")],
        run = any_order(2),
        within = 10,
    ),
    dict(
        name = "child_discard_never_frees",
        breaks = "the entry of a task that nobody wants stays (tasks.h, 4)",
        edits = [edit(CHILD_TASKS, "take_result(task, nullptr, 0);", "")],
        run = discard(2),
        within = 5,
    ),

    # ---------------------------------------------------------------- the queue
    dict(
        name = "descriptor_copied_late",
        breaks = "the lock is let go before the descriptor was copied, which its owner may overwrite then (DESIGN 1; hpdc15 Fig. 6)",
        edits = [edit(QUEUE, "const Entry entry = rma::get(victim.entries + oldest); take(std::span(&entry, 1)); unlock(victim.lock(), oldest + 1);", "unlock(victim.lock(), oldest + 1); const Entry entry = rma::get(victim.entries + oldest); take(std::span(&entry, 1));")],
        run = any_order(3) + ROUGH,
        within = 2500,
    ),
    dict(
        name = "push_stays_dry",
        breaks = "a queue that was empty once is taken to be so for ever (rank.h, is_dry_)",
        edits = [edit(CHILD_RANK, "queue_.push(task); is_dry_ = false;", "queue_.push(task);")],
        run = fib(1),
        within = 2,
    ),
    dict(
        name = "own_queue_not_popped",
        breaks = "a join that cannot go on waits without looking for tasks of its own (cluster22 §II-B)",
        edits = [
            edit(CHILD_RANK, "if (pop(&task)) [[likely]] {", "if (false) {"),
            edit(CHILD_RANK, "if (!pop(&task)) {", "if (true) {"),
            edit(CHILD_FULL, "if (rank.pop(&task) || rank.search(", "if (rank.search("),
        ],
        run = fib(1),
        within = 2,
    ),

    # ------------------------------------------------------------- Full threads
    dict(
        name = "waiting_task_resumed_twice",
        breaks = "a task that goes on stays in the wait queue (cluster22 Fig. 3, line 16)",
        edits = [edit(CHILD_FULL, "if (rank.is_done(first->task)) return first; waiting_.push(first); return nullptr;", "waiting_.push(first); return rank.is_done(first->task) ? first : nullptr;")],
        run = fib(3) + ["--forced_steal"],
        within = 20,
    ),
    dict(
        name = "stack_reused_while_waiting",
        breaks = "the stack of a task that waits is given back (full.h, 3)",
        edits = [edit(CHILD_FULL, "stacks_.look(stacks_.of(&me));", "stacks_.give_back(stacks_.of(&me));")],
        run = fib(3) + ["--forced_steal"],
        within = 20,
    ),
    dict(
        name = "end_while_tasks_wait",
        breaks = "a rank leaves the run while one of its tasks waits (DESIGN 6)",
        edits = [edit(CHILD_FULL, "return rank.is_over() && waiting_.empty();", "return rank.is_over();")],
        run = discard(3),
        within = 100,
    ),
    dict(
        name = "end_with_discarded",
        breaks = "a rank leaves the run while a task that it has discarded has not ended (DESIGN 4: every entry freed)",
        edits = [edit(CHILD_RANK, "return end_.over() && tasks_.discarded() == 0;", "return end_.over();")],
        run = discard(3),
        within = 40,
    ),
    dict(
        name = "starter_forgotten",
        breaks = "who has started a strand does not say any more who has started its own (full.h, 1)",
        edits = [edit(CHILD_FULL, "context::save_and_call(below, &strand); back_ = outer;", "context::save_and_call(below, &strand);")],
        run = any_order(3),
        within = 40,
    ),
    dict(
        name = "body_of_the_starter",
        breaks = "a task keeps on reading what lies in the frame of who has started it, who goes on when it waits (full.h, run)",
        edits = [edit(CHILD_FULL, "const Strand<Body> strand = *static_cast<Strand<Body>*>(arg);", "const Strand<Body>& strand = *static_cast<Strand<Body>*>(arg);")],
        run = any_order(3) + ["--forced_steal"],
        within = 40,
    ),
]

_RTC = [
    # -------------------------------------------------------------- RtC threads
    dict(
        name = "rtc_ends_early",
        breaks = "a buried join goes on when the task on top of it has ended, and not its own (cluster22 §IV-B)",
        edits = [
            edit(CHILD_RTC, "while (rank.search(done, failed, no_hurry, &other)) {", "if (rank.search(done, failed, no_hurry, &other)) {"),
            edit(CHILD_RANK, "while (!tasks_.is_done(handle)) {", "for (bool once = true; std::exchange(once, false) && !tasks_.is_done(handle);) {"),
        ],
        run = fib(3) + ["--forced_steal"],
        within = 20,
    ),
    dict(
        name = "rtc_second_look_left_out",
        breaks = "what was true of each rank on a chain at different times is taken for a ring (burials.h)",
        edits = [edit(CHILD_BURIALS, "if (where(task) < 0) return false;", "")],
        run = rows(4) + ["--forced_steal"] + ROUGH,
        within = 1500,
    ),
    dict(
        name = "rtc_unblocked_late",
        breaks = "a rank tells that it runs another task before it tells that its join is not the innermost any more (burials.h, 1)",
        edits = [edit(CHILD_RTC, "while (rank.search(done, failed, no_hurry, &other)) { burials_.unblock();", "while (rank.search(done, failed, no_hurry, &other)) {")],
        run = rows(4) + ["--forced_steal"] + ROUGH,
        within = 1000,
    ),
]

CHILD_STEAL = [
    dict(
        name = "none_child_full",
        breaks = "nothing: the control of those with Full threads",
        edits = [],
        run = [],
        within = 0,
        runtime = "child_full",
    ),
    dict(
        name = "none_child_rtc",
        breaks = "nothing: the control of those with run-to-completion threads",
        edits = [],
        run = [],
        within = 0,
        runtime = "child_rtc",
    ),
] + [
    dict(runtime = "child_full", control = "none_child_full", **mutant)
    for mutant in _FULL
] + [
    dict(runtime = "child_rtc", control = "none_child_rtc", **mutant)
    for mutant in _RTC
]
