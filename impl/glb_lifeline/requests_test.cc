#include <cstdint>

#include "common/rma/rma.h"
#include "common/testing/spmd.h"
#include "impl/glb_lifeline/lifelines.h"

namespace magpie::glb {
namespace {

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

}  // namespace
}  // namespace magpie::glb
