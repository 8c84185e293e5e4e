// Operations complete whatever their target is doing.
//
// RmaOneSided: the target computes, outside the shim. It cannot hold on a
// network that needs the target's help; such a configuration leaves the suite
// out with --gtest_filter=-RmaOneSided.*
//
// RmaProgress: the target polls, idles or rests. It holds everywhere.
//
// A failure is a hang, which the test's time limit ends.

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

struct Target {
  alignas(64) std::array<std::byte, 5000> data;
  alignas(64) rma::Word word;
  // Number of ranks that have finished.
  alignas(64) rma::Word finished;
};

// Does each kind of operation, and waits for it.
void all_kinds_at(rma::RemotePtr<Target> target) {
  const auto data = target.field(&Target::data);
  const auto word = target.field(&Target::word);
  std::array<std::byte, 5000> buffer{};
  uint64_t before = 0;
  for (int i = 0; i < 20; ++i) {
    for (size_t bytes : {size_t{1}, size_t{8}, buffer.size()}) {
      rma::put(as_bytes(data), buffer.data(), bytes);
      rma::get(buffer.data(), as_bytes(data), bytes);
      rma::put_nb(as_bytes(data), buffer.data(), bytes);
      rma::flush(target.rank);
    }
    rma::fetch_add(word, 1);
    rma::swap(word, 0);
    rma::fetch_add_nb(word, 1, &before);
    rma::flush_all();
  }
}

// Each rank in turn is the target of all others; it does `meanwhile` until they
// have finished.
template <typename Meanwhile>
void bother_each_rank(Meanwhile meanwhile) {
  const auto targets = rma::allocate<Target>();
  const uint64_t others = rank_count() - 1;
  for (int busy = 0; busy < rma::size(); ++busy) {
    rma::barrier();
    if (rma::rank() == busy) {
      while (targets.local()->finished.load() < others) meanwhile();
    } else {
      all_kinds_at(targets.at(busy));
      rma::fetch_add(targets.at(busy).field(&Target::finished), 1);
    }
    rma::barrier();
  }
}

SPMD_TEST(RmaOneSided, TargetComputes) {
  volatile uint64_t work = 0;
  bother_each_rank([&work] { work = work + 1; });
}

SPMD_TEST(RmaProgress, TargetPolls) {
  volatile uint64_t work = 0;
  bother_each_rank([&work] {
    work = work + 1;
    rma::poll();
  });
}

SPMD_TEST(RmaProgress, TargetIdles) {
  bother_each_rank([] { rma::idle(); });
}

// The target rests for shorter and for longer than an operation takes.
SPMD_TEST(RmaProgress, TargetRests) {
  for (uint64_t nanoseconds : {1'000, 200'000})
    bother_each_rank([=] { rma::rest(nanoseconds); });
}

// The target is busy with its own memory through the shim, and with a third
// rank's.
SPMD_TEST(RmaProgress, TargetOperatesOnItself) {
  const auto own = rma::allocate<rma::Word>(rank_count());
  bother_each_rank([&] {
    rma::fetch_add(own.at(rma::rank()) + this_rank(), 1);
    rma::get_word(own.at(neighbour(1)) + this_rank());
    rma::idle();
  });
}

}  // namespace
}  // namespace magpie
