// A program whose traffic depends only on its arguments: not on frames,
// addresses, or any time but the simulated. Every rank does --steps of a
// pseudo-random mix of all that rma.h and word.h have; the result is a checksum
// of what all ranks have read.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <random>
#include <vector>

#include "common/flags/flags.h"
#include "common/rma/rma.h"

namespace magpie {
namespace {

using rma::RemotePtr;
using rma::Word;

constexpr size_t kBytes = 8192;  // of each of a rank's areas
constexpr size_t kWords = 8;
constexpr size_t kResults = 16;  // of non-blocking operations between flushes
constexpr uint64_t kStepsBetweenCollectives = 40;

const rma::Cost kCosts[] = {rma::Cost("spawn"), rma::Cost("join"),
                            rma::Cost("context_switch"),
                            rma::Cost("task_stack"), rma::Cost("copy_byte")};

// One rank's part. Each draw is a statement of its own, since the compiler
// chooses the order in which arguments are evaluated.
class RankTraffic {
 public:
  RankTraffic()
      : random_(static_cast<uint64_t>(rma::rank()) + 1),
        area_(rma::allocate<std::byte>(kBytes)),
        source_(rma::allocate<std::byte>(kBytes)),
        counters_(rma::allocate<Word>(kWords)),
        own_(rma::allocate<Word>(kWords)),
        buffer_(kBytes) {
    for (size_t i = 0; i < kBytes; ++i)
      source_.local()[i] = static_cast<std::byte>(random_());
  }

  uint64_t run(uint64_t steps) {
    rma::barrier();
    for (uint64_t i = 1; i <= steps; ++i) {
      step();
      if (i % kStepsBetweenCollectives == 0)
        collective(i / kStepsBetweenCollectives);
    }
    flush_all();
    rma::barrier();
    uint64_t sum = checksum_;
    rma::reduce(&sum, 1, rma::Reduction::kSum);
    return sum;
  }

 private:
  uint64_t below(uint64_t n) { return random_() % n; }

  // Adds what was read to the checksum, which depends on the order, too.
  void seen(uint64_t value) { checksum_ = checksum_ * 0x100000001b3 ^ value; }

  void step() {
    const uint64_t kind = below(6);
    const int target =
        static_cast<int>(below(static_cast<uint64_t>(rma::size())));
    if (kind == 0) return transfer(target);
    if (kind == 1) return atomic(target);
    if (kind == 2) return non_blocking(target);
    if (kind == 3) return word();
    if (kind == 4) return work();
    if (below(4) == 0) return flush_all();
    rma::flush(target);
  }

  void transfer(int target) {
    const size_t bytes = 1 + below(below(8) == 0 ? kBytes / 2 : 100);
    const uint64_t at = below(kBytes - bytes);
    const auto there = area_.at(target) + at;
    const uint64_t what = below(3);
    if (what == 0) return rma::put(there, &source_.local()[at], bytes);
    if (what == 1) return seen(rma::get_word(own_.at(target) + at % kWords));
    rma::get(buffer_.data(), there, bytes);
    for (size_t i = 0; i < bytes; ++i) seen(static_cast<uint64_t>(buffer_[i]));
  }

  void atomic(int target) {
    const uint64_t value = below(100);
    const auto there = counters_.at(target) + value % kWords;
    seen(below(2) == 0 ? rma::fetch_add(there, value)
                       : rma::swap(there, value));
  }

  void non_blocking(int target) {
    if (used_ == kResults) flush_all();
    const size_t bytes = 1 + below(200);
    const uint64_t at = below(kBytes - bytes);
    const uint64_t what = below(3);
    if (what == 0) {
      rma::put_nb(area_.at(target) + at, &source_.local()[at], bytes);
    } else if (what == 1) {
      rma::fetch_add_nb(counters_.at(target) + at % kWords, at, nullptr);
    } else {
      rma::fetch_add_nb(counters_.at(target) + at % kWords, at,
                        &results_[used_++]);
    }
  }

  void flush_all() {
    rma::flush_all();
    while (used_ > 0) seen(results_[--used_]);
  }

  void word() {
    Word& word = own_.local()[below(kWords)];
    const uint64_t what = below(4);
    if (what == 0) seen(word.load());
    if (what == 1) word.store(below(1000));
    if (what == 2) word.store_relaxed(below(1000));
    if (what == 3) Word::fence();
  }

  void work() {
    const uint64_t amount = below(50);
    const uint64_t what = below(3);
    if (what == 0) rma::idle(static_cast<int>(amount) + 1);
    if (what == 1) rma::compute(amount * 10);
    if (what == 2) rma::charge(kCosts[amount % std::size(kCosts)], amount);
    rma::poll();
    seen(rma::now());
  }

  void collective(uint64_t count) {
    flush_all();
    std::array<uint64_t, 3> values = {checksum_, count, rma::now()};
    if (count % 3 == 0) return rma::barrier();
    if (count % 3 == 1) {
      const int root = static_cast<int>(count) % rma::size();
      rma::broadcast(values.data(), sizeof(values), root);
    } else {
      rma::reduce(values.data(), values.size(),
                  static_cast<rma::Reduction>(count / 3 % 3));
    }
    for (uint64_t value : values) seen(value);
  }

  std::mt19937_64 random_;
  RemotePtr<std::byte> area_;    // the goal of puts
  RemotePtr<std::byte> source_;  // their source, which stays
  RemotePtr<Word> counters_;     // atomics' alone
  RemotePtr<Word> own_;          // stored to by their owner alone
  std::vector<std::byte> buffer_;
  std::array<uint64_t, kResults> results_ = {};
  size_t used_ = 0;
  uint64_t checksum_ = 0;
};

struct Traffic {
  uint64_t steps = 300;
  uint64_t checksum = 0;
};

int rank_main(void* arg) {
  auto* const traffic = static_cast<Traffic*>(arg);
  const uint64_t checksum = RankTraffic().run(traffic->steps);
  if (rma::rank() == 0) traffic->checksum = checksum;
  return 0;
}

}  // namespace
}  // namespace magpie

int main(int argc, char** argv) {
  magpie::Traffic traffic;
  magpie::flags::App app("A pseudo-random mix of all operations.");
  magpie::flags::add_integer<uint64_t>(app, "--steps", traffic.steps,
                                       "of each rank", 0, 1'000'000);
  magpie::rma::add_options(app);
  magpie::flags::parse_or_exit(app, argc, argv);
  const int result = magpie::rma::launch({.heap_bytes = 1 << 20},
                                         &magpie::rank_main, &traffic);
  std::printf("checksum=%016lx\n", traffic.checksum);
  return result;
}
