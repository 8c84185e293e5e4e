// The log as records: one JSON object a line. LOG.md has the fields.

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/rma/sim/engine/log.h"

namespace magpie::rma::sim {
namespace {

using Record = nlohmann::ordered_json;

// Greatest number of bytes of a transfer whose words a record has.
constexpr size_t kMostBytes = 64;

std::string text_of(const Record& record) { return record.dump() + "\n"; }

Record begin(const char* what, Time time, int rank) {
  return {{"record", what}, {"time", time}, {"rank", rank}};
}

std::string in_hex(const void* address) {
  return absl::StrCat("0x", absl::Hex(reinterpret_cast<uintptr_t>(address)));
}

std::vector<uint64_t> words_at(const std::byte* at, size_t bytes) {
  if (bytes > kMostBytes || bytes % sizeof(uint64_t) != 0) return {};
  std::vector<uint64_t> words(bytes / sizeof(uint64_t));
  std::memcpy(words.data(), at, bytes);
  return words;
}

void add_place(Record* record, const Op& op, uint64_t region_bytes) {
  const bool wakes = op.offset == kWakesOffset;
  const bool region = op.offset < region_bytes;
  (*record)["op"] = kOpKindNames[static_cast<size_t>(op.kind)];
  (*record)["id"] = op.index;
  (*record)["target"] = op.target;
  (*record)["memory"] = wakes ? "wakes" : region ? "region" : "heap";
  (*record)["offset"] = wakes    ? 0
                        : region ? op.offset
                                 : op.offset - region_bytes;
  (*record)["bytes"] = op.bytes;
  (*record)["blocking"] = op.blocking;
}

uint64_t after(const Op& op) {
  switch (op.kind) {
    case OpKind::kFetchAdd:
      return op.before + op.operand;
    case OpKind::kFetchOr:
      return op.before | op.operand;
    case OpKind::kCompareSwap:
      return op.before == op.expected ? op.operand : op.before;
    default:
      return op.operand;
  }
}

}  // namespace

void Log::name(uint64_t offset, size_t bytes, size_t count, const char* name) {
  if (out_ == nullptr || !records_) return;
  const Record record = {{"record", "name"},
                         {"name", name},
                         {"offset", offset - region_bytes_},
                         {"bytes", bytes},
                         {"count", count}};
  std::fputs(text_of(record).c_str(), out_);
}

std::string Log::issue_record(Time time, const Op& op,
                              const void* caller) const {
  Record record = begin("issue", time, op.initiator);
  add_place(&record, op, region_bytes_);
  record["caller"] = in_hex(caller);
  return text_of(record);
}

std::string Log::access_record(Time time, int rank, const Access& access,
                               std::optional<uint64_t> offset,
                               const void* caller) const {
  Record record =
      begin(access.kind == LineKind::kLoad ? "load" : "store", time, rank);
  record["memory"] = offset ? "heap" : "stack";
  record["offset"] = offset.value_or(0);
  record["before"] = {access.before};
  record["after"] = {access.after};
  record["caller"] = in_hex(caller);
  return text_of(record);
}

void Log::will_take_effect(const Op& op, const std::byte* at) {
  if (records_ && op.kind == OpKind::kPut) old_words_ = words_at(at, op.bytes);
}

void Log::completes(Time time, const Op& op) {
  if (!records_) return;
  Record record = begin("effect", time, op.initiator);
  add_place(&record, op, region_bytes_);
  if (is_atomic(op.kind)) {
    record["operand"] = op.operand;
    record["before"] = {op.before};
    record["after"] = {after(op)};
  } else {
    const auto words = words_at(op.payload.data(op.bytes), op.bytes);
    record["before"] = op.kind == OpKind::kPut ? old_words_ : words;
    record["after"] = words;
  }
  record["known"] = op.completion;
  put_line(line_of(op), time, text_of(record));
}

void Log::flushed(Time begin_time, Time end, int rank, int target,
                  const void* caller) {
  if (!records_) return;
  Record record = begin("flush", begin_time, rank);
  record["target"] = target;
  record["end"] = end;
  record["caller"] = in_hex(caller);
  put_line({rank}, begin_time, text_of(record));
}

std::string Log::detail_record(Time time, int rank, const std::string& what) {
  Record record = begin("other", time, rank);
  record["what"] = what;
  return text_of(record);
}

std::string Log::event_record(const char* name, int rank, Time begin_time,
                              Time end) {
  Record record = begin("event", begin_time, rank);
  record["name"] = name;
  record["end"] = end;
  return text_of(record);
}

}  // namespace magpie::rma::sim
