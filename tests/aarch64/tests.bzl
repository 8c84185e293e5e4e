"""The tests of this package, or where something is missing one that says what."""

load("//third_party:rules.bzl", "sh_test")
load("@aarch64//:defs.bzl", "AARCH64_MISSING")
load("//common/testing:rebuilt.bzl", "rebuilt")
load("//common/testing:run.bzl", "run_test")
load("//third_party:python.bzl", "python_test")

# --config=aarch64, whatever the rest is for.
_SETTINGS = {
    "//command_line_option:extra_toolchains": "@aarch64//:for_linux",
    "//command_line_option:platforms": "@aarch64//platform:linux",
}

_PROGRAMS = {
    "async_any_shm": "//tests/async_any:pool_glb_hybrid_shm",
    "async_any_sim": "//tests/async_any:pool_glb_hybrid_sim",
    "bench_shm": "//bench:cont_greedy",
    "bench_sim": "//bench:cont_greedy_sim",
    "child_full_shm": "//tests/fork_join:child_full_shm",
    "child_rtc_shm": "//tests/fork_join:child_rtc_shm",
    "cont_greedy_shm": "//tests/fork_join:cont_greedy_shm",
    "cont_greedy_sim": "//tests/fork_join:cont_greedy_sim",
    "context": "//tests/context:context_test",
    "mistakes": "//tests/mistakes:cont_greedy_shm",
    "pool_sws_shm": "//tests/task_pool:pool_sws_shm",
    "pool_sws_sim": "//tests/task_pool:pool_sws_sim",
    "rma_shm": "//tests/rma:rma_shm",
    "rma_sim": "//tests/rma:rma_sim",
    "traffic": "//tests/sim:traffic",
    "unwind": "//tests/context:unwind_test",
}

# ./test leaves them out, since they compile everything once more.
_TAGS = ["thorough"]

# Machines that qemu-user can simulate, as its environment: some kernels have large
# pages, and glibc copies memory in other ways with vectors of any length.
_LARGE_PAGES = {"QEMU_PAGESIZE": "65536"}
_VECTORS = {"QEMU_CPU": "a64fx"}

# For small stacks: making a page accessible takes long.
_SMALL_FRAMES = {"GTEST_FILTER": "Report.*:Futures.*:*ManyThreadsWait:*Dag*:*FutureIn*:*Discard:*Deep*:*Rows*"}

# Runs of the programs: (test, program, flags, environment).
_RUNS = [
    ("context", "context", [], {}),
    ("unwind", "unwind", [], {}),
    ("rma_shm_1_rank", "rma_shm", ["--ranks=1"], {}),
    ("rma_shm_4_ranks", "rma_shm", ["--ranks=4"], {}),
    ("rma_shm_pages", "rma_shm", ["--ranks=2", "--gtest_filter=RmaAllocation.*:RmaTransfers.*"], _LARGE_PAGES),
    ("rma_shm_vectors", "rma_shm", ["--ranks=4", "--gtest_filter=RmaTearing.*"], _VECTORS),
    ("async_any_shm", "async_any_shm", ["--ranks=4", "--n=100", "--workers_per_place=1"], _LARGE_PAGES),
    ("async_any_sim", "async_any_sim", ["--ranks=4", "--n=100", "--workers_per_place=1"], {}),
    ("pool_shm", "pool_sws_shm", ["--ranks=4", "--n=100"], _LARGE_PAGES),
    ("pool_sim", "pool_sws_sim", ["--ranks=4", "--n=100"], {}),
    # Left out: a race that takes as long as all other tests.
    ("rma_sim", "rma_sim", ["--ranks=3", "--gtest_filter=-RmaAtomics.OwnersLoadNeverGoesBack"], {}),
    ("fork_join_1_rank", "cont_greedy_shm", ["--ranks=1"], {}),
    ("fork_join_2_ranks", "cont_greedy_shm", ["--ranks=2"], _LARGE_PAGES),
    ("fork_join_4_ranks", "cont_greedy_shm", ["--ranks=4", "--forced_steal"], {}),
    # Left out: scenarios that take longer than all others.
    ("fork_join_sim", "cont_greedy_sim", ["--ranks=4", "--forced_steal"], {"GTEST_FILTER": "-*Loops:*Reductions:*/DeepNesting"}),
    ("fork_join_child_full", "child_full_shm", ["--ranks=3", "--forced_steal", "--stack_bytes=256K"], _SMALL_FRAMES),
    ("fork_join_child_rtc", "child_rtc_shm", ["--ranks=3", "--forced_steal", "--stack_bytes=256M"], _LARGE_PAGES),
]

# Mistakes, with the exit status and the words with which they end.
_MISTAKES = {
    "abort": (134, "rank .: Aborted"),
    "crash": (139, "rank .: Segmentation fault"),
    "exception": (1, "rank .: an exception left a task: no such file"),
    "recursion --region_bytes=1M": (139, "rank .: the region is exhausted: .* raise --region_bytes"),
    "recursion_in_strides --region_bytes=64K": (139, "rank .: the region is exhausted: .* raise --region_bytes"),
}

def _skipped(words):
    sh_test(
        name = "skipped_test",
        size = "small",
        srcs = ["skip.sh"],
        args = ['"%s"' % words],
        tags = _TAGS,
    )

def _to_aarch64_impl(_settings, _attr):
    return _SETTINGS

_to_aarch64 = transition(
    implementation = _to_aarch64_impl,
    inputs = [],
    outputs = _SETTINGS.keys(),
)

aarch64_program = rebuilt(
    _to_aarch64,
    "`binary`, built for AArch64, and run under qemu-user.",
    run = Label("//third_party/aarch64:run.sh"),
)

def aarch64_tests():
    """Declares them."""
    if AARCH64_MISSING:
        _skipped(AARCH64_MISSING)
        return
    for name, binary in _PROGRAMS.items():
        aarch64_program(
            name = name,
            testonly = 1,
            binary = binary,
        )
    for name, program, flags, env in _RUNS:
        run_test(
            name = name + "_test",
            env = env,
            flags = flags,
            programs = (["//tests/fork_join:conformance"] if name.startswith("fork_join") else []) + [":" + program],
            tags = _TAGS,
        )
    for mistake, (status, words) in _MISTAKES.items():
        sh_test(
            name = mistake.split(" ")[0] + "_test",
            size = "small",
            srcs = ["//tests/house:expect.sh"],
            args = [str(status), "'%s'" % words, "$(rootpath :mistakes)", mistake, "--ranks=2"],
            data = [":mistakes"],
            tags = _TAGS,
        )
    python_test(
        name = "programs_test",
        size = "medium",
        data = [":" + name for name in _PROGRAMS] + [
            "//bench:cont_greedy_sim",
            "//bench:program_checks.py",
            "//tests/sim:traffic",
        ],
        tags = _TAGS + ["cpu:2"],
    )
