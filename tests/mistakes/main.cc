// Makes a mistake with fork and join.

#include "absl/strings/match.h"
#include "common/rma/rma.h"
#include "tests/mistakes/memory.h"
#include "tests/mistakes/mistakes.h"

namespace magpie::mistakes {
namespace {

template <auto kDeed>
struct InTask : HasMemory {
  void operator()() const {
    const HasMemory memory = root_task<InTask>();
    spawn([memory] { kDeed(memory); }).join();
  }
};
template <typename Root>
struct Run {
  static constexpr auto make = run_root<Root>;
};

// Whether the linked program has the flags: a runtime without a region has none
// for it, and only one network explores.
bool can_be_made(const Mistake& mistake, const std::string& flags) {
  if (rma::is_simulated() && hangs_its_process(mistake)) return false;
  for (const char* flag : {"--region_bytes", "--explore"}) {
    if (absl::StrContains(flags, flag) &&
        !absl::StrContains(seam::flags_help(), flag))
      return false;
  }
  return true;
}

}  // namespace
}  // namespace magpie::mistakes

int main(int argc, char** argv) {
  using namespace magpie::mistakes;
  return make_or_list({argc, argv},
                      {futures(), addresses(), runs(), endings(),
                       kMemoryMistakes<InTask, Run>, hangs(), kept()},
                      can_be_made);
}
