"""Mistakes in impl/child_steal: see mutants.bzl."""

load(
    ":parts.bzl",
    "CHILD_BURIALS",
    "CHILD_FULL",
    "CHILD_ORDERS",
    "CHILD_RANK",
    "CHILD_RTC",
    "CHILD_TASKS",
    "ENTRIES",
    "FRAMES",
    "QUEUE",
    "ROUGH",
    "ROUGH_DAG",
    "any_order",
    "discard",
    "edit",
    "fib",
    "rows",
    "rough_in_closure",
    "scenario",
)

_FULL = [
    # -------------------------------------------------- the entry, and its flag
    dict(
        name = "child_result_unflushed",
        breaks = "the result has arrived when the flag is raised, which only a flush makes sure of (rma.h; task_entries.h, put_done): the flush comes after",
        edits = [edit(ENTRIES, "rma::flush(e.rank); rma::fetch_add(state_of(e), kDone);", "rma::fetch_add(state_of(e), kDone); rma::flush(e.rank);")],
        run = rough_in_closure("tso"),
        within = 40,
    ),
    dict(
        name = "child_flag_is_put",
        breaks = "the flag is added, since a put may write twice, the second time into an entry that is used again (rma.h, put; task_entries.h, put_done): it is put",
        edits = [edit(ENTRIES, "rma::fetch_add(state_of(e), kDone);", "rma::put_word(state_of(e), rma::get_word(state_of(e)) | kDone); rma::flush(e.rank);")],
        run = ROUGH_DAG,
        within = 100,
    ),
    dict(
        name = "child_no_room_for_closure",
        breaks = "an entry has room for the closure as for the result (tasks.h, 3): for the result alone",
        edits = [edit(CHILD_TASKS, "spills ? std::max(type.closure_size, type.result_size) : type.result_size", "type.result_size")],
        run = scenario("seam_shapes", 1, 2) + ["--stack_bytes=1M"],
        within = 10,
    ),
    dict(
        name = "child_entry_freed_twice",
        breaks = "an entry is freed once, by who joins the task (tasks.h, 4): by who ran it, too",
        edits = [edit(CHILD_TASKS, "Entries::put_done(entry_of<Entry>(task.task), result, task.type->result_size);", "if (Entries::put_done(entry_of<Entry>(task.task), result, task.type->result_size)) entries_.free(entry_of<Entry>(task.task));")],
        run = any_order(2),
        within = 10,
    ),
    dict(
        name = "child_shared_freed_early",
        breaks = "a task that is run in the midst of the join of one of its consumers ends for all (tasks.h, end_joined): for that one",
        edits = [edit(CHILD_RANK, "if (frame.kIsFixed || task.type->consumers == 1)", "if (true)")],
        run = scenario("shared", 12, 2),
        within = 10,
    ),

    # ---------------------------------------------------------------- the queue
    dict(
        name = "descriptor_copied_late",
        breaks = "a thief has the lock until it has copied the item, which the owner may overwrite then (hpdc15 Fig. 6): it unlocks before",
        edits = [edit(QUEUE, "const Item item = rma::get(victim.items + oldest); phase.end(trace::Event::kTakeItem); take(std::span(&item, 1)); phase.restart(); unlock(victim.lock(), oldest + 1);", "unlock(victim.lock(), oldest + 1); const Item item = rma::get(victim.items + oldest); take(std::span(&item, 1));")],
        run = any_order(3) + ROUGH,
        within = 2500,
    ),
    dict(
        name = "push_stays_dry",
        breaks = "a queue is dry until something is pushed (rank.h, is_dry_): for ever",
        edits = [edit(CHILD_RANK, "queue_.push(task); is_dry_ = false;", "queue_.push(task);")],
        run = fib(1),
        within = 2,
    ),

    # ------------------------------------------------------------- Full threads
    dict(
        name = "waiting_task_resumed_twice",
        breaks = "a task that goes on leaves the wait queue (cluster22 Fig. 3, line 16): it stays",
        edits = [edit(CHILD_ORDERS, "if (rank.is_done(first->task)) return first; waiting_.push(first); return nullptr;", "waiting_.push(first); return rank.is_done(first->task) ? first : nullptr;")],
        run = fib(3) + ["--forced_steal"],
        within = 20,
    ),
    dict(
        name = "stack_reused_while_waiting",
        breaks = "a stack is a task's until that ends (full.h, 3): until it waits",
        edits = [edit(CHILD_FULL, "stacks_.look(stacks_.of(&me));", "stacks_.give_back(stacks_.of(&me));")],
        run = fib(3) + ["--forced_steal"],
        within = 20,
    ),
    dict(
        name = "end_while_tasks_wait",
        breaks = "a rank leaves the run when none of its tasks waits (orders.h): it leaves before",
        edits = [edit(CHILD_ORDERS, "return rank.is_over() && waiting_.empty();", "return rank.is_over();")],
        run = discard(3),
        within = 100,
    ),
    dict(
        name = "starter_forgotten",
        breaks = "who has started a strand says again who has started its own (orders.h, 1): it does not",
        edits = [edit(CHILD_FULL, "order_.resumed(starter);", "")],
        run = any_order(3),
        within = 40,
    ),
    dict(
        name = "body_of_the_starter",
        breaks = "a strand copies what it needs of its starter's frame, since that goes on when it waits (full.h, run): it does not",
        edits = [edit(CHILD_FULL, "const Strand<Body> strand = *static_cast<Strand<Body>*>(arg);", "const Strand<Body>& strand = *static_cast<Strand<Body>*>(arg);")],
        run = any_order(3) + ["--forced_steal"],
        within = 40,
    ),
]

_RTC = [
    # ---------------------------------------------------------- frames of tasks
    dict(
        name = "aligned_as_if_small",
        breaks = "a small frame holds tasks that ask for at most 16 bytes of alignment (task_frames.h, SmallFrame): and others",
        edits = [edit(FRAMES, "return type.is_small;", "return (type.closure_size | type.result_size) < kBytes;")],
        run = scenario("seam_shapes", 2, 2),
        within = 20,
    ),

    # -------------------------------------------------------------- RtC threads
    dict(
        name = "rtc_ends_early",
        breaks = "a buried join goes on when its own task has ended (cluster22 IV-B): when the one on top of it has",
        edits = [
            edit(CHILD_RTC, "while (rank.search(done, failed, no_hurry, &other)) {", "if (rank.search(done, failed, no_hurry, &other)) {"),
            edit(CHILD_RANK, "while (!tasks_.is_done(handle)) {", "for (bool once = true; std::exchange(once, false) && !tasks_.is_done(handle);) {"),
        ],
        run = fib(3) + ["--forced_steal"],
        within = 20,
    ),
    dict(
        name = "rtc_second_look_left_out",
        breaks = "a ring is one when a second look finds it as it was (burials.h): no second look",
        edits = [edit(CHILD_BURIALS, "if (where(task) < 0) return false;", "")],
        run = rows(4) + ["--forced_steal"] + ROUGH,
        within = 1500,
    ),
    dict(
        name = "rtc_unblocked_late",
        breaks = "a rank tells that its join is not the innermost any more, then runs another task (burials.h, 1): the other way round",
        edits = [edit(CHILD_RTC, "while (rank.search(done, failed, no_hurry, &other)) { burials_.unblock();", "while (rank.search(done, failed, no_hurry, &other)) {")],
        run = rows(4) + ["--forced_steal"] + ROUGH,
        within = 1000,
    ),
]

_HALF = [
    # ------------------------------------ over queues whose steals take several
    dict(
        name = "loot_not_pushed",
        breaks = "a thief has all that its steal took: one to run, the others in its queue (rank.h, steal): it drops these",
        edits = [edit(CHILD_RANK, "add(taken.subspan(1));", "")],
        run = any_order(3),
        within = 10,
    ),
]

CHILD_STEAL = [
    dict(
        name = "none_child_full_tuned_sws",
        breaks = "nothing: the control of those over queues whose steals take several",
        edits = [],
        run = [],
        within = 0,
        runtime = "tests/compose/child_full_tuned_sws",
    ),
    dict(
        name = "none_child_full_tuned",
        breaks = "nothing: the control of those with Full threads",
        edits = [],
        run = [],
        within = 0,
        runtime = "child_full_tuned",
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
    dict(runtime = "child_full_tuned", control = "none_child_full_tuned", **mutant)
    for mutant in _FULL
] + [
    dict(runtime = "child_rtc", control = "none_child_rtc", **mutant)
    for mutant in _RTC
] + [
    dict(runtime = "tests/compose/child_full_tuned_sws", control = "none_child_full_tuned_sws", **mutant)
    for mutant in _HALF
]
