#include <cstddef>
#include <cstdint>

#include "common/stealing/termination.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

// A value of bytes that are no multiple of a word: the sum of what was merged,
// and a pattern that shows that all bytes came.
template <size_t kBytes, size_t kAlign>
struct alignas(kAlign) Value {
  unsigned char bytes[kBytes];

  static Value of(unsigned number) {
    Value value = {};
    for (size_t i = 0; i < kBytes; ++i)
      value.bytes[i] = static_cast<unsigned char>(number * (i + 1));
    return value;
  }
  static void merge(void* into, const void* other) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(other) % kAlign, 0u);
    auto* const sum = static_cast<Value*>(into);
    const auto* const more = static_cast<const Value*>(other);
    for (size_t i = 0; i < kBytes; ++i)
      sum->bytes[i] =
          static_cast<unsigned char>(sum->bytes[i] + more->bytes[i]);
  }
  bool operator==(const Value&) const = default;
};

// Waves, one after the other: each brings what the ranks had when they
// answered. The root begins one when it likes.
template <typename V>
void sums_come_up() {
  constexpr unsigned kWaves = 5;
  Waves waves(sizeof(V), alignof(V));
  rma::barrier();
  const auto rank = static_cast<unsigned>(rma::rank());
  for (unsigned wave = 1; wave <= kWaves; ++wave) {
    EXPECT_EQ(waves.wave(), wave);
    if (rank == wave % 3) rma::idle(20);
    V value = V::of(wave * (rank + 1));
    while (!waves.poll(&value, &V::merge)) rma::idle();
    const auto size = static_cast<unsigned>(rma::size());
    if (rank == 0) {
      EXPECT_TRUE(value == V::of(wave * (size * (size + 1) / 2)));
    }
  }
  rma::flush_all();
  rma::barrier();
}

SPMD_TEST(Waves, BringTheSums) {
  sums_come_up<Value<1, 1>>();
  sums_come_up<Value<24, 8>>();
  sums_come_up<Value<192, 64>>();
}

// Until the root asks, nobody answers, and nothing is sent.
SPMD_TEST(Waves, BeginWhenTheRootWants) {
  Waves waves(sizeof(uint64_t), alignof(uint64_t));
  const auto add = [](void* into, const void* value) {
    *static_cast<uint64_t*>(into) += *static_cast<const uint64_t*>(value);
  };
  rma::barrier();
  uint64_t value = 1;
  const rma::OpCounters before = rma::self().counters;
  if (rma::rank() != 0) {
    for (int i = 0; i < 10; ++i) EXPECT_FALSE(waves.poll(&value, add));
  }
  EXPECT_EQ((rma::self().counters - before).operations(), 0u);
  rma::barrier();
  while (!waves.poll(&value, add)) rma::idle();
  EXPECT_TRUE(rma::rank() != 0 || value == static_cast<uint64_t>(rma::size()));
  const int children =
      (2 * rma::rank() + 1 < rma::size()) + (2 * rma::rank() + 2 < rma::size());
  EXPECT_EQ((rma::self().counters - before).operations(),
            static_cast<uint64_t>(children + (rma::rank() == 0 ? 0 : 2)));
  rma::flush_all();
}

}  // namespace
}  // namespace magpie
