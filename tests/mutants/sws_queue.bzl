"""Mistakes in impl/sws_queue, and in what pools are made of: see mutants.bzl."""

load(":parts.bzl", "controlled", "edit", "mutant", "seeds")
load(":runs.bzl", "cases", "pool_scenario")

# Races of several steals with the owner: messages overtake each other by more than a step takes.
_ROUGH = ["--memory=pso", "--net=loopback,latency=2us", "--patience=1"]

_SWS = cases("EverybodySteals.Sws:EverybodySteals.Narrow", 3)

_QUEUES = {
    # ------------------------------------------------------------- SWS: the owner
    "sws_acquire_without_disabling": mutant(
        "an acquire takes the stealval and lets nobody claim meanwhile (icpp21 4.1, Acquire): it leaves it as it was",
        [edit("sws_queue.h", "const Value old = set({.epoch = Value::disabled});", "const Value old = Value::unpack(stealval_.load());")],
        seeds(20, _SWS),
    ),
    "sws_counter_read_late": mutant(
        "what was claimed is read after the counter of completions, else a later steal's notice stands for an earlier one's (sws_queue.h, finished): before",
        [edit("sws_queue.h", "tasks = completion(e, 0).load(); if (tasks != claimed(e)) return 0;", "const uint64_t all = claimed(e); tasks = completion(e, 0).load(); if (tasks != all) return 0;")],
        seeds(5000, cases("EverybodySteals.*OfOne", 6) + _ROUGH),
    ),
    "sws_reclaims_the_current_epoch_only": mutant(
        "room is reclaimed up to the first unfinished block of all epochs (icpp21 4.2; sws_queue.h, 6): of the current one",
        [edit("sws_queue.h", "if (e != epoch_ && !is_finished(e)) first = std::min(first, epochs_[e].begin + finished(e));", "")],
        seeds(500, _SWS),
    ),
    "sws_waits_without_idle": mutant(
        "a rank that waits calls idle() (rma.h; sws_queue.h, wait_for_epoch): it only looks again",
        [edit("sws_queue.h", "for (; epoch == kNoEpoch; epoch = free_epoch()) rma::idle();", "for (; epoch == kNoEpoch; epoch = free_epoch()) continue;")],
        seeds(5, cases("SlowThief.FirstVersion", 2) + ["--patience=0.0001"]),
    ),

    # ----------------------------------------------------------- SWS: its thieves
    "sws_notice_before_copy": mutant(
        "a notice of completion comes after the copy (icpp21 4.1; split_queue.h, 3): before",
        [
            edit("sws_queue.h", "const auto loot = Split::copy(rank, seen.tail + block.first, block.size);", "notice(rank, seen, block); const auto loot = Split::copy(rank, seen.tail + block.first, block.size);"),
            edit("sws_queue.h", "phase.restart(); notice(rank, seen, block);", "phase.restart();"),
        ],
        seeds(100, _SWS),
    ),

    # ------------------------------------------------------------------------ SDC
    "sdc_acquire_unflushed": mutant(
        "the new split is seen when the lock is let go (sdc_queue.h, 3): no flush",
        [edit("sdc_queue.h", "rma::flush(rma::rank()); unlock(own_.lock());", "unlock(own_.lock());")],
        seeds(200, cases("EverybodySteals.Sdc", 3) + ["--memory=pso"]),
    ),
    "sdc_completed_read_late": mutant(
        "tail is read after completed, else a later steal's notice stands for an earlier one's (sdc_queue.h, 4): before",
        [edit("sdc_queue.h", "const uint64_t completed = meta_->completed.load(); if (completed == meta_->ends.tail.load())", "const uint64_t tail = meta_->ends.tail.load(); const uint64_t completed = meta_->completed.load(); if (completed == tail)")],
        seeds(12000, cases("EverybodySteals.Sdc", 6) + _ROUGH),
    ),
}

_TERMINATION = {
    "end_announced_by_put": mutant(
        "the ends of rounds are added up on rank 0 (group.h, EndOfRun, 2): they are put",
        [edit("group.h", "rma::fetch_add(over_.at(0), 1);", "rma::put_word(over_.at(0), round_); rma::flush(0);")],
        seeds(1000, cases("EndOfRun.Rounds*", 3)),
    ),
    "last_rounds_tasks_count": mutant(
        "two waves of the round find as many created as ended (termination.h, begin_next): one of it, and one of the last",
        [edit("termination.h", "end_.begin_next(); ended_before_ = kNone;", "end_.begin_next();")],
        seeds(200, cases("Termination.*Rounds", 3)),
    ),
    "one_wave": mutant(
        "two waves in a row find as many created as ended before all is over (termination.h): one",
        [edit("termination.h", "if (sums.created == ended_before_)", "if (ended_before_ != kNone && sums.created == sums.ended)")],
        seeds(2000, cases("Termination.NeitherEarly*", 3) + _ROUGH),
    ),
    "created_counted_late": mutant(
        "a task counts as created before its creator's own may end (termination.h): when it is taken out of the inbox",
        [
            edit("termination_test.cc", "++mine.created; if (rank == rma::rank()) { bag", "if (rank == rma::rank()) { ++mine.created; bag"),
            edit("termination_test.cc", "inbox.take(&task);) bag.push_back(task);", "inbox.take(&task);) { ++mine.created; bag.push_back(task); }"),
        ],
        seeds(200, cases("Termination.OfAChain", 4) + _ROUGH),
    ),
    "sums_unflushed": mutant(
        "a wave's sums have arrived when its number does (termination.h, Waves, 2): no flush",
        [edit("termination.h", "rma::put(up + child * stride_, value, bytes_); rma::flush(up.rank);", "rma::put(up + child * stride_, value, bytes_);")],
        seeds(400, cases("Termination.OfAChain", 4) + _ROUGH),
    ),
    "inbox_filled_early": mutant(
        "the task has arrived when its cell counts as filled (inbox.h, 3): no flush",
        [edit("inbox.h", "rma::put(cell.field(&Cell::task), out.task); rma::flush(out.rank);", "rma::put(cell.field(&Cell::task), out.task);")],
        seeds(20, cases("Termination.*:Inbox.*", 3)),
    ),
    "inbox_taken_early": mutant(
        "a cell is one writer's until its task was copied (inbox.h, 2): it is given back before",
        [
            edit("inbox.h", "*task = next_->task; ++taken_;", "++taken_; ends_.local()->taken.store(taken_); rma::idle(); *task = next_->task;"),
        ],
        seeds(50, cases("Termination.*:Inbox.*", 3)),
    ),
}

_POOL = {
    "waits_with_a_full_inbox": mutant(
        "a rank that waits for room in another's inbox empties its own (bag.h, add_at): it does not",
        [edit("bag.h", "take_mail(); share();", "share();")],
        seeds(20, pool_scenario("flood", 3)),
    ),
    "pinned_queue_leaves_inbox": mutant(
        "a rank without tasks takes its inbox though thieves keep its queue full (bag.h, take_mail): it waits for room",
        [edit("bag.h", "n > 0 && inbox_.take(&task);", "!queue_.full() && inbox_.take(&task);")],
        seeds(40, pool_scenario("pinned", 3)),
    ),
}

SWS_QUEUE = (
    controlled("none_queues", _QUEUES, test = "impl/sws_queue/queues_test.cc") +
    controlled("none_termination", _TERMINATION, test = "common/stealing/termination_test.cc") +
    controlled("none_pool", _POOL, runtime = "pool_sws")
)
