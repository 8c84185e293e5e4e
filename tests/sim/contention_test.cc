// Operations that meet: at one target's interface, or on the way of each other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/rma/rma.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::RemotePtr;
using rma::Word;

// --------------------------------------------------------------- the interface

// An atomic there takes 300 ns of the interface, a get 40 + 8 * 1, a put 70 +
// 8 * 1; ranks are alone on their nodes.
constexpr char kBusy[] =
    "custom,latency=1us,bandwidth=1,overhead=10ns,atomic=300ns,get=40ns,"
    "put=70ns,node_size=1";
// To the target.
constexpr Time kWay = 10'000 + 1'000'000 + 8'000;

// What each rank but 0 does to rank 0's word `at`, all of them at once.
using Step = void (*)(RemotePtr<Word> at);

// When each rank was done, in the order of time, since all began.
std::vector<Time> ends(int ranks, Step even, Step odd) {
  std::vector<Time> ends;
  with_words(on(ranks + 1, kBusy), [&](RemotePtr<Word> words) {
    const Time begin = clock();
    const int r = rma::rank();
    if (r != 0) {
      (r % 2 == 0 ? even : odd)(words.at(0) + static_cast<uint64_t>(r % 64));
      ends.push_back(clock() - begin);
    }
    rma::barrier();
  });
  std::sort(ends.begin(), ends.end());
  return ends;
}

// `count` operations, the first unhindered and the others `gap` apart.
std::vector<Time> in_line(int count, Time first, Time gap) {
  std::vector<Time> times;
  for (int i = 0; i < count; ++i)
    times.push_back(first + static_cast<Time>(i) * gap);
  return times;
}

void add(RemotePtr<Word> at) { rma::fetch_add(at, 1); }
void swap(RemotePtr<Word> at) { rma::swap(at, 1); }
void get(RemotePtr<Word> at) { rma::get_word(at); }
void put(RemotePtr<Word> at) {
  rma::put_word(at, 1);
  rma::flush(at.rank);
}

constexpr Time kAtomic = kWay + 300'000 + 1'000'000;
constexpr Time kGet = kWay + 40'000 + 1'000'000;
constexpr Time kPut = kWay + 70'000 + 1'000'000;

// Whatever the word, and whatever the kind.
TEST(Interface, ServesOneAtomicAndOneTransferAtATime) {
  for (int ranks : {1, 2, 3, 50})
    EXPECT_EQ(ends(ranks, &add, &add), in_line(ranks, kAtomic, 300'000));
  EXPECT_EQ(ends(50, &add, &swap), in_line(50, kAtomic, 300'000));
  EXPECT_EQ(ends(50, &get, &get), in_line(50, kGet, 48'000));
  EXPECT_EQ(ends(50, &put, &put), in_line(50, kPut, 78'000));
  // In the order of the ranks, since they began at one time: put, get, ...
  EXPECT_EQ(ends(3, &get, &put),
            (std::vector<Time>{kPut, kGet + 78'000, kPut + 78'000 + 48'000}));
  // Neither waits for the other.
  std::vector<Time> expected = in_line(10, kAtomic, 300'000);
  for (Time t : in_line(10, kGet, 48'000)) expected.push_back(t);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(ends(20, &add, &get), expected);
}

TEST(Interface, IsFreeAgainAfterTheGap) {
  with_words(on(3, kBusy), [](RemotePtr<Word> words) {
    for (Time later : {0, 100'000, 299'999, 300'000, 900'000}) {
      SCOPED_TRACE(later);
      rma::barrier();
      if (rma::rank() == 0) continue;
      if (rma::rank() == 2) wait_until(clock() + later);
      const Time waits =
          rma::rank() == 2 && later < 300'000 ? 300'000 - later : 0;
      EXPECT_EQ(took([&] { add(words.at(0)); }), kAtomic + waits);
    }
  });
}

TEST(Interface, ServesInTheOrderOfArrivalAndEachTargetByItself) {
  with_words(on(20, kBusy), [](RemotePtr<Word> words) {
    const auto r = static_cast<uint64_t>(rma::rank());
    EXPECT_EQ(took([&] { add(words.at((rma::rank() + 1) % 20)); }), kAtomic);
    rma::barrier();
    if (r == 0) return;
    // Rank r arrives r * 10 ns after rank 1, and finds r - 1 before it.
    wait_until(clock() + (r - 1) * 10'000);
    EXPECT_EQ(rma::fetch_add(words.at(0) + 1, 1), r - 1);
  });
}

TEST(Interface, QueuesNonBlockingOperationsOfOneRank) {
  constexpr Time kCount = 30;
  by_rank_0(on(2, kBusy), [](RemotePtr<Word> words) {
    std::array<uint64_t, kCount> before;
    const Time begin = clock();
    for (uint64_t& b : before) rma::fetch_add_nb(words.at(1), 1, &b);
    EXPECT_EQ(clock() - begin, kCount * 10'000) << "an overhead each";
    rma::flush(1);
    EXPECT_EQ(clock() - begin, kAtomic + (kCount - 1) * 300'000);
    for (size_t i = 0; i < kCount; ++i) EXPECT_EQ(before[i], i);
  });
}

// ---------------------------------------------------------- passing on the way

// A byte takes a microsecond: a long transfer is on its way for a while.
constexpr char kSlow[] = "custom,bandwidth=0.001,latency=1us,node_size=1";
constexpr size_t kLong = 1000;
constexpr uint64_t kOnes = 0x0101010101010101;

// Puts that many bytes, all alike.
void put_bytes(RemotePtr<Word> to, size_t count, std::byte byte) {
  const std::vector<std::byte> bytes(count, byte);
  rma::put(bytes_of(to), bytes.data(), count);
}

TEST(Passing, GetsAndAtomicsPassAPutButForAFlushOfItsTarget) {
  by_rank_0(on(3, kSlow), [](RemotePtr<Word> words) {
    put_bytes(words.at(1), kLong, std::byte{1});
    EXPECT_EQ(rma::get_word(words.at(1)), 0u);
    rma::flush(2);
    EXPECT_EQ(rma::fetch_add(words.at(1), 5), 0u);
    rma::flush(1);
    EXPECT_EQ(rma::get_word(words.at(1)), kOnes) << "the put came after it";
    EXPECT_EQ(rma::fetch_add(words.at(1), 5), kOnes);
    EXPECT_EQ(rma::get_word(words.at(1)), kOnes + 5);
  });
}

// The short put is there long before the long one.
TEST(Passing, AFlushWaitsForItsTargetAlone) {
  by_rank_0(on(3, kSlow), [](RemotePtr<Word> words) {
    for (int target : {1, 2}) {
      const Time begin = clock();
      put_bytes(words.at(target), kLong, std::byte{1});
      put_bytes(words.at(3 - target), 1, std::byte{1});
      rma::flush(target);
      EXPECT_EQ(clock() - begin, 1'000'000'000 + 2'000'000);
      rma::flush_all();
    }
  });
}

// -------------------------------------------------------------- buffers' lives

// Of a put: every put_word. Of a put_nb: //tests/sim:litmus_test, //tests/rma.

// Also of more than are kept at first, so that completed ones are forgotten
// early.
TEST(Buffers, ResultsOfNonBlockingAtomicsComeWithTheFlush) {
  static constexpr size_t kMany = 1000;
  by_rank_0(on(3, "custom,node_size=1"), [](RemotePtr<Word> words) {
    const RemotePtr<Word> counter = words.at(1), goals = counter + 1;
    std::vector<uint64_t> before(kMany, 77777);
    for (size_t i = 0; i < kMany; ++i) {
      rma::put_word(goals + i, i);
      rma::fetch_add_nb(counter, 1, &before[i]);
      if (i % 3 == 0) rma::idle();
    }
    rma::compute(1'000'000);
    EXPECT_EQ(rma::get_word(counter), kMany) << "has long happened";
    rma::flush(2);
    EXPECT_THAT(before, testing::Each(77777u)) << "it was of another target";
    rma::flush(1);
    for (size_t i = 0; i < kMany; ++i) {
      EXPECT_EQ(rma::get_word(goals + i), i);
      EXPECT_EQ(before[i], i);
    }
  });
}

}  // namespace
}  // namespace magpie::sim_test
