#include "impl/child_steal/stack_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "common/rma/rma.h"

namespace magpie::child_steal {
namespace {

using testing::ContainsRegex;
using testing::ExitedWithCode;

constexpr size_t kBytes = 32 << 10;

const char* overflow(void* whose) { return static_cast<const char*>(whose); }
char words[] = "it is exhausted, as told";

// Calls body with a pool of a process with `in_process` ranks.
void with_pool(int in_process, void (*body)(StackPool& pool)) {
  struct Arguments {
    int in_process;
    void (*body)(StackPool& pool);
  } arguments = {in_process, body};
  rma::launch(
      {.heap_bytes = 1 << 12},
      [](void* p) {
        const Arguments& a = *static_cast<Arguments*>(p);
        rma::self().ranks_in_process = a.in_process;
        StackPool pool(kBytes, StackPool::kMany, &overflow, words);
        a.body(pool);
        return testing::Test::HasFailure() ? 1 : 0;
      },
      &arguments);
}
std::byte* top(StackPool::Stack* stack) {
  return reinterpret_cast<std::byte*>(stack);
}

void write_to_the_end(StackPool::Stack* stack) {
  std::memset(top(stack) - kBytes + 64, 0xa5, kBytes - 64);
}

TEST(StackPool, LastInFirstOut) {
  with_pool(1, [](StackPool& pool) {
    StackPool::Stack* const a = pool.take();
    StackPool::Stack* const b = pool.take();
    pool.give_back(a);
    pool.give_back(b);
    EXPECT_EQ(pool.take(), b);
    EXPECT_EQ(pool.take(), a);
    EXPECT_EQ(pool.in_use_max(), 2u);
  });
}

// Number of ranks in a process of which none has a guard page.
constexpr int kVeryMany = 100'000;

TEST(StackPool, WithoutGuardPagesToo) {
  with_pool(kVeryMany, [](StackPool& pool) {
    std::vector<StackPool::Stack*> stacks;
    for (int i = 0; i < 100; ++i) stacks.push_back(pool.take());
    for (StackPool::Stack* const stack : stacks) write_to_the_end(stack);
    for (StackPool::Stack* const stack : stacks) {
      pool.look(stack);
      EXPECT_EQ(pool.of(top(stack) - kBytes + 64), stack);
    }
    for (StackPool::Stack* const stack : stacks) pool.give_back(stack);
  });
}

// Each of very many ranks has its part of a process's addresses.
TEST(StackPoolDeathTest, AddressesAreExhausted) {
  EXPECT_EXIT(
      with_pool(kVeryMany,
                [](StackPool& pool) {
                  for (;;) pool.take();
                }),
      ExitedWithCode(1),
      ContainsRegex("no more addresses; [0-9]+ of 32768 .*--stack_bytes"));
}

}  // namespace
}  // namespace magpie::child_steal
