"""Mistakes in impl/sws_queue: see mutants.bzl."""

load(
    ":parts.bzl",
    "BAG",
    "COMPLETIONS",
    "END",
    "END_TEST",
    "INBOX",
    "QUEUES_TEST",
    "SDC",
    "SWS",
    "TERMINATION",
    "TERMINATION_TEST",
    "WAVES",
    "cases",
    "edit",
    "pool_scenario",
)

# Races of several steals with the owner: messages overtake each other by more than a step takes.
_ROUGH = ["--memory=pso", "--net=loopback,latency=2us", "--patience=1"]

_SWS = cases("EverybodySteals.Sws:EverybodySteals.Narrow", 3)

def _in_queues(run, **mutant):
    return dict(test = QUEUES_TEST, control = "none_queues", run = run, **mutant)

def _in_termination(run, **mutant):
    return dict(test = TERMINATION_TEST, control = "none_termination", run = run, **mutant)

_CONTROLS = [
    dict(
        name = name,
        breaks = "nothing: the control of the mutants in " + test,
        edits = [],
        run = [],
        within = 0,
        test = test,
    )
    for name, test in [("none_queues", QUEUES_TEST), ("none_termination", TERMINATION_TEST), ("none_end", END_TEST)]
]

_QUEUES = [
    # ---------------------------------------------------------- SWS: the owner
    _in_queues(
        _SWS,
        name = "sws_acquire_without_disabling",
        breaks = "an acquire takes the stealval and lets nobody claim meanwhile (icpp21 4.1, Acquire): it leaves it as it was",
        edits = [edit(SWS, "const Value old = set({.epoch = Layout::disabled});", "const Value old = Value::unpack(meta_->stealval.load());")],
        within = 20,
    ),
    _in_queues(
        _SWS + ["--memory=pso"],
        name = "sws_published_unfenced",
        breaks = "the slots are zero when a stealval allows thieves to add there (sws_queue.h, set): no fence",
        edits = [edit(SWS, "rma::Word::fence(); return Value::unpack(", "return Value::unpack(")],
        within = 200,
    ),
    _in_queues(
        cases("EverybodySteals.*OfOne", 6) + _ROUGH,
        name = "sws_counter_read_late",
        breaks = "what was claimed is read after the counter of completions, else a later steal's notice stands for an earlier one's (completions.h, finished): before",
        edits = [edit(COMPLETIONS, "tasks = word(epoch, 0).load(); if (tasks != claimed()) return 0;", "const uint64_t all = claimed(); tasks = word(epoch, 0).load(); if (tasks != all) return 0;")],
        within = 5000,
    ),
    _in_queues(
        _SWS,
        name = "sws_reclaims_the_current_epoch_only",
        breaks = "room is reclaimed up to the first unfinished block of all epochs (icpp21 4.2; sws_queue.h, 5): of the current one",
        edits = [edit(SWS, "if (e != epoch_ && !is_finished(e)) first = std::min(first, epochs_[e].begin + finished(e));", "")],
        within = 100,
    ),
    _in_queues(
        cases("SlowThief.FirstVersion", 2) + ["--patience=0.0001"],
        name = "sws_waits_without_idle",
        breaks = "who waits calls idle() (rma.h; sws_queue.h, wait_for_epoch): it only looks again",
        edits = [edit(SWS, "for (; epoch == kNoEpoch; epoch = free_epoch()) rma::idle();", "for (; epoch == kNoEpoch; epoch = free_epoch()) continue;")],
        within = 5,
    ),

    # ------------------------------------------------------- SWS: its thieves
    _in_queues(
        _SWS,
        name = "sws_notice_before_copy",
        breaks = "a notice of completion comes after the copy (icpp21 4.1; split_queue.h, 3): before",
        edits = [
            edit(SWS, "const auto loot = ring_.get(rank, seen.tail + block.first, block.size);", "completions_.notice(rank, seen.epoch, seen.asteals, block); const auto loot = ring_.get(rank, seen.tail + block.first, block.size);"),
            edit(SWS, "phase.restart(); completions_.notice(rank, seen.epoch, seen.asteals, block);", "phase.restart();"),
        ],
        within = 100,
    ),

    # ------------------------------------------------------------------- SDC
    _in_queues(
        cases("EverybodySteals.Sdc", 3),
        name = "sdc_acquire_without_lock",
        breaks = "an owner takes back tasks under the lock (icpp21 3.1, Acquire; sdc_queue.h, 3): without it",
        edits = [
            edit(SDC, "lock(own_.lock()); const uint64_t split", "const uint64_t split"),
            edit(SDC, "rma::flush(rma::rank()); unlock(own_.lock());", "rma::flush(rma::rank());"),
        ],
        within = 50,
    ),
    _in_queues(
        cases("EverybodySteals.Sdc", 3) + ["--memory=pso"],
        name = "sdc_acquire_unflushed",
        breaks = "the new split is seen when the lock is let go (sdc_queue.h, 3): no flush",
        edits = [edit(SDC, "rma::flush(rma::rank()); unlock(own_.lock());", "unlock(own_.lock());")],
        within = 200,
    ),
    _in_queues(
        cases("EverybodySteals.Sdc", 6) + _ROUGH,
        name = "sdc_completed_read_late",
        breaks = "tail is read after completed, else a later steal's notice stands for an earlier one's (sdc_queue.h, 4): before",
        edits = [edit(SDC, "const uint64_t completed = meta_->completed.load(); if (completed == meta_->ends.tail.load())", "const uint64_t tail = meta_->ends.tail.load(); const uint64_t completed = meta_->completed.load(); if (completed == tail)")],
        within = 12000,
    ),
]

_TERMINATION = [
    dict(
        name = "end_announced_by_put",
        breaks = "the ends of epochs are added up at the tree's root (end_of_run.h, 2): they are put",
        edits = [edit(END, "rma::fetch_add(over_.at(root), 1);", "rma::put_word(over_.at(root), epoch_); rma::flush(root);")],
        run = cases("EndOfRun.Epochs*", 3),
        within = 1000,
        test = END_TEST,
        control = "none_end",
    ),
    _in_termination(
        cases("Termination.*Epochs", 3),
        name = "last_epochs_tasks_count",
        breaks = "two waves of the epoch find as many created as ended (termination.h, begin_next): one of it, and one of the last",
        edits = [edit(TERMINATION, "end_.begin_next(); ended_before_ = kNone;", "end_.begin_next();")],
        within = 200,
    ),
    _in_termination(
        cases("Termination.NeitherEarly*", 3) + _ROUGH,
        name = "one_wave",
        breaks = "two waves in a row find as many created as ended before all is over (termination.h): one",
        edits = [edit(TERMINATION, "if (sums.created == ended_before_)", "if (ended_before_ != kNone && sums.created == sums.ended)")],
        within = 2000,
    ),
    _in_termination(
        cases("Termination.OfAChain", 4) + _ROUGH,
        name = "created_counted_late",
        breaks = "a task counts as created before its creator's own may end (termination.h): when it is taken out of the inbox",
        edits = [
            edit(TERMINATION_TEST, "++mine.created; if (rank == rma::rank()) { bag", "if (rank == rma::rank()) { ++mine.created; bag"),
            edit(TERMINATION_TEST, "inbox.take(&task);) bag.push_back(task);", "inbox.take(&task);) { ++mine.created; bag.push_back(task); }"),
        ],
        within = 200,
    ),
    _in_termination(
        cases("Termination.OfAChain", 4) + _ROUGH,
        name = "sums_unflushed",
        breaks = "a wave's sums have arrived when its number does (waves.h, 2): no flush",
        edits = [edit(WAVES, "rma::put(up + child * stride_, value, bytes_); rma::flush(up.rank);", "rma::put(up + child * stride_, value, bytes_);")],
        within = 400,
    ),
    _in_termination(
        cases("Termination.*:Inbox.*", 3),
        name = "inbox_filled_early",
        breaks = "the task has arrived when its cell counts as filled (inbox.h, 3): no flush",
        edits = [edit(INBOX, "rma::put(cell.field(&Cell::task), task); rma::flush(rank);", "rma::put(cell.field(&Cell::task), task);")],
        within = 20,
    ),
    _in_termination(
        cases("Termination.*:Inbox.*", 3),
        name = "inbox_taken_early",
        breaks = "a cell is one writer's until its task was copied (inbox.h, 2): it is given back before",
        edits = [
            edit(INBOX, "*task = next_->task; ++taken_;", "++taken_; ends_.local()->taken.store(taken_); rma::idle(); *task = next_->task;"),
        ],
        within = 50,
    ),
]

_POOL = [
    dict(
        name = "none_pool",
        breaks = "nothing: the control of the mutants of pool_sws",
        edits = [],
        run = [],
        within = 0,
        runtime = "pool_sws",
    ),
] + [
    dict(runtime = "pool_sws", control = "none_pool", **mutant)
    for mutant in [
        dict(
            name = "waits_with_a_full_inbox",
            breaks = "who waits for room in another's inbox empties its own (bag.h, add_at): it does not",
            edits = [edit(BAG, "take_mail(); share();", "share();")],
            run = pool_scenario("flood", 3),
            within = 20,
        ),
        dict(
            name = "number_held_back",
            breaks = "who has drawn a number of an inbox puts its task also while others run on top of it (inbox.h, 4): afterwards",
            edits = [edit(INBOX, "std::erase_if(unsent_, [&](Unsent& out) { const bool has_room = put(out.rank, out.turn, out.task); if (has_room) sent(out.rank); return has_room; });", "for (; !unsent_.empty() && put(unsent_.back().rank, unsent_.back().turn, unsent_.back().task); unsent_.pop_back()) sent(unsent_.back().rank);")],
            run = pool_scenario("rings_flood", 3, n = 60),
            within = 20,
        ),
        dict(
            name = "pinned_queue_leaves_inbox",
            breaks = "a rank without tasks takes its inbox though thieves keep its queue full (bag.h, take_mail_up_to): it waits for room",
            edits = [edit(BAG, "while (overflow_.size() < most && inbox_.take(&task))", "while (!queue_.full() && inbox_.take(&task))")],
            run = pool_scenario("pinned", 3),
            within = 40,
        ),
    ]
]

SWS_QUEUE = _CONTROLS + _QUEUES + _TERMINATION + _POOL
