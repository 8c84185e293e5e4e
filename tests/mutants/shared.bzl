"""Mistakes in what all runtimes share: see mutants.bzl."""

load(
    ":parts.bzl",
    "SEARCH",
    "SHARED_MAX",
    "SHARED_MAX_TEST",
    "SLOW_FIB",
    "cases",
    "edit",
)

_SWAPS = "while ((other = rma::swap(exact, word)) > word) word = other;"

SHARED = [
    dict(
        name = "search_unflushed",
        breaks = "nobody waits for others with anything unflushed (rma.h; search.h, 1): who searches does",
        edits = [edit(SEARCH, "rma::flush_all(); trace::Scope scope;", "trace::Scope scope;")],
        run = SLOW_FIB,
        within = 20,
    ),
    dict(
        name = "none_shared_max",
        breaks = "nothing: the control of the mutants in " + SHARED_MAX_TEST,
        edits = [],
        run = [],
        within = 0,
        test = SHARED_MAX_TEST,
    ),
] + [
    dict(
        test = SHARED_MAX_TEST,
        control = "none_shared_max",
        run = cases("SharedMax.IsExactAfterARace", 3),
        **mutant
    )
    for mutant in [
        dict(
            name = "shared_max_put",
            breaks = "the maximum is changed by swaps, which tell what they take out (shared_max.h, 1): by puts",
            edits = [edit(SHARED_MAX, _SWAPS, "rma::put_word(exact, word);")],
            within = 20,
        ),
        dict(
            name = "shared_max_looks_too_soon",
            breaks = "what was put is there before who has put it looks again (shared_max.h, 3): it may be on its way",
            edits = [
                edit(SHARED_MAX, "rma::flush_all();", ""),
                edit(SHARED_MAX, "if (other <= word) return;", "rma::flush_all(); if (other <= word) return;"),
            ],
            within = 40,
        ),
    ]
]
