"""Mistakes in what all runtimes share: see mutants.bzl."""

load(":parts.bzl", "controlled", "edit", "made", "mutant", "seeds")
load(":runs.bzl", "SLOW_FIB", "cases")

_SWAPS = "while ((other = rma::swap(exact, word)) > word) word = other;"

_RACE = cases("SharedMax.IsExactAfterARace", 3)

_SEARCH = {
    "search_unflushed": mutant(
        "nobody waits for others with anything unflushed (rma.h; search.h, 1): a rank that searches does",
        [edit("search.h", "rma::flush_all(); trace::Scope scope;", "trace::Scope scope;")],
        seeds(20, SLOW_FIB),
    ),
}

_SHARED_MAX = {
    "shared_max_put": mutant(
        "the maximum is changed by swaps, which tell what they take out (shared_max.h, 1): by puts",
        [edit("shared_max.h", _SWAPS, "rma::put_word(exact, word);")],
        seeds(20, _RACE),
    ),
    "shared_max_looks_too_soon": mutant(
        "what was put is there before the rank that has put it looks again (shared_max.h, 3): it may be on its way",
        [
            edit("shared_max.h", "rma::put_word_to_all(ranks_.field(&OfRank::known), word);", "for (int rank = 0; rank < rma::size(); ++rank) rma::put_nb({rank, ranks_.field(&OfRank::known).offset}, &word, sizeof(word));"),
            edit("shared_max.h", "if (other <= word) return;", "rma::flush_all(); if (other <= word) return;"),
        ],
        seeds(40, _RACE),
    ),
}

SHARED = made(_SEARCH) + controlled("none_shared_max", _SHARED_MAX, test = "common/run/shared_test.cc")
