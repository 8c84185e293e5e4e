// What a flush orders: messages with a flag behind their data, through one rank
// and through three, and data under a lock.

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

enum class DataBy { kPut, kPutNb };
enum class FlagBy { kPut, kPutNb, kFetchAdd, kSwap };

constexpr size_t kDataWords = 40;

struct Mailbox {
  std::array<rma::Word, kDataWords> data;
  rma::Word flag;  // the number of the message that is there
  rma::Word acknowledged;
};

using Mail = rma::RemotePtr<Mailbox>;

void write_data(Mail to, uint64_t number, DataBy by) {
  const std::vector<uint64_t> data(kDataWords, number);
  const auto at = rma::remote_field(to, &Mailbox::data);
  const rma::RemotePtr<std::byte> bytes = {at.rank, at.offset};
  by == DataBy::kPut ? rma::put(bytes, data.data(), sizeof(Mailbox::data))
                     : rma::put_nb(bytes, data.data(), sizeof(Mailbox::data));
  rma::flush(to.rank);
}

void raise_flag(Mail to, uint64_t number, FlagBy by) {
  const auto flag = rma::remote_field(to, &Mailbox::flag);
  switch (by) {
    case FlagBy::kPut:
      rma::put_word(flag, number);
      break;
    case FlagBy::kPutNb:
      rma::put_nb({flag.rank, flag.offset}, &number, sizeof(number));
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

// Each rank sends to the next. The receiver reads its own memory, as a word's
// owner.
void send_messages(DataBy data_by, FlagBy flag_by) {
  const auto boxes = rma::allocate<Mailbox>();
  Mailbox& mine = *boxes.local();
  const int to = neighbour(1), from = neighbour(rma::size() - 1);
  rma::barrier();
  for (uint64_t number = 1; number <= 100; ++number) {
    write_data(boxes.at(to), number, data_by);
    raise_flag(boxes.at(to), number, flag_by);
    wait_until([&] { return mine.flag.load() >= number; });
    for (const rma::Word& word : mine.data)
      ASSERT_EQ(word.load(), number) << "the flag came before the data";
    rma::put_word(rma::remote_field(boxes.at(from), &Mailbox::acknowledged),
                  number);
    wait_until([&] { return mine.acknowledged.load() >= number; });
  }
  rma::flush_all();
  rma::barrier();
}

SPMD_TEST(RmaOrdering, FlagIsBehindItsData) {
  for (DataBy data : {DataBy::kPut, DataBy::kPutNb}) {
    for (FlagBy flag :
         {FlagBy::kPut, FlagBy::kPutNb, FlagBy::kFetchAdd, FlagBy::kSwap})
      send_messages(data, flag);
  }
}

// The receiver of the flag finds the data on a third rank.
SPMD_TEST(RmaOrdering, DataOnAThirdRank) {
  const auto boxes = rma::allocate<Mailbox>();
  Mailbox& mine = *boxes.local();
  const int data_on = neighbour(1), flag_on = neighbour(2);
  const int source = neighbour(2 * rma::size() - 2),
            sources_data = neighbour(2 * rma::size() - 1);
  rma::barrier();
  for (uint64_t number = 1; number <= 100; ++number) {
    write_data(boxes.at(data_on), number, DataBy::kPut);
    raise_flag(boxes.at(flag_on), number, FlagBy::kPut);
    wait_until([&] { return mine.flag.load() >= number; });
    std::vector<uint64_t> data(kDataWords);
    const auto at = rma::remote_field(boxes.at(sources_data), &Mailbox::data);
    rma::get(data.data(), {at.rank, at.offset}, sizeof(Mailbox::data));
    ASSERT_EQ(data, std::vector<uint64_t>(kDataWords, number));
    rma::put_word(rma::remote_field(boxes.at(source), &Mailbox::acknowledged),
                  number);
    wait_until([&] { return mine.acknowledged.load() >= number; });
  }
  rma::flush_all();
  rma::barrier();
}

// A put, a flush and a get of the same bytes: a rank reads what it wrote last.
SPMD_TEST(RmaOrdering, RankReadsItsOwnWrites) {
  const auto words = rma::allocate<rma::Word>(static_cast<size_t>(rma::size()));
  rma::barrier();
  for (uint64_t round = 1; round <= 5000; ++round) {
    const auto word = words.at(static_cast<int>(round) % rma::size()) +
                      static_cast<uint64_t>(rma::rank());
    rma::put_nb({word.rank, word.offset}, &round, sizeof(round));
    rma::flush(word.rank);
    ASSERT_EQ(rma::get_word(word), round);
  }
  rma::barrier();
}

// A spin lock on each rank guards a record there that nothing else protects.
struct Guarded {
  rma::Word lock;
  std::array<uint64_t, 9> record;
};

void lock(rma::RemotePtr<rma::Word> word) {
  wait_until([word] { return rma::swap(word, 1) == 0; });
}

// What was written under the lock is complete before it opens.
void unlock(rma::RemotePtr<rma::Word> word) {
  rma::flush(word.rank);
  EXPECT_EQ(rma::swap(word, 0), 1u);
}

SPMD_TEST(RmaOrdering, LockGuardsARecord) {
  const auto guarded = rma::allocate<Guarded>();
  const size_t mine = 4000 / static_cast<size_t>(rma::size());
  rma::barrier();
  for (int target = 0; target < rma::size(); ++target) {
    const auto word = rma::remote_field(guarded.at(target), &Guarded::lock);
    const auto field = rma::remote_field(guarded.at(target), &Guarded::record);
    for (size_t i = 0; i < mine; ++i) {
      lock(word);
      auto record = rma::get(field);
      for (uint64_t n : record)
        ASSERT_EQ(n, record[0]) << "half of another rank's write";
      for (uint64_t& n : record) ++n;
      i % 2 == 0
          ? rma::put(field, record)
          : rma::put_nb({field.rank, field.offset}, &record, sizeof(record));
      unlock(word);
    }
  }
  rma::barrier();
  EXPECT_EQ(guarded.local()->record[8],
            mine * static_cast<size_t>(rma::size()));
}

}  // namespace
}  // namespace magpie
