"""Mistakes in impl/child_steal: see mutants.bzl."""

load(
    ":parts.bzl",
    "CHILD_BURIALS",
    "CHILD_FULL",
    "CHILD_ORDERS",
    "CHILD_RTC",
    "ENTRIES",
    "QUEUE",
    "ROUGH",
    "ROUGH_DAG",
    "any_order",
    "discard",
    "edit",
    "rows",
    "rough_in_closure",
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

    # ---------------------------------------------------------------- the queue
    dict(
        name = "descriptor_copied_late",
        breaks = "a thief has the lock until it has copied the item, which the owner may overwrite then (hpdc15 Fig. 6): it unlocks before",
        edits = [edit(QUEUE, "const Item item = rma::get(victim.items + oldest); phase.end(trace::Event::kTakeItem); take(std::span(&item, 1)); phase.restart(); unlock(victim.lock(), oldest + 1);", "unlock(victim.lock(), oldest + 1); const Item item = rma::get(victim.items + oldest); take(std::span(&item, 1));")],
        run = any_order(3) + ROUGH,
        within = 2500,
    ),

    # ------------------------------------------------------------- Full threads
    dict(
        name = "end_while_tasks_wait",
        breaks = "a rank leaves the run when none of its tasks waits (orders.h): it leaves before",
        edits = [edit(CHILD_ORDERS, "return rank.is_over() && waiting_.empty();", "return rank.is_over();")],
        run = discard(3),
        within = 100,
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

    # -------------------------------------------------------------- RtC threads
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

CHILD_STEAL = [
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
]
