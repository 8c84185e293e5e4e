// Closures and results of every shape, and objects on a task's stack, across a
// move to another rank: their bytes, alignment and addresses.

#include <alloca.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/fork_join/fork_join.h"
#include "tests/fork_join/scenario.h"

namespace magpie::conformance {
namespace {

// Whether an address is really aligned: the compiler believes a type's
// declaration.
bool aligned(const void* address, size_t align) {
  uintptr_t bits = reinterpret_cast<uintptr_t>(address);
  asm volatile("" : "+r"(bits));
  return bits % align == 0;
}

unsigned char pattern(uint64_t seed, size_t i) {
  return static_cast<unsigned char>((seed * 37 + i * 11 + (i >> 8)) & 0xff);
}

void fill(void* bytes, size_t count, uint64_t seed) {
  for (size_t i = 0; i < count; ++i)
    static_cast<unsigned char*>(bytes)[i] = pattern(seed, i);
}

bool holds(const void* bytes, size_t count, uint64_t seed) {
  for (size_t i = 0; i < count; ++i) {
    if (static_cast<const unsigned char*>(bytes)[i] != pattern(seed, i))
      return false;
  }
  return true;
}

// A task of its own within another, so that the other's frames may move.
void spawn_within(uint64_t seed) {
  check(spawn([seed] { return seed * 3; }).join() == seed * 3,
        "the inner task's result");
}

template <size_t kBytes, size_t kAlign>
struct alignas(kAlign) Block {
  std::array<unsigned char, kBytes> bytes;

  static Block filled(uint64_t seed) {
    Block block;
    fill(block.bytes.data(), kBytes, seed);
    return block;
  }
  void check_it(uint64_t seed, const char* what) const {
    check(aligned(this, kAlign), "misaligned", kAlign);
    check(holds(bytes.data(), kBytes, seed), what, kBytes);
  }
};

template <typename Closure, typename Result>
[[gnu::noinline]] uint64_t shapes_round(uint64_t seed) {
  const Closure in = Closure::filled(seed);
  const Closure* const where = &in;
  uint64_t moves = 0;
  const auto task = spawn_counting(&moves, [in, seed] {
    in.check_it(seed, "a closure's bytes at the task's start");
    const Closure* const where = &in;
    spawn_within(seed);
    check(&in == where, "a closure has another address");
    in.check_it(seed, "a closure's bytes after a move");
    const Result out = Result::filled(seed + 1);
    spawn_within(seed);
    in.check_it(seed, "a closure, overwritten by its result");
    out.check_it(seed + 1, "a result's bytes at its place");
    return out;
  });
  check(&in == where, "a local object has another address");
  in.check_it(seed, "the spawning task's bytes");
  const Result result = task.join();
  result.check_it(seed + 1, "a result's bytes");
  in.check_it(seed, "the spawning task's bytes after the join");
  return moves;
}

// A join writes the result's bytes and no others.
template <typename Result>
void joins_within(uint64_t seed) {
  auto f = [seed] { return Result::filled(seed); };
  Handle task;
  seam::spawn(&internal::TypeOfSpawn<decltype(f), 1>::kInfo, &f, &task);
  alignas(Result) unsigned char place[sizeof(Result) + 64];
  std::memset(place, 0xee, sizeof(place));
  seam::join(&task, 0, place, sizeof(Result));
  for (size_t i = sizeof(Result); i < sizeof(place); ++i)
    check(place[i] == 0xee, "join wrote behind the result", sizeof(Result));
}

// A closure and a result of so many bytes, each beside a word.
template <size_t... kBytes>
uint64_t of_sizes(std::index_sequence<kBytes...>) {
  (joins_within<Block<kBytes, 1>>(kBytes), ...);
  return (... + (shapes_round<Block<kBytes, 1>, Block<8, 8>>(kBytes) +
                 shapes_round<Block<8, 8>, Block<kBytes, 1>>(kBytes)));
}
// The same with that alignment, and padding behind them.
template <size_t... kAlign>
uint64_t aligned_to(std::index_sequence<kAlign...>) {
  return (... + (shapes_round<Block<kAlign + 3, kAlign>, Block<8, 8>>(kAlign) +
                 shapes_round<Block<1, 1>, Block<kAlign + 5, kAlign>>(kAlign)));
}

uint64_t all_shapes() {
  return of_sizes(std::index_sequence<1, 7, 8, 9, 16, 17, 24, 31, 32, 63, 64,
                                      65, 4096, 61440>()) +
         aligned_to(std::index_sequence<2, 8, 16, 64, 256, 4096>());
}

// ------------------------------------------------------------------- the stack

struct Node {
  uint64_t value;
  const Node* up;
};

// A list through the frames of one task, from the innermost out: raw addresses
// of stack objects hold as long as the task that owns them.
uint64_t climb(int64_t depth, const Node* up) {
  Node here = {static_cast<uint64_t>(depth), up};
  const Node* volatile where = &here;
  if (depth > 0) {
    uint64_t moves = 0;
    const auto task = spawn_counting(&moves, [depth] { return depth * 2; });
    check(where == &here && here.up == up, "a stack object has moved");
    const uint64_t deeper = climb(depth - 1, &here);
    check(task.join() == depth * 2, "the task's result");
    check(where == &here && here.up == up &&
              here.value == static_cast<uint64_t>(depth),
          "a stack object has changed");
    return moves + deeper;
  }
  uint64_t expected = 0;
  for (const Node* node = &here; node != nullptr; node = node->up) {
    check(node->value == expected++, "a stack object of a caller has changed",
          node->value);
  }
  return 0;
}

template <typename Round>
Outcome rounds(const Parameters& p, Round round) {
  Outcome outcome;
  for (int64_t i = 0; go_on(p, i, outcome); ++i) outcome.moves += round();
  return outcome;
}

SCENARIO(shapes) { return rounds(p, all_shapes); }
SCENARIO(stack) {
  return rounds(p, [&p] { return climb(p.grain, nullptr); });
}

// Large and small frames at the same addresses on all ranks. A thief of a large
// frame copies for a while, from its lower end; its victim may put nothing in
// its place meanwhile, such as a small frame at its upper end.
[[gnu::noinline]] uint64_t bulky(int64_t depth, uint64_t id) {
  const size_t words = id % 2 == 0 ? 32768 : 1;
  auto* const frame = static_cast<volatile uint64_t*>(alloca(words * 8));
  std::array<volatile uint64_t, 16> top;
  for (size_t i = 0; i < words; i += 64) frame[i] = id;
  for (auto& word : top) word = id;
  const auto check_frame = [&] {
    for (const auto& word : top) check(word == id, "a frame has changed", id);
    for (size_t i = 0; i < words; i += 64) {
      check(frame[i] == id, "a large frame has changed", id);
    }
  };
  if (depth == 0) return id;
  const auto left = spawn([=] { return bulky(depth - 1, 2 * id); });
  check_frame();
  const auto right = spawn([=] { return bulky(depth - 1, 2 * id + 1); });
  check_frame();
  const uint64_t sum = left.join() + right.join();
  check_frame();
  return sum;
}

SCENARIO(large_frames) {
  const uint64_t leaves = uint64_t{1} << p.grain;
  for (int64_t i = 0; i < p.n; ++i) {
    check(bulky(p.grain, 1) == leaves * (3 * leaves - 1) / 2,
          "the sum of all leaves");
  }
  return {};
}

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
