// Random programs against a sequential model.
//
// Every rank has a slice of every rank's segment to itself, so it can predict
// each result: a plain array per target is the whole model. Ranks run at the
// same time, their slices side by side.

#include <algorithm>
#include <cstring>
#include <functional>

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

// Not a multiple of a cache line: neighbours share lines.
constexpr size_t kSlice = 1000;

class RandomProgram {
 public:
  RandomProgram(const Arena& arena, uint64_t seed)
      : arena_(arena),
        random_(seed),
        model_(rma::size(), std::vector<std::byte>(kSlice)) {}

  void step() {
    const int target = below(rma::size());
    switch (below(7)) {
      case 0:
        return get(target);
      case 1:
        return put(target);
      case 2:
        return put_nb(target);
      case 3:
        return atomic(target, fetch_add_nb, std::plus<uint64_t>());
      case 4:
        return atomic(target, rma::fetch_add, std::plus<uint64_t>());
      case 5:
        return atomic(target, rma::swap,
                      [](uint64_t, uint64_t b) { return b; });
      default:
        return rma::idle();
    }
  }

  void compare_all() {
    for (int r = 0; r < rma::size(); ++r) {
      std::vector<std::byte> slice(kSlice);
      rma::get(slice.data(), arena_.const_on(r, begin()), kSlice);
      EXPECT_EQ(slice, model_[r]) << "the slice on rank " << r;
    }
  }

 private:
  int below(int n) { return static_cast<int>(random_() % n); }
  size_t begin() const { return this_rank() * kSlice; }

  struct Range {
    size_t at, bytes;
  };
  Range range() {
    const size_t bytes = 1 + below(below(4) == 0 ? kSlice : 20);
    return {static_cast<size_t>(below(static_cast<int>(kSlice - bytes + 1))),
            bytes};
  }
  size_t word_at() { return 8 * static_cast<size_t>(below(kSlice / 8)); }
  rma::RemotePtr<rma::Word> word(int target, size_t at) {
    return {target, arena_.on(target, begin() + at).offset};
  }
  uint64_t model_word(int target, size_t at) {
    uint64_t value;
    std::memcpy(&value, &model_[target][at], 8);
    return value;
  }
  void set_model_word(int target, size_t at, uint64_t value) {
    std::memcpy(&model_[target][at], &value, 8);
  }

  void get(int target) {
    const auto [at, bytes] = range();
    std::vector<std::byte> got(bytes);
    const auto from = arena_.const_on(target, begin() + at);
    if (below(2) == 0) {
      rma::get(got.data(), from, bytes);
    } else {
      rma::get_nb(got.data(), from, bytes);
      rma::flush(target);
    }
    EXPECT_EQ(std::memcmp(got.data(), &model_[target][at], bytes), 0)
        << bytes << " bytes at " << at;
  }
  void put(int target) {
    const auto [at, bytes] = range();
    const std::vector<std::byte> data = random_bytes(bytes, random_());
    rma::put(arena_.on(target, begin() + at), data.data(), bytes);
    rma::flush(target);
    std::copy(data.begin(), data.end(),
              model_[target].begin() + static_cast<ptrdiff_t>(at));
  }
  // Several puts at once, to disjoint places of two targets.
  void put_nb(int target) {
    const std::vector<std::byte> data = random_bytes(kSlice, random_());
    const size_t piece = 1 + static_cast<size_t>(below(kSlice / 4));
    for (int t : {target, (target + 1) % rma::size()}) {
      for (size_t at = 0; at + piece <= kSlice; at += 2 * piece) {
        rma::put_nb(arena_.on(t, begin() + at), &data[at], piece);
        std::copy_n(&data[at], piece, &model_[t][at]);
      }
    }
    rma::flush_all();
  }
  static uint64_t fetch_add_nb(rma::RemotePtr<rma::Word> word, uint64_t value) {
    uint64_t before = 0;
    rma::fetch_add_nb(word, value, &before);
    rma::flush(word.rank);
    return before;
  }
  template <typename Operation, typename Result>
  void atomic(int target, Operation operation, Result result) {
    const size_t at = word_at();
    const uint64_t value = random_(), before = model_word(target, at);
    EXPECT_EQ(operation(word(target, at), value), before);
    rma::flush(target);
    set_model_word(target, at, result(before, value));
  }

  const Arena arena_;
  std::mt19937_64 random_;
  // Model of this rank's slice on each rank.
  std::vector<std::vector<std::byte>> model_;
};

SPMD_TEST(RmaModel, RandomPrograms) {
  for (uint64_t p = 0; p < 5; ++p) {
    const Arena arena = Arena::in_heap(kSlice * rank_count());
    rma::barrier();
    RandomProgram program(arena, 1000 * p + this_rank());
    for (int i = 0; i < 2000; ++i) program.step();
    program.compare_all();
    rma::barrier();
  }
}

}  // namespace
}  // namespace magpie
