#include <cstdint>

#include "common/rma/rma.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"
#include "impl/glb_lifeline/lifelines.h"

namespace magpie::glb {
namespace {

// Of all that ask at once one is answered; the others know that at once.
SPMD_TEST(Requests, OneAtATime) {
  Requests requests;
  const auto asked = rma::allocate<rma::Word>();
  for (int victim = 0; victim < rma::size(); ++victim) {
    rma::barrier();
    EXPECT_EQ(requests.thief(), -1);
    rma::barrier();
    if (rma::rank() != victim && requests.ask(victim))
      rma::fetch_add(asked.at(victim), static_cast<uint64_t>(rma::rank()) + 1);
    rma::barrier();
    if (rma::rank() == victim) {
      const uint64_t thief = asked.local()->load();
      EXPECT_EQ(thief > 0, rma::size() > 1);
      EXPECT_EQ(static_cast<uint64_t>(requests.thief() + 1), thief);
      if (thief > 0) requests.clear();
    }
    rma::barrier();
  }
}

// Thieves ask again and again, while rank 0 answers: each request that was
// taken is answered once, and the rest never.
SPMD_TEST(Requests, EachIsAnsweredOnce) {
  const uint64_t answers = spmd::rounds(5000, 15);
  Requests requests;
  const auto answered = rma::allocate<rma::Word>();
  const auto done = rma::allocate<rma::Word>();
  rma::barrier();
  if (rma::rank() == 0) {
    const auto others = static_cast<uint64_t>(rma::size()) - 1;
    while (done.local()->load() < others) {
      if (const int thief = requests.thief(); thief >= 0) {
        requests.clear();
        EXPECT_NE(thief, 0);
        rma::fetch_add(answered.at(thief), 1);
      }
      rma::idle();
    }
    EXPECT_EQ(requests.thief(), -1);
  } else {
    for (uint64_t taken = 0; taken < answers;) {
      if (requests.ask(0)) {
        ++taken;
        EXPECT_TRUE(requests.awaits_answer());
        while (answered.local()->load() < taken) rma::idle();
        requests.answered();
      }
      EXPECT_FALSE(requests.awaits_answer());
      EXPECT_EQ(answered.local()->load(), taken);
      rma::idle();
    }
    rma::fetch_add(done.at(0), 1);
  }
}

// The first thief pays two fetch_adds, the others one; the victim looks at no
// cost, and answers with a swap.
SPMD_TEST(Requests, Costs) {
  Requests requests;
  rma::barrier();
  for (int thief = 1; thief < rma::size(); ++thief) {
    if (rma::rank() == thief) {
      EXPECT_EQ(costs_of([&] { EXPECT_EQ(requests.ask(0), thief == 1); }),
                Costs{.fetch_adds = thief == 1 ? 2u : 1u});
    }
    rma::barrier();
  }
  if (rma::rank() == 0) {
    const int thief = rma::size() > 1 ? 1 : -1;
    EXPECT_EQ(costs_of([&] { EXPECT_EQ(requests.thief(), thief); }), Costs{});
    EXPECT_EQ(costs_of([&] { requests.clear(); }), Costs{.swaps = 1});
    EXPECT_EQ(requests.thief(), -1);
  }
}

}  // namespace
}  // namespace magpie::glb
