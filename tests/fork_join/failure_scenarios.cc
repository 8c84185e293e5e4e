// Tasks that misbehave, on the rank --where.

#include <array>
#include <cstdlib>
#include <stdexcept>

#include "common/fork_join/fork_join.h"
#include "tests/fork_join/scenario.h"

namespace magpie::conformance {
namespace {

// Does the deed in a task on the rank --where. A rank that starts such a task
// elsewhere stays in it, until all other ranks do.
template <typename Deed>
Outcome there(const Parameters& p, Deed deed) {
  constexpr size_t kPlaces = 8;
  check(places() <= static_cast<int>(kPlaces), "too many places");
  std::array<Future<void>, kPlaces> tasks;
  for (auto& task : tasks) {
    task = spawn([where = p.where, deed] {
      if (place() == where) deed();
      await(0, 1);
    });
  }
  for (const auto& task : tasks) task.join();
  return {};
}

SCENARIO(throws) {
  return there(p, [] { throw std::runtime_error("as told"); });
}
struct Odd {};
SCENARIO(throws_odd) {
  return there(p, [] { throw Odd{}; });
}
SCENARIO(crashes) {
  return there(p, [] {
    volatile uintptr_t zero = 0;
    *reinterpret_cast<volatile int*>(zero) = 1;
  });
}
SCENARIO(aborts) {
  return there(p, [] { std::abort(); });
}
SCENARIO(exits) {
  return there(p, [] { std::exit(0); });
}

// Leaves futures neither joined nor discarded.
SCENARIO(forgets) {
  for (int64_t i = 0; i < p.n; ++i)
    [[maybe_unused]] const auto forgotten = spawn([i] { return i; });
  return {};
}

// Frames of more than a page, so that the guard page may be jumped over.
uint64_t descend_in_strides(int64_t depth) {
  std::array<uint64_t, 2000> frame;
  frame.fill(static_cast<uint64_t>(depth));
  const auto below =
      spawn([=] { return depth == 0 ? 0 : descend_in_strides(depth - 1); });
  return below.join() + frame[static_cast<size_t>(depth) % frame.size()];
}
SCENARIO(strides) { return {descend_in_strides(p.n)}; }

// A closure that is larger than a page, written from its lower end.
uint64_t large_closures(int64_t depth) {
  std::array<unsigned char, 20000> bytes;
  bytes.fill(static_cast<unsigned char>(depth));
  const auto below = spawn([=] {
    return depth == 0 ? uint64_t{bytes[0]}
                      : large_closures(depth - 1) + bytes[7];
  });
  return below.join();
}
SCENARIO(large) { return {large_closures(p.n)}; }

}  // namespace
}  // namespace magpie::conformance
