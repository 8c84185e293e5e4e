// meet: one child and one join, which take set times: which comes first to the
// join, and how far behind the other is, follows. For bench/explain, which
// draws what the ranks do then.

#include <cstdint>

#include "bench/program.h"
#include "common/rma/rma.h"

namespace magpie::bench {

int meet_main(CLI::App& app, int argc, char** argv) {
  uint64_t child_ns = 20'000, parent_ns = 20'000;
  flags::add_integer(app, "--child_ns", child_ns,
                     "nanoseconds that the child takes", 0, 1'000'000'000);
  flags::add_integer(app, "--parent_ns", parent_ns,
                     "nanoseconds from the spawn to the join", 0,
                     1'000'000'000);
  const Arguments arguments = parse(app, argc, argv);
  uint64_t met = 0;
  return run(
      arguments, {{"child_ns", child_ns}, {"parent_ns", parent_ns}},
      [=]() -> uint64_t {
        auto child = spawn([=]() -> uint64_t {
          rma::compute(child_ns);
          return 1;
        });
        rma::compute(parent_ns);
        return 1 + child.join();
      },
      &met,
      [&] {
        return Answer{.result = {{"met", met}},
                      .mismatch = met == 2 ? "" : "two of them meet"};
      });
}

const Program kProgram("meet", "One child and one join, which take set times",
                       meet_main);

}  // namespace magpie::bench
