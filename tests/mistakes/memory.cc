// Mistakes with memory, of fork and join.

#include "tests/mistakes/memory.h"

#include "tests/mistakes/mistakes.h"

namespace magpie::mistakes {
namespace {

template <auto kDeed>
struct InTask {
  struct Root : HasMemory {
    void operator()() const {
      const HasMemory memory = root_task<Root>();
      spawn([memory] { kDeed(memory); }).join();
    }
  };
  static constexpr auto make = run_root<Root>;
};

template <typename F>
struct Prepared {
  struct Root : F {
    void operator()() const {}
  };
  static constexpr auto make = run_root<Root>;
};

}  // namespace

std::span<const Mistake> memory() { return kMemoryMistakes<InTask, Prepared>; }

}  // namespace magpie::mistakes
