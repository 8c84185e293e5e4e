// The command line of UTS, over CLI11: sample trees by name, and the flags of
// the original benchmark.
//
//   uts::Params params = uts::find_sample_tree("T1")->params;  // the default
//   uts::add_options(app, &params);
//   app.parse(argc, argv);           // fills params
//   uts::Tree tree = uts::make_tree(params);
//
// --tree=NAME replaces all of `params`; -t -a -d -b -r -q -m -f then change
// single ones, in whatever order they stand on the command line.

#ifndef MAGPIE_BENCH_UTS_FLAGS_H_
#define MAGPIE_BENCH_UTS_FLAGS_H_

#include <string>

#include "bench/uts/tree.h"
#include "common/flags/flags.h"

namespace magpie::uts {

// Bad values, and flags that contradict each other (validate), end the parse
// with a CLI::ValidationError whose one line names the flag, the value and what
// is allowed. After a successful parse `params` are valid.
//
// `params` must outlive the parse. Calls check_all(app).
void add_options(CLI::App& app, Params* params);

// Says what is wrong: empty if `params`, each in the range that tree.h gives
// it, describe a tree that ends and a kernel that this processor has; else one
// line that names the flags, their values and what is allowed.
//
// A binomial tree is expected to end only if its mean q * m is below 1. Other
// binomial trees are accepted only if they are sample trees.
std::string validate(const Params& params);

}  // namespace magpie::uts

#endif  // MAGPIE_BENCH_UTS_FLAGS_H_
