"""Mistakes in what runtimes have in common: see mutants.bzl."""

load(
    ":parts.bzl",
    "END",
    "FRAMES",
    "LOCK",
    "RESULT",
    "SEARCH",
    "SLOW_FIB",
    "dag",
    "edit",
    "fib",
    "in_closure",
    "scenario",
)

COMMON = [
    # ----------------------------------------------------------------- the lock
    dict(
        name = "lock_on_any_value",
        breaks = "who adds to the lock has it, whatever was in it (remote_lock.h, 1)",
        edits = [edit(LOCK, "return tries == 0;", "return true;")],
        run = dag(5),
        within = 20,
    ),
    dict(
        name = "unlock_by_put",
        breaks = "a lock is let go by a put, which may fall into an addition (DESIGN 3: only by atomics; remote_lock.h, 1)",
        edits = [edit(LOCK, "const uint64_t before = rma::swap(word, uint64_t{leave} << 32); check(static_cast<uint32_t>(before) != 0, \"a lock was let go that nobody had\");", "rma::put_word(word, uint64_t{leave} << 32); rma::flush(word.rank);")],
        run = in_closure(3),
        within = 20,
    ),

    # ------------------------------------------------------------------- search
    dict(
        name = "search_never_ends",
        breaks = "a rank that has found something still counts as one that searches (search.h, 2)",
        edits = [edit(SEARCH, "if (forced_steal_) rma::fetch_add(searching_, ~uint64_t{0});", "")],
        run = fib(2) + ["--forced_steal"],
        within = 10,
    ),
    dict(
        name = "search_unflushed",
        breaks = "a search begins with what the rank has freed unflushed (search.h, 1; DESIGN 3)",
        edits = [edit(SEARCH, "rma::flush_all(); const uint64_t begin", "const uint64_t begin")],
        run = SLOW_FIB,
        within = 20,
    ),

    # ----------------------------------------- the end of the run, and the root
    dict(
        name = "end_not_passed_down",
        breaks = "ranks do not pass the end of the run down the tree (end_of_run.h, 2)",
        edits = [edit(END, "known_ = true;", "known_ = true; if (rma::rank() != 0) return true;")],
        run = fib(5),
        within = 10,
    ),
    dict(
        name = "root_end_stays",
        breaks = "the root is assumed to end on rank 0: its end is written there locally (DESIGN 5)",
        edits = [edit(END, "tell(0);", "over_.local()->store(1);")],
        run = fib(3),
        within = 20,
    ),
    dict(
        name = "root_result_stays",
        breaks = "the root is assumed to end on rank 0: its result is written there locally (DESIGN 5)",
        edits = [edit(RESULT, "rma::put(result_, result, bytes_);", "std::memcpy(result_.local(), result, bytes_);")],
        run = fib(3),
        within = 30,
    ),

    # ---------------------------------------------------------- frames of tasks
    dict(
        name = "copied_as_if_a_word",
        breaks = "what is spawned and joined is taken for one word (task_frames.h, copy_task_bytes)",
        edits = [edit(FRAMES, "if (bytes == 8) [[likely]] {", "if (bytes != 0) {")],
        run = scenario("seam_shapes", 2, 2),
        within = 20,
    ),
    dict(
        name = "aligned_as_if_small",
        breaks = "the usual spawn is taken for a task whose closure asks for no more than 16 bytes of alignment (task_frames.h, SmallFrame)",
        edits = [edit(FRAMES, "(type.closure_align | type.result_align) < 32;", "true;")],
        run = scenario("seam_shapes", 2, 2),
        within = 20,
    ),
]
