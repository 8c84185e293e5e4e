// Order that a flush makes: messages with a flag after their data, through one
// rank and through three, and data under a lock.

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

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

}  // namespace
}  // namespace magpie
