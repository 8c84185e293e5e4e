"""Mistakes in what continuation stealing asks of SWS queues: see mutants.bzl."""

load(
    ":parts.bzl",
    "COMPLETIONS",
    "ROUGH",
    "SPLIT",
    "SWS",
    "THREADS",
    "edit",
    "fib",
)

# Parents leave at every spawn; a thief's messages take longer than a task.
_FORCED = fib(4) + ROUGH + ["--forced_steal"]

def _sws(**mutant):
    return dict(runtime = "cont_greedy_sws", control = "none_cont_greedy_sws", **mutant)

CONT_SWS = [
    dict(
        name = "none_cont_greedy_sws",
        breaks = "nothing: the control of the mutants of cont_greedy_sws",
        edits = [],
        run = [],
        within = 0,
        runtime = "cont_greedy_sws",
    ),
    _sws(
        name = "cont_sws_notice_before_frames",
        breaks = "a claim is told to be copied when its frames are (stealable_queue.h, steal): before",
        edits = [
            edit(SWS, "phase.end(trace::Event::kCopyItems, {.bytes = loot.size_bytes()}); take(loot);", "completions_.notice(rank, seen.epoch, seen.asteals, block); rma::flush(rank); take(loot);"),
            edit(SWS, "phase.restart(); completions_.notice(rank, seen.epoch, seen.asteals, block);", "phase.restart();"),
        ],
        run = _FORCED,
        within = 40,
    ),
    _sws(
        name = "cont_sws_not_quiet",
        breaks = "another thread comes into the region when no thief copies out of it (threads.h, 1): at once",
        edits = [edit(SWS, "while (!is_finished(e)) rma::idle();", "")],
        run = _FORCED,
        within = 40,
    ),
    _sws(
        name = "cont_sws_left_unquiet",
        breaks = "who leaves for the scheduler waits for thieves (threads.h, exit_to_scheduler): does not",
        edits = [edit(THREADS, "queue_.quiesce(); lineage_.leave();", "lineage_.leave();")],
        run = _FORCED,
        within = 40,
    ),
    _sws(
        name = "cont_sws_offered_before_written",
        breaks = "an item is written before it is offered (sws_queue.h, set): whenever",
        edits = [edit(SWS, "rma::Word::fence(); return Value::unpack(", "return Value::unpack(")],
        run = _FORCED + ["--memory=pso"],
        within = 400,
    ),
    _sws(
        name = "cont_sws_claim_in_two_steps",
        breaks = "a thief claims in one step (icpp21 §4): it looks, and then adds",
        edits = [edit(SWS, "rma::fetch_add(victim.stealval(), Value::kAttempt));", "rma::get_word(victim.stealval())); rma::fetch_add(victim.stealval(), Value::kAttempt);")],
        run = _FORCED,
        within = 40,
    ),
    _sws(
        name = "cont_sws_count_of_the_last_epoch",
        breaks = "an epoch's count begins at 0 (completions.h, clear): where its last use has left it",
        edits = [edit(COMPLETIONS, "for (uint64_t n = 0; n < words_per_epoch_; ++n) word(epoch, n).store(0);", "")],
        run = _FORCED,
        within = 40,
    ),
    _sws(
        name = "cont_sws_pops_what_is_offered",
        breaks = "the owner takes its parent back from the local part (split_queue.h, 2, pop_at_once): from what thieves may claim, too",
        edits = [edit(SPLIT, "if (!shared().offers_any() || head_ - split_ < 2)", "if (!shared().offers_any())")],
        run = fib(4) + ["--forced_steal"],
        within = 40,
    ),
    _sws(
        name = "cont_sws_epoch_in_use",
        breaks = "an epoch is used again when its claims are finished (sws_queue.h, 3): before",
        edits = [edit(SWS, "if (is_finished(e)) return e;", "return e;")],
        run = _FORCED,
        within = 100,
    ),
]
