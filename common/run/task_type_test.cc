#include "common/run/task_type.h"

#include <cstdint>
#include <cstring>

#include "gtest/gtest.h"

namespace magpie::internal {
namespace {

struct Pair {
  double x, y;
  friend bool operator==(const Pair&, const Pair&) = default;
};
struct Padded {
  char a;
  int32_t b;
};

template <int kPairs>
struct Behind {
  Pair pairs[kPairs];
  Padded padded;
};

// Makes all bytes alike, and clears the padding.
template <typename T>
void clear(T* object) {
  std::memset(static_cast<void*>(object), 0x41, sizeof(T));
  clear_padding(object);
  // Padding is not to be looked at by the optimizer.
  asm volatile("" ::: "memory");
}

template <int kPairs>
void keeps_values() {
  Behind<kPairs> object;
  clear(&object);
  Pair value;
  std::memset(static_cast<void*>(&value), 0x41, sizeof(value));
  for (const Pair& pair : object.pairs) EXPECT_EQ(pair, value) << kPairs;
  EXPECT_EQ(object.padded.a, 0x41);
  EXPECT_EQ(object.padded.b, 0x41414141);
}

TEST(TaskType, KeepsValuesBehindAnArray) {
  keeps_values<1>();
  keeps_values<3>();
  keeps_values<4>();
  keeps_values<5>();
  keeps_values<64>();
}

TEST(TaskType, ClearsPaddingOrSaysThatItDoesNot) {
  Padded object;
  clear(&object);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&object);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(bytes[i] == 0, kHasCleanBytes<Padded>);
  EXPECT_FALSE(kHasCleanBytes<Behind<64>>);
  EXPECT_TRUE(kHasCleanBytes<uint64_t[64]>);
}

}  // namespace
}  // namespace magpie::internal
