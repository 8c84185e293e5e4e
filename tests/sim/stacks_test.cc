// The stacks of ranks outside the region: they are as large as told, and a rank
// that exhausts its own is told so.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstddef>
#include <cstdlib>

#include "common/context/context.h"
#include "common/rma/rma.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using testing::ContainsRegex;
using testing::ExitedWithCode;
using testing::KilledBySignal;

constexpr char kNet[] = "ito_a,node_size=1";
constexpr char kWords[] = "^magpie: rank 1: .*raise --rank_stack_bytes.*";

// Fills the stack below, by a kilobyte a call.
int descend(int calls) {
  volatile char frame[1000];
  for (volatile char& c : frame) c = static_cast<char>(calls);
  return calls == 0 ? frame[7] : descend(calls - 1) + frame[7];
}

// Uses more stack than there is.
void exhaust() { descend(300); }

// Switches often: each idle() of 20 is longer than the look-ahead.
void switch_often() {
  for (int i = 0; i < 1000; ++i) rma::idle(20);
}

void switch_often_in_the_region() {
  std::byte* const top = rma::self().region + kLayout.region_bytes;
  rma::use_region(top, top);
  context::call_on_stack(
      top, [](void*) { switch_often(); }, nullptr);
  rma::leave_region();
}

[[noreturn]] void end_unnoticed() { std::_Exit(0); }

TEST(Stacks, AreAsLargeAsTold) {
  simulate(on(3, kNet), [] { descend(200); });
  rma::sim::Options options = on(3, kNet);
  options.stack_bytes = 2 << 20;
  simulate(options, [] { descend(1800); });
}

TEST(StacksDeathTest, OneIsExhausted) {
  const auto body = [] {
    const rlimit none = {};
    setrlimit(RLIMIT_CORE, &none);
    if (rma::rank() == 1) exhaust();
    rma::barrier();
  };
  for (const auto& options :
       {on(3, kNet), exploring(3, kNet, 12, MemoryModel::kTso)}) {
    EXPECT_EXIT(simulate(options, body), KilledBySignal(SIGSEGV),
                ContainsRegex(kWords));
  }
}

// With more ranks than can have guard pages: the end of a stack is noticed
// after some switches, even in the rank's region, and at the rank's end. Until
// then the rank whose stack lies below is not harmed.
TEST(StacksDeathTest, OneOfManyIsExhausted) {
  const struct {
    const char* where;
    void (*body)();
  } cases[] = {
      {"outside the region",
       [] {
         exhaust();
         switch_often();
         end_unnoticed();
       }},
      {"in the region",
       [] {
         exhaust();
         switch_often_in_the_region();
         end_unnoticed();
       }},
      {"at its end", exhaust},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.where);
    const auto body = [&] {
      rma::barrier();
      if (rma::rank() == 0) rma::idle(40);  // meanwhile 1 exhausts its stack
      if (rma::rank() == 1) c.body();
      if (rma::rank() == 2) switch_often();  // from and to 1
    };
    EXPECT_EXIT(simulate(on(20'000, kNet), body), ExitedWithCode(1),
                ContainsRegex(kWords));
  }
}

}  // namespace
}  // namespace magpie::sim_test
