// Output of all programs that count a UTS tree: the tree, and the answer.

#ifndef MAGPIE_BENCH_PROGRAMS_UTS_TREE_H_
#define MAGPIE_BENCH_PROGRAMS_UTS_TREE_H_

#include "bench/any_program.h"
#include "bench/uts/tree.h"

namespace magpie::bench {

// T1.
uts::Params default_tree();

// A program's parameters: a sample tree's name stands for all of its own.
Fields describe_tree(const uts::Params& params);

// The answer `count`, and whether it is right: for a sample tree as published,
// for others as counted again, where that takes little time.
Answer answer_of(const uts::Params& params, const uts::Count& count);

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAMS_UTS_TREE_H_
