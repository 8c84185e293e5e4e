"""Mistakes in impl/child_steal: see mutants.bzl."""

load(":parts.bzl", "controlled", "edit", "mutant", "seeds")
load(":runs.bzl", "ROUGH", "ROUGH_DAG", "rough_in_closure", "rows", "scenario")

_FULL = {
    # ---------------------------------------------------- the entry, and its flag
    "child_result_unflushed": mutant(
        "the result has arrived when the flag is raised, which only a flush makes sure of (rma.h; polled_entries.h, put_done): the flush comes after",
        [edit("polled_entries.h", "rma::flush(e.rank); rma::fetch_add(Base::state_of(e), kDone);", "rma::fetch_add(Base::state_of(e), kDone); rma::flush(e.rank);")],
        seeds(40, rough_in_closure("tso")),
    ),
    "child_flag_is_put": mutant(
        "the flag is added, since a put may write twice, the second time into an entry that is used again (rma.h, put; polled_entries.h, put_done): it is put",
        [edit("polled_entries.h", "rma::fetch_add(Base::state_of(e), kDone);", "rma::put_word(Base::state_of(e), rma::get_word(Base::state_of(e)) | kDone); rma::flush(e.rank);")],
        seeds(100, ROUGH_DAG),
    ),

    # ------------------------------------------------------------------ the queue
    "descriptor_copied_late": mutant(
        "a thief has the lock until it has copied the item, which the owner may overwrite then (hpdc15 Fig. 6; the_queue.h, 6): it unlocks before",
        [edit("the_queue.h", "const Item item = rma::get(victim.items + oldest); phase.end(trace::Event::kTakeItem); take(std::span(&item, 1)); phase.restart(); unlock(victim.lock(), oldest + 1);", "unlock(victim.lock(), oldest + 1); const Item item = rma::get(victim.items + oldest); take(std::span(&item, 1));")],
        seeds(2500, scenario("any_order", 3, 3) + ROUGH),
    ),

    # --------------------------------------------------------------- Full threads
    "end_while_tasks_wait": mutant(
        "a rank leaves the run when none of its tasks waits (orders.h): it leaves before",
        [edit("orders.h", "return rank.is_over() && waiting_.empty();", "return rank.is_over();")],
        seeds(100, scenario("discard", 10, 3)),
    ),
    "body_of_the_starter": mutant(
        "a strand copies what it needs of its starter's frame, since that goes on when it waits (full.h, run): it does not",
        [edit("full.h", "const Strand<Body> strand = *static_cast<Strand<Body>*>(arg);", "const Strand<Body>& strand = *static_cast<Strand<Body>*>(arg);")],
        seeds(40, scenario("any_order", 3, 3) + ["--forced_steal"]),
    ),
}

_RTC = {
    "rtc_second_look_left_out": mutant(
        "a ring is one when a second look finds it as it was (burials.h): no second look",
        [edit("burials.h", "if (where(task) < 0) return false;", "")],
        seeds(1500, rows(4) + ["--forced_steal"] + ROUGH),
    ),
    "rtc_unblocked_late": mutant(
        "a rank tells that its join is not the innermost any more, then runs another task (burials.h, 1): the other way round",
        [edit("rtc.h", "while (rank.search(&other, done, failed)) { burials_.unblock();", "while (rank.search(&other, done, failed)) {")],
        seeds(1000, rows(4) + ["--forced_steal"] + ROUGH),
    ),
}

CHILD_STEAL = (
    controlled("none_child_full_tuned", _FULL, runtime = "child_full_tuned") +
    controlled("none_child_rtc", _RTC, runtime = "child_rtc")
)
