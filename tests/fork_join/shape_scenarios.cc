// Closures and results of every shape, and objects on a task's stack, across a
// move to another rank: their bytes, alignment and addresses.

#include <alloca.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/fork_join/fork_join.h"
#include "tests/fork_join/scenario.h"

namespace magpie::internal {

// A variable of Magpie's own for each type, which runtimes write in tasks'
// time.
template <typename Shape>
inline bool is_plain_of = false;

}  // namespace magpie::internal

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

// ------------------------------------------------------------- over the facade

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
[[gnu::noinline]] uint64_t facade_round(uint64_t seed) {
  const Closure in = Closure::filled(seed);
  const Closure* const where = &in;
  uint64_t moves = 0;
  const auto task = spawn_counting(&moves, [in, seed] {
    in.check_it(seed, "a closure's bytes at the task's start");
    const Closure* const where = &in;
    spawn_within(seed);
    check(&in == where, "a closure has another address");
    in.check_it(seed, "a closure's bytes after a move");
    return Result::filled(seed + 1);
  });
  check(&in == where, "a local object has another address");
  in.check_it(seed, "the spawning task's bytes");
  const Result result = task.join();
  result.check_it(seed + 1, "a result's bytes");
  in.check_it(seed, "the spawning task's bytes after the join");
  return moves;
}

uint64_t all_over_the_facade() {
  uint64_t moves = 0;
  moves += facade_round<Block<1, 1>, Block<1, 1>>(1);
  moves += facade_round<Block<8, 8>, Block<31, 1>>(2);
  moves += facade_round<Block<31, 1>, Block<8, 8>>(3);
  moves += facade_round<Block<63, 1>, Block<64, 1>>(4);
  moves += facade_round<Block<64, 16>, Block<63, 1>>(5);
  moves += facade_round<Block<4096, 1>, Block<4096, 8>>(6);
  moves += facade_round<Block<61440, 1>, Block<61440, 1>>(7);
  moves += facade_round<Block<3, 64>, Block<5, 256>>(8);
  moves += facade_round<Block<300, 256>, Block<100, 64>>(9);
  moves += facade_round<Block<10, 4096>, Block<20, 32>>(10);
  moves += facade_round<Block<8, 8>, Block<5000, 4096>>(11);
  return moves;
}

// --------------------------------------------------------------- over the seam
// Details that the facade cannot say: what exactly a runtime hands to a task.

template <uint32_t kClosureBytes, uint32_t kClosureAlign, uint32_t kResultBytes,
          uint32_t kResultAlign>
struct Shape {
  static constexpr uint64_t kSeed =
      kClosureBytes + kClosureAlign * 3 + kResultBytes * 5 + kResultAlign * 7;

  // Like the facade's, for a closure and a result that the facade cannot have.
  static void run_below(context::Context* parent, const void* closure,
                        Handle* out) {
    alignas(kClosureAlign) unsigned char copy[kClosureBytes + 1];
    alignas(kResultAlign) unsigned char result[kResultBytes + 1];
    std::memcpy(copy, closure, kClosureBytes);
    Handle task;
    seam::begin_task(&kInfo, parent, closure, out, &task);
    invoke(copy, result);
    seam::end_task(&kInfo, &task, parent, result);
  }

  static void invoke(const void* closure, void* result) {
    check(aligned(closure, kClosureAlign), "a closure is misaligned",
          kClosureAlign);
    check(holds(closure, kClosureBytes, kSeed), "a closure's bytes",
          kClosureBytes);
    spawn_within(kSeed);
    check(holds(closure, kClosureBytes, kSeed),
          "a closure's bytes after a move", kClosureBytes);
    if (kResultBytes == 0) return;
    check(aligned(result, kResultAlign), "the place of a result is misaligned",
          kResultAlign);
    fill(result, kResultBytes, kSeed + 1);
    spawn_within(kSeed);
    check(holds(closure, kClosureBytes, kSeed),
          "a closure, overwritten by its result", kClosureBytes);
  }

  static constexpr SpawnedType kInfo = {
      {invoke, kClosureBytes, kClosureAlign, kResultBytes, kResultAlign, 1,
       /*has_clean_bytes=*/false},
      run_below,
      &internal::is_plain_of<Shape>};

  [[gnu::noinline]] static uint64_t round() {
    constexpr size_t kMargin = 64;
    alignas(kClosureAlign) unsigned char closure[kClosureBytes + 1];
    alignas(kResultAlign) unsigned char result[kResultBytes + kMargin];
    fill(closure, kClosureBytes, kSeed);
    std::memset(result, 0xee, sizeof(result));
    Handle handle;
    const int before = place();
    seam::spawn(&kInfo, closure, &handle);
    const uint64_t moves = place() != before;
    std::memset(closure, 0xdd, sizeof(closure));  // it was copied
    seam::join(&handle, 0, kResultBytes == 0 ? nullptr : result, kResultBytes);
    check(kResultBytes == 0 || holds(result, kResultBytes, kSeed + 1),
          "a result's bytes", kResultBytes);
    for (size_t i = kResultBytes; i < sizeof(result); ++i) {
      check(result[i] == 0xee, "join wrote behind the result", kResultBytes);
    }
    return moves;
  }
};

template <uint32_t... kBytes>
uint64_t closures_of(std::integer_sequence<uint32_t, kBytes...>) {
  return (Shape<kBytes, 1, 8, 8>::round() + ...);
}
template <uint32_t... kBytes>
uint64_t results_of(std::integer_sequence<uint32_t, kBytes...>) {
  return (Shape<8, 8, kBytes, 1>::round() + ...);
}
template <uint32_t... kAlign>
uint64_t aligned_to(std::integer_sequence<uint32_t, kAlign...>) {
  return (... + (Shape<kAlign, kAlign, 8, 8>::round() +
                 Shape<8, 8, kAlign, kAlign>::round() +
                 Shape<3 * kAlign, kAlign, 2 * kAlign, kAlign>::round() +
                 Shape<1, 1, 5 * kAlign, kAlign>::round()));
}

uint64_t all_over_the_seam() {
  using Sizes = std::integer_sequence<uint32_t, 0, 1, 2, 7, 8, 9, 15, 16, 17,
                                      24, 31, 32, 33, 63, 64, 65, 4096, 61440>;
  using Aligns =
      std::integer_sequence<uint32_t, 1, 2, 4, 8, 16, 32, 64, 128, 256, 4096>;
  return closures_of(Sizes{}) + results_of(Sizes{}) + aligned_to(Aligns{});
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

SCENARIO(facade_shapes) { return rounds(p, all_over_the_facade); }
SCENARIO(seam_shapes) { return rounds(p, all_over_the_seam); }
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
