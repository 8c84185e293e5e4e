#include "common/rma/sim/engine/log.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace magpie::rma::sim {
namespace {

constexpr uint64_t kRegionBytes = 0x1000;

// Sets all of an operation of rank 1 on rank 2 that a log looks at.
void set(Op& op, OpKind kind) {
  op.kind = kind;
  op.initiator = 1;
  op.target = 2;
  op.offset = 0x1040;
  op.bytes = 8;
  op.rest = {0, 8};
  op.again = false;
  op.operand = 5;
  op.before = 7;
}

uint64_t hash_of(const std::function<void(Log&)>& events) {
  Log log(nullptr, kRegionBytes);
  events(log);
  return log.hash();
}

// The hash of one effect, after `change` was made to the operation.
uint64_t hash_with(
    OpKind kind, const std::function<void(Op&)>& change = [](Op&) {}) {
  Op op;
  set(op, kind);
  change(op);
  return hash_of([&](Log& log) { log.effect(100, op); });
}

// No two of these hashes are equal.
TEST(LogHash, DependsOnWhatHappensAndInWhichOrder) {
  std::vector<uint64_t> hashes;
  for (size_t kind = 0; kind < std::size(kOpKindNames); ++kind)
    hashes.push_back(hash_with(static_cast<OpKind>(kind)));
  const std::vector<std::function<void(Op&)>> changes = {
      [](Op& op) { op.initiator = 2; }, [](Op& op) { op.initiator = 99'999; },
      [](Op& op) { op.target = 1; },    [](Op& op) { op.target = 99'999; },
      [](Op& op) { op.bytes = 9; },     [](Op& op) { op.offset += 8; },
      [](Op& op) { op.before = 8; },    [](Op& op) { op.before |= 1ull << 63; },
  };
  for (const auto& change : changes)
    hashes.push_back(hash_with(OpKind::kFetchAdd, change));
  Op op, add, high, half;
  set(op, OpKind::kGet);
  set(add, OpKind::kFetchAdd);
  set(high, OpKind::kFetchAdd);
  high.before |= 1ull << 63;  // twice is not as never
  set(half, OpKind::kGet);
  half.rest = {4, 8};
  const std::vector<std::function<void(Log&)>> events = {
      [](Log&) {},
      [](Log& log) { log.resumed(0, 0); },
      [](Log& log) { log.resumed(1, 0); },
      [](Log& log) { log.resumed(0, 1); },
      [](Log& log) { log.seen(1, 0, 5); },
      [](Log& log) { log.seen(2, 0, 5); },
      [](Log& log) { log.seen(1, 1, 5); },
      [&](Log& log) { log.effect(1, op); },
      [&](Log& log) { log.effect(2, op); },
      [&](Log& log) { log.effect(2, add); },
      [&](Log& log) { log.effect(2, high); },
      [&](Log& log) { log.part(1, op); },
      [&](Log& log) { log.part(2, op); },
      [&](Log& log) { log.part(2, half); },
  };
  for (const auto& event : events) hashes.push_back(hash_of(event));
  for (size_t a = 1; a < events.size(); ++a) {
    for (size_t b = 1; b < events.size(); ++b) {
      hashes.push_back(hash_of([&](Log& log) {
        events[a](log);
        events[b](log);
      }));
    }
  }
  EXPECT_EQ(std::set<uint64_t>(hashes.begin(), hashes.end()).size(),
            hashes.size());
}

// Values of transfers and stores may be addresses of code. Other addresses
// differ from run to run: //tests/sim:determinism_test.
TEST(LogHash, DoesNotDependOnValues) {
  for (OpKind kind : {OpKind::kGet, OpKind::kPut}) {
    EXPECT_EQ(hash_with(kind, [](Op& op) { op.before = 1; }), hash_with(kind));
  }
  EXPECT_EQ(hash_of([](Log& log) { log.seen(100, 1, 5); }),
            hash_of([](Log& log) { log.seen(100, 1, 6); }));
}

// Text that is only printed does not count, and printing changes nothing.
TEST(Log, PrintsWithoutEffectOnTheHash) {
  Op op;
  set(op, OpKind::kFetchAdd);
  Op transfer;
  set(transfer, OpKind::kPut);
  transfer.rest = {8, 24};
  char* text = nullptr;
  size_t bytes = 0;
  std::FILE* const out = open_memstream(&text, &bytes);
  Log printing(out, kRegionBytes), silent(nullptr, kRegionBytes);
  EXPECT_TRUE(printing.prints());
  EXPECT_FALSE(silent.prints());
  for (Log* log : {&printing, &silent}) {
    log->effect(1'234, op);
    log->part(1'500, op);
    log->part(1'600, transfer);
    log->detail(2'000, 3, "rests");
    log->seen(3'000, 4, 77);
    log->resumed(5, 4);
  }
  EXPECT_EQ(printing.hash(), silent.hash());
  EXPECT_EQ(printing.events(), silent.events());
  std::fclose(out);
  EXPECT_EQ(std::string(text),
            R"({"record":"other","time":1500,"rank":1,"what":"fetch_add of 8 )"
            R"(bytes at heap+0x40 of rank 2 has found 7"})"
            "\n"
            R"({"record":"other","time":1600,"rank":1,"what":"put of 8 bytes )"
            R"(at heap+0x40 of rank 2: bytes 8 to 24"})"
            "\n"
            R"({"record":"other","time":2000,"rank":3,"what":"rests"})"
            "\n"
            R"({"record":"other","time":3000,"rank":4,"what":"store of 77 is )"
            R"(seen"})"
            "\n");
  std::free(text);
}

}  // namespace
}  // namespace magpie::rma::sim
