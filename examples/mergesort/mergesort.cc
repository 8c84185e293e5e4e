// Sorts numbers that lie on all ranks, by tasks that split ranges in two until
// they fit into memory of their own.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include "common/fork_join/parallel.h"
#include "common/run/distributed_array.h"

namespace rma = magpie::rma;
using Numbers = magpie::DistributedArray<uint64_t>;

constexpr size_t kNumbers = 1'000'000;
// Most numbers that one task sorts, merges or checks.
constexpr size_t kPiece = 10'000;

struct Range {
  size_t first, count;
  Range left(size_t n) const { return {first, n}; }
  Range right(size_t n) const { return {first + n, count - n}; }
};

// Number of the n least numbers of two sorted ranges that are in `a`.
size_t share(Numbers from, Range a, Range b, size_t n) {
  size_t least = n - std::min(n, b.count), most = std::min(n, a.count);
  while (least < most) {
    const size_t i = (least + most) / 2;
    const uint64_t in_a = rma::get(from.at(a.first + i));
    const bool is_less = in_a < rma::get(from.at(b.first + n - i - 1));
    (is_less ? least : most) = i + is_less;
  }
  return least;
}

// Merges two sorted ranges into numbers `at` and on of another array.
void merge(Numbers from, Range a, Range b, Numbers to, size_t at) {
  const size_t count = a.count + b.count, half = count / 2;
  if (count > kPiece) {
    const size_t n = share(from, a, b, half), m = half - n;
    auto low =
        magpie::spawn([=] { merge(from, a.left(n), b.left(m), to, at); });
    merge(from, a.right(n), b.right(m), to, at + half);
    return low.join();
  }
  std::vector<uint64_t> both(count), merged(count);
  uint64_t* const middle = both.data() + a.count;
  from.get_nb(a.first, a.count, both.data());
  from.get_nb(b.first, b.count, middle);
  rma::flush_all();
  std::merge(both.data(), middle, middle, middle + b.count, merged.data());
  to.put(at, count, merged.data());
  rma::flush_all();
}

// Sorts a range of `from` into `to`, which is the same array or `spare`.
void sort(Numbers from, Numbers to, Numbers spare, Range r) {
  if (r.count > kPiece) {
    const Range a = r.left(r.count / 2), b = r.right(r.count / 2);
    auto left = magpie::spawn([=] { sort(from, spare, to, a); });
    sort(from, spare, to, b);
    left.join();
    return merge(spare, a, b, to, r.first);
  }
  std::vector<uint64_t> piece(r.count);
  from.get(r.first, r.count, piece.data());
  std::sort(piece.begin(), piece.end());
  to.put(r.first, r.count, piece.data());
  rma::flush_all();
}

struct Mergesort {
  Numbers numbers, spare;
  // Bytes of the symmetric heap that prepare() takes.
  size_t heap_bytes() const { return 2 * Numbers::heap_bytes(kNumbers); }
  // Each rank fills its block: 0, ..., kNumbers - 1 in another order.
  void prepare() {
    numbers.allocate(kNumbers);
    spare.allocate(kNumbers);
    size_t i = numbers.first_on(rma::rank());
    for (auto& number : numbers.local()) number = i++ * 618'033'989 % kNumbers;
  }
  // Returns how many numbers are in a wrong place in the end.
  int64_t operator()() const {
    const Mergesort on_all = magpie::root_task<Mergesort>();
    sort(on_all.numbers, on_all.numbers, on_all.spare, {0, kNumbers});
    const auto wrong = [=](int64_t i) {
      std::vector<uint64_t> piece(kPiece);
      size_t place = static_cast<size_t>(i) * kPiece;
      on_all.numbers.get(place, kPiece, piece.data());
      return std::ranges::count_if(piece, [&](auto n) { return n != place++; });
    };
    return magpie::parallel_reduce(0, kNumbers / kPiece, 1, int64_t{0}, wrong,
                                   std::plus<int64_t>());
  }
};

int main(int argc, char** argv) {
  magpie::RunReport report;
  int64_t wrong = 0;
  const int status = magpie::run_with_result({argv + 1, argv + argc},
                                             Mergesort(), &wrong, &report);
  if (status != 0) return status;
  std::printf("%zu numbers, %d ranks: %.3g s, %ld in a wrong place\n", kNumbers,
              report.ranks, report.seconds, wrong);
  return wrong != 0;
}
