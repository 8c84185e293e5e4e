// Tests of tied threads, on one rank: of their stacks, and of what each order
// of Full threads runs first.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "common/rma/rma.h"
#include "impl/child_steal/full.h"
#include "impl/child_steal/orders.h"
#include "impl/child_steal/rtc.h"
#include "impl/child_steal/stack_pool.h"

namespace magpie::child_steal {
namespace {

using testing::ContainsRegex;
using testing::ExitedWithCode;

constexpr size_t kStackBytes = 32 << 10;
// Number of ranks in a process of which none has a stack with a guard page.
constexpr int kVeryMany = 100'000;

// Calls body() on a rank of a process with `in_process` ranks.
template <typename Body>
void on_a_rank(int in_process, Body body) {
  auto with_others = [&] {
    rma::self().ranks_in_process = in_process;
    body();
  };
  rma::launch(
      {.heap_bytes = 1 << 12},
      [](void* f) {
        (*static_cast<decltype(&with_others)>(f))();
        return testing::Test::HasFailure() ? 1 : 0;
      },
      &with_others);
}

// -------------------------------------------------------------- the stack pool

StackPool make_pool() {
  return StackPool(kStackBytes, StackPool::kMany, "exhausted");
}

TEST(StackPool, LastInFirstOut) {
  on_a_rank(1, [] {
    StackPool pool = make_pool();
    StackPool::Stack* const a = pool.take();
    StackPool::Stack* const b = pool.take();
    pool.give_back(a);
    pool.give_back(b);
    EXPECT_EQ(pool.take(), b);
    EXPECT_EQ(pool.take(), a);
    EXPECT_EQ(pool.in_use_max(), 2u);
  });
}

TEST(StackPool, WithoutGuardPagesToo) {
  on_a_rank(kVeryMany, [] {
    StackPool pool = make_pool();
    std::vector<StackPool::Stack*> stacks;
    for (int i = 0; i < 100; ++i) stacks.push_back(pool.take());
    const auto end_of = [](StackPool::Stack* stack) {
      return reinterpret_cast<std::byte*>(stack) - kStackBytes + 64;
    };
    for (StackPool::Stack* const stack : stacks)
      std::memset(end_of(stack), 0xa5, kStackBytes - 64);
    for (StackPool::Stack* const stack : stacks) {
      pool.look(stack);
      EXPECT_EQ(pool.of(end_of(stack)), stack);
    }
    for (StackPool::Stack* const stack : stacks) pool.give_back(stack);
  });
}

// Each of very many ranks has its part of a process's addresses.
TEST(StackPoolDeathTest, AddressesAreExhausted) {
  const auto take_all = [] {
    for (StackPool pool = make_pool();;) pool.take();
  };
  EXPECT_EXIT(
      on_a_rank(kVeryMany, take_all), ExitedWithCode(1),
      ContainsRegex("no more addresses; [0-9]+ of 32768 .*--stack_bytes"));
}

// ---------------------------------------------- the canaries of a rank's tasks
//
// A task that leaves a stack without a guard page, as in a process of very many
// ranks, is told of when it waits or ends.

// A rank that has no task.
struct Idle {
  static bool is_started_here(const Handle&) { return false; }
  static int started_on(const Handle&) { return -1; }
  static bool is_done(const Handle&) { return true; }
  static bool is_over() { return true; }
  static bool pop(Descriptor*) { return false; }
  static void start(const Descriptor&) {}
  template <typename... Search>
  static bool search(Search...) {
    return false;
  }
};

// Writes to a frame that reaches beyond the end of the stack.
[[gnu::noinline]] void leave_the_stack() {
  volatile std::byte frame[kStackBytes + kStackBytes / 2];
  for (volatile std::byte& byte : frame) byte = std::byte{0};
}

// Expects to be told, of a task that runs on top of a join or is started, and
// that waits or ends.
template <typename Threads>
void expect_told(const char* words) {
  const auto in_root = [](auto task) {
    on_a_rank(kVeryMany, [task] {
      Threads threads(kStackBytes);
      Idle rank;
      const auto root = [&] { task(threads, rank); };
      threads.run(rank, &root);
    });
  };
  const auto ends = [](auto&, auto&) { leave_the_stack(); };
  const auto waits = [](auto& threads, auto& rank) {
    leave_the_stack();
    threads.wait(rank, Handle{});
    _exit(0);
  };
  const auto called = [](auto& threads, auto&) {
    threads.call([] { leave_the_stack(); });
    _exit(0);
  };
  EXPECT_EXIT(in_root(ends), ExitedWithCode(1), ContainsRegex(words));
  EXPECT_EXIT(in_root(waits), ExitedWithCode(1), ContainsRegex(words));
  if (!Threads::kBuries) {
    EXPECT_EXIT(in_root(called), ExitedWithCode(1), ContainsRegex(words));
  }
}

TEST(CanariesDeathTest, OfFullThreads) {
  expect_told<Full<FrontFirst>>("the stack of a task is exhausted");
}

TEST(CanariesDeathTest, OfRunToCompletionThreads) {
  expect_told<RtC>("the stack of tasks is exhausted");
}

// ------------------------------------------------------------------ the orders

// The root waits for a task elsewhere, and has three of its own, of which `a`,
// the youngest, runs until that one is done.
template <typename Order>
class Script {
 public:
  std::string run() {
    const Root root = {this};
    threads_.run(*this, &root);
    EXPECT_EQ(threads_.waiting(), 0u);
    EXPECT_TRUE(own_.empty());
    return log_;
  }

  bool pop(Descriptor* task) {
    if (own_.empty()) return false;
    task->task = {own_.back(), 0};
    own_.pop_back();
    return true;
  }
  void start(const Descriptor& task) {
    threads_.start(Task{this, static_cast<char>(task.task.w[0])});
  }
  bool is_done(const Handle&) const { return is_done_; }
  bool is_over() const { return is_over_; }
  bool try_to_steal(Descriptor*) {
    log_ += " steal";
    return false;
  }
  template <typename Stop, typename Failed = void (*)()>
  bool search(
      Descriptor* stolen, Stop stop, Failed failed = [] {}) {
    while (!stop()) {
      if (try_to_steal(stolen)) return true;
      failed();
    }
    return false;
  }

 private:
  struct Root {
    Script* script;
    void operator()() const {
      script->own_ = {'c', 'b', 'a'};
      script->threads_.wait(*script, {});
      script->log_ += " root";
      script->is_over_ = true;
    }
  };
  struct Task {
    Script* script;
    char name;
    void operator()() const {
      script->log_ += {' ', name};
      if (name == 'a') script->is_done_ = true;
    }
  };

  Full<Order> threads_{kStackBytes};
  std::vector<uint64_t> own_;
  bool is_done_ = false;
  bool is_over_ = false;
  std::string log_;
};

template <typename Order>
std::string log_of() {
  std::string log;
  on_a_rank(1, [&log] { log = Script<Order>().run(); });
  return log;
}

// A ready join starves while there is anything else.
TEST(Orders, AfterFailedSteals) {
  EXPECT_EQ(log_of<AfterFailedSteals>(), " a b c steal root");
}

TEST(Orders, FrontFirst) { EXPECT_EQ(log_of<FrontFirst>(), " a root b c"); }

// The ordinary stack waits in front of the root, and takes a turn.
TEST(Orders, Rotation) { EXPECT_EQ(log_of<Rotation>(), " a b root c"); }

}  // namespace
}  // namespace magpie::child_steal
