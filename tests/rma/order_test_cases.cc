// Order between ranks, by a flush and by collectives.

#include <algorithm>

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

// --------------------------------------------------------------------- flushes
//
// Order that a flush makes: messages with a flag after their data, through one
// rank and through three, and data under a lock.

enum class DataBy { kPut, kPutNb };
enum class FlagBy { kPut, kPutNb, kFetchAdd, kSwap };

constexpr size_t kDataWords = 40;

struct Mailbox {
  std::array<rma::Word, kDataWords> data;
  // The number of the message that is there.
  rma::Word flag;
  rma::Word acknowledged;
};

using Mail = rma::RemotePtr<Mailbox>;

void write_data(Mail to, uint64_t number, DataBy by) {
  const std::vector<uint64_t> data(kDataWords, number);
  const auto at = to.field(&Mailbox::data);
  const rma::RemotePtr<std::byte> bytes = as_bytes(at);
  by == DataBy::kPut ? rma::put(bytes, data.data(), sizeof(Mailbox::data))
                     : rma::put_nb(bytes, data.data(), sizeof(Mailbox::data));
  rma::flush(to.rank);
}

void raise_flag(Mail to, uint64_t number, FlagBy by) {
  const auto flag = to.field(&Mailbox::flag);
  switch (by) {
    case FlagBy::kPut:
      rma::put_word(flag, number);
      break;
    case FlagBy::kPutNb:
      rma::put_nb(as_bytes(flag), &number, sizeof(number));
      break;
    case FlagBy::kFetchAdd:
      rma::fetch_add(flag, 1);
      break;
    case FlagBy::kSwap:
      rma::swap(flag, number);
      break;
  }
  rma::flush(to.rank);
}

// Each rank sends messages: their data to the rank `data_hop` after it, their
// flags to the one `flag_hop` after it, which calls expect_data(number) when it
// has seen the flag.
template <typename ExpectData>
void send_messages(rma::RemotePtr<Mailbox> boxes, int data_hop, DataBy data_by,
                   int flag_hop, FlagBy flag_by, ExpectData expect_data) {
  Mailbox& mine = *boxes.local();
  const uint64_t first = mine.flag.load() + 1;
  const int source = neighbour(flag_hop * (rma::size() - 1));
  rma::barrier();
  for (uint64_t number = first; number < first + 100; ++number) {
    write_data(boxes.at(neighbour(data_hop)), number, data_by);
    raise_flag(boxes.at(neighbour(flag_hop)), number, flag_by);
    wait_until([&] { return mine.flag.load() >= number; });
    expect_data(number);
    rma::put_word(boxes.at(source).field(&Mailbox::acknowledged), number);
    rma::flush(source);
    wait_until([&] { return mine.acknowledged.load() >= number; });
  }
  complete_all();
}

// The receiver reads its own memory, as a word's owner.
SPMD_TEST(RmaOrdering, FlagIsAfterItsData) {
  const auto boxes = rma::allocate<Mailbox>();
  const auto expect_data = [&](uint64_t number) {
    for (const rma::Word& word : boxes.local()->data)
      ASSERT_EQ(word.load(), number) << "the flag came before the data";
  };
  for (DataBy data : {DataBy::kPut, DataBy::kPutNb}) {
    for (FlagBy flag :
         {FlagBy::kPut, FlagBy::kPutNb, FlagBy::kFetchAdd, FlagBy::kSwap})
      send_messages(boxes, 1, data, 1, flag, expect_data);
  }
}

// The receiver of the flag finds the data on a third rank.
SPMD_TEST(RmaOrdering, DataOnAThirdRank) {
  const auto boxes = rma::allocate<Mailbox>();
  const auto there = boxes.at(neighbour(rma::size() - 1)).field(&Mailbox::data);
  send_messages(boxes, 1, DataBy::kPut, 2, FlagBy::kPut, [&](uint64_t number) {
    std::vector<uint64_t> data(kDataWords);
    rma::get(data.data(), as_bytes(there), sizeof(Mailbox::data));
    ASSERT_EQ(data, std::vector<uint64_t>(kDataWords, number));
  });
}

// A spin lock on each rank guards a record there that nothing else protects.
struct Guarded {
  rma::Word lock;
  std::array<uint64_t, 9> record;
};

void lock(rma::RemotePtr<rma::Word> word) {
  wait_until([word] { return rma::swap(word, 1) == 0; });
}

// Completes what was written under the lock before opening it.
void unlock(rma::RemotePtr<rma::Word> word) {
  rma::flush(word.rank);
  EXPECT_EQ(rma::swap(word, 0), 1u);
}

SPMD_TEST(RmaOrdering, LockGuardsARecord) {
  const auto guarded = rma::allocate<Guarded>();
  const size_t mine = 4000 / rank_count();
  rma::barrier();
  for (int target = 0; target < rma::size(); ++target) {
    const auto word = guarded.at(target).field(&Guarded::lock);
    const auto field = guarded.at(target).field(&Guarded::record);
    for (size_t i = 0; i < mine; ++i) {
      lock(word);
      auto record = rma::get(field);
      for (uint64_t n : record)
        ASSERT_EQ(n, record[0]) << "half of another rank's write";
      for (uint64_t& n : record) ++n;
      i % 2 == 0 ? rma::put(field, record)
                 : rma::put_nb(as_bytes(field), &record, sizeof(record));
      unlock(word);
    }
  }
  rma::barrier();
  EXPECT_EQ(guarded.local()->record[8], mine * rank_count());
}

// ----------------------------------------------------------------- collectives
//
// barrier separates phases; broadcast and reduce agree with a sequential model,
// in any mixture.

// In each round another rank is late, and long enough for a barrier that does
// not wait for it to let the others through. What they see of it and of each
// other must be this round's.
SPMD_TEST(RmaCollectives, BarrierWaitsForEveryone) {
  const auto phase = rma::allocate<rma::Word>();
  for (uint64_t round = 1; round <= 60; ++round) {
    const bool late = static_cast<int>(round) % rma::size() == rma::rank();
    if (late) rma::compute(300'000);
    phase.local()->store(round);
    rma::barrier();
    for (int r = 0; r < rma::size(); ++r)
      ASSERT_EQ(rma::get_word(phase.at(r)), round) << "of rank " << r;
    rma::barrier();
  }
}

// An owner's plain stores are visible after the barrier.
SPMD_TEST(RmaCollectives, BarrierPublishesPlainStores) {
  constexpr size_t kNumbers = 500;
  const auto numbers = rma::allocate<std::array<uint64_t, kNumbers>>();
  for (uint64_t round = 1; round <= 40; ++round) {
    numbers.local()->fill(round);
    rma::barrier();
    const auto seen = rma::get(numbers.at(neighbour(1)));
    ASSERT_TRUE(std::all_of(seen.begin(), seen.end(),
                            [&](uint64_t n) { return n == round; }));
    rma::barrier();
  }
}

void expect_broadcast(size_t bytes, int root) {
  const std::vector<std::byte> sent =
      random_bytes(bytes, bytes * 64 + static_cast<uint64_t>(root));
  constexpr auto kGuard = std::byte{0x5A};
  std::vector<std::byte> buffer(bytes + 2, kGuard);
  if (rma::rank() == root)
    std::copy(sent.begin(), sent.end(), buffer.begin() + 1);
  rma::broadcast(buffer.data() + 1, bytes, root);
  EXPECT_TRUE(equal_bytes(buffer.data() + 1, sent))
      << bytes << " bytes from " << root;
  EXPECT_EQ(buffer.front(), kGuard);
  EXPECT_EQ(buffer.back(), kGuard);
}

SPMD_TEST(RmaCollectives, BroadcastFromEachRoot) {
  for (size_t bytes : {0, 1, 2, 7, 8, 9, 63, 64, 65, 1000, 4095, 4096, 4097,
                       65'537, 1 << 20}) {
    for (int root = 0; root < rma::size(); ++root)
      expect_broadcast(bytes, root);
  }
}

struct Reducing {
  rma::Reduction kind;
  uint64_t (*combine)(uint64_t a, uint64_t b);
};

constexpr Reducing kReductions[] = {
    {rma::Reduction::kSum, [](uint64_t a, uint64_t b) { return a + b; }},
    {rma::Reduction::kMin,
     [](uint64_t a, uint64_t b) { return a < b ? a : b; }},
    {rma::Reduction::kMax,
     [](uint64_t a, uint64_t b) { return a < b ? b : a; }},
};

// Numbers, most of which differ everywhere; some have the greatest value on one
// rank and are 0 on the others.
uint64_t number(int rank, size_t i, uint64_t round) {
  const uint64_t x = (static_cast<uint64_t>(rank) + 1) * 0x9E3779B97F4A7C15 +
                     i * 0xBF58476D1CE4E5B9 + round;
  if (i % 16 != 0) return x ^ x >> 31;
  return static_cast<int>(i / 16) % rma::size() == rank ? ~uint64_t{0} : 0;
}

void expect_reduce(size_t count, Reducing reducing, uint64_t round) {
  std::vector<uint64_t> values(count + 1, 77), expected(count + 1, 77);
  for (size_t i = 0; i < count; ++i) {
    values[i] = number(rma::rank(), i, round);
    expected[i] = number(0, i, round);
    for (int r = 1; r < rma::size(); ++r)
      expected[i] = reducing.combine(expected[i], number(r, i, round));
  }
  rma::reduce(values.data(), count, reducing.kind);
  EXPECT_EQ(values, expected)
      << count << " values, reduction " << static_cast<int>(reducing.kind);
}

SPMD_TEST(RmaCollectives, ReduceMatchesModel) {
  for (size_t count : {0, 1, 2, 3, 17, 511, 512, 513, 1000, 50'000}) {
    for (auto reducing : kReductions) expect_reduce(count, reducing, count);
  }
}

// Ranks enter and leave at different times; one collective's data never reaches
// the next.
SPMD_TEST(RmaCollectives, MixedAndSkewed) {
  constexpr uint64_t kRounds = 200;
  const auto counter = rma::allocate<rma::Word>();
  std::mt19937_64 together(1), alone(this_rank());
  for (uint64_t round = 1; round <= kRounds; ++round) {
    if (alone() % 4 == 0) rma::compute(alone() % 30'000);
    rma::fetch_add(counter.at(neighbour(1)), 1);
    const size_t count = together() % 100;
    const uint64_t which = together() % 5;
    if (which < std::size(kReductions)) {
      expect_reduce(count, kReductions[which], round);
    } else if (which == 3) {
      rma::barrier();
    } else {
      expect_broadcast(count, static_cast<int>(together() % rank_count()));
    }
  }
  rma::barrier();
  EXPECT_EQ(counter.local()->load(), kRounds);
}

}  // namespace
}  // namespace magpie
