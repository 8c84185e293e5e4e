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
        name = "search_never_ends",
        breaks = "a rank that has found something does not count as one that searches (search.h, 2): it does",
        edits = [edit(SEARCH, "if (forced_steal_) rma::fetch_add(searching_, ~uint64_t{0});", "")],
        run = fib(2) + ["--forced_steal"],
        within = 10,
    ),
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

    # ---------------------------------------------------------- frames of tasks
    dict(
        name = "copied_as_if_a_word",
        breaks = "as many bytes are copied as the task's type says (task_frames.h, copy_task_bytes): one word",
        edits = [edit(FRAMES, "if (bytes == kWordBytes) [[likely]] { std::memcpy(to", "if (bytes != 0) { std::memcpy(to")],
        run = scenario("seam_shapes", 2, 2),
        within = 20,
    ),
]
