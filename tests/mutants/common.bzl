"""Mistakes in what runtimes have in common: see mutants.bzl."""

load(
    ":parts.bzl",
    "END",
    "FRAMES",
    "RESULT",
    "SEARCH",
    "SLOW_FIB",
    "edit",
    "fib",
    "scenario",
)

COMMON = [
    # ------------------------------------------------------------------- search
    dict(
        name = "search_unflushed",
        breaks = "nobody waits for others with anything unflushed (rma.h; search.h, 1): who searches does",
        edits = [edit(SEARCH, "rma::flush_all(); trace::Scope scope;", "trace::Scope scope;")],
        run = SLOW_FIB,
        within = 20,
    ),

    # ----------------------------------------- the end of the run, and the root
    dict(
        name = "end_not_passed_down",
        breaks = "each rank passes the end of the run down the tree (end_of_run.h, 3): only the first does",
        edits = [edit(END, "known_epoch_ = epoch_;", "known_epoch_ = epoch_; if (rma::rank() != 0) return true;")],
        run = fib(5),
        within = 10,
    ),
    dict(
        name = "root_result_stays",
        breaks = "the root may end on any rank, and its result and its end go to rank 0 (root_result.h): the result stays",
        edits = [edit(RESULT, "rma::put(result_, result, bytes_);", "std::memcpy(result_.local(), result, bytes_);")],
        run = fib(3),
        within = 30,
    ),

]
