// Mistakes with memory, of pools.

#include "common/task_pool/task_pool.h"
#include "tests/mistakes/memory.h"
#include "tests/mistakes/pool_mistakes.h"

namespace magpie::mistakes {
namespace {

template <auto kDeed>
struct InTask {
  struct Root : HasMemory {
    void operator()() const {
      const HasMemory memory = *this;
      add_at(rma::size() - 1, [memory] { kDeed(memory); });
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

std::span<const Mistake> pool_memory() {
  return kMemoryMistakes<InTask, Prepared>;
}

}  // namespace magpie::mistakes
