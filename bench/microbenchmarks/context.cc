// The cost of the context switch, without runtime or network.

#include "common/context/context.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <memory>

namespace magpie::bench {
namespace {

using context::Context;

// Save, call, and an ordinary return: the cost of a spawn whose parent is not
// stolen.
void save_and_call_return(benchmark::State& state) {
  for (auto _ : state) {
    context::save_and_call([](Context*, void*) {}, nullptr);
  }
}
BENCHMARK(save_and_call_return);

// Save, call, and resumption of the saved context: the cost of a thread that
// leaves and is continued.
void save_and_call_resume(benchmark::State& state) {
  for (auto _ : state) {
    context::save_and_call(
        [](Context* saved, void*) { context::resume(saved); }, nullptr);
  }
}
BENCHMARK(save_and_call_resume);

// A fiber that switches back at once, whenever it is switched to.
struct Fiber {
  static constexpr size_t kStackBytes = 64 << 10;
  std::unique_ptr<std::byte[]> stack =
      std::make_unique<std::byte[]>(kStackBytes);
  Context* fiber = nullptr;
  Context* main = nullptr;

  Fiber() {
    context::save_and_call(
        [](Context* main, void* self) {
          Fiber& fiber = *static_cast<Fiber*>(self);
          fiber.main = main;
          const auto top =
              reinterpret_cast<uintptr_t>(fiber.stack.get() + kStackBytes);
          context::start_on_stack(reinterpret_cast<void*>(top & ~uintptr_t{15}),
                                  &run, self);
        },
        this);
  }

  static void run(void* self) {
    Fiber& fiber = *static_cast<Fiber*>(self);
    while (true) context::switch_to(&fiber.fiber, fiber.main);
  }
};

// An item is one switch, to the fiber or back.
void switch_contexts(benchmark::State& state) {
  Fiber fiber;
  for (auto _ : state) context::switch_to(&fiber.main, fiber.fiber);
  state.SetItemsProcessed(2 * state.iterations());
}
BENCHMARK(switch_contexts)->Name("switch_there_and_back");

}  // namespace
}  // namespace magpie::bench

BENCHMARK_MAIN();
