"""Mistakes in what continuation stealing asks of SWS queues: see mutants.bzl."""

load(":parts.bzl", "controlled", "edit", "mutant", "seeds")
load(":runs.bzl", "ROUGH", "fib")

# Parents leave at every spawn; a thief's messages take longer than a task.
_FORCED = fib(4) + ROUGH + ["--forced_steal"]

_CONT_SWS = {
    "cont_sws_left_unquiet": mutant(
        "a rank that leaves for the scheduler waits for thieves (threads.h, exit_to_scheduler): does not",
        [edit("uniaddr/threads.h", "queue_.quiesce(); lineage_.leave();", "lineage_.leave();")],
        seeds(40, _FORCED),
    ),
    "cont_sws_offered_before_written": mutant(
        "an item is written before it is offered (sws_queue.h, set): whenever",
        [edit("sws_queue.h", "rma::Word::fence(); return Value::unpack(", "return Value::unpack(")],
        seeds(400, _FORCED + ["--memory=pso"]),
    ),
    "cont_sws_claim_in_two_steps": mutant(
        "a thief claims in one step (icpp21 §4): it looks, and then adds",
        [edit("sws_queue.h", "rma::fetch_add(victim, Value::kAttempt));", "rma::get_word(victim)); rma::fetch_add(victim, Value::kAttempt);")],
        seeds(40, _FORCED),
    ),
    "cont_sws_count_of_the_last_epoch": mutant(
        "an epoch's count begins at 0 (sws_queue.h, open): where its last use has left it",
        [edit("sws_queue.h", "for (uint64_t n = 0; n < words_per_epoch_; ++n) completion(epoch_, n).store(0);", "")],
        seeds(40, _FORCED),
    ),
    "cont_sws_pops_what_is_offered": mutant(
        "the owner takes its parent back from the local part (split_queue.h, 2, pop_at_once): from what thieves may claim, too",
        [edit("split_queue.h", "if (!shared().offers_any() || head_ - split_ < 2)", "if (!shared().offers_any())")],
        seeds(40, fib(4) + ["--forced_steal"]),
    ),
    "cont_sws_epoch_in_use": mutant(
        "an epoch is used again when its claims are finished (sws_queue.h, 3): before",
        [edit("sws_queue.h", "if (is_finished(e)) return e;", "return e;")],
        seeds(100, _FORCED),
    ),
}

CONT_SWS = controlled("none_cont_greedy_sws", _CONT_SWS, runtime = "cont_greedy_sws")
