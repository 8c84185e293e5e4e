#include "common/rma/sim/engine/log.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_format.h"

namespace magpie::rma::sim {
namespace {

using Record = nlohmann::ordered_json;

// Greatest number of bytes of a transfer whose words a record has.
constexpr size_t kMostBytes = 64;

void put_line(std::FILE* out, const Record& record) {
  std::fputs((record.dump() + "\n").c_str(), out);
}

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

// The memory in which an operation finds something, and where it does.
std::pair<const char*, uint64_t> place_of(const Op& op, uint64_t region_bytes) {
  if (op.offset == kWakesOffset) return {"wakes", 0};
  if (op.offset < region_bytes) return {"region", op.offset};
  return {"heap", op.offset - region_bytes};
}

Record begin(const char* what, Time time, const Op& op, uint64_t region_bytes) {
  const auto [memory, offset] = place_of(op, region_bytes);
  Record record = begin(what, time, op.initiator);
  record["op"] = kOpKindNames[static_cast<size_t>(op.kind)];
  record["id"] = op.index;
  record["target"] = op.target;
  record["memory"] = memory;
  record["offset"] = offset;
  record["bytes"] = op.bytes;
  record["blocking"] = op.blocking;
  return record;
}

}  // namespace

std::string describe(Time time) {
  return absl::StrFormat("%d.%06d us", time / kMicrosecond,
                         time % kMicrosecond);
}

std::string Log::describe(const Op& op) const {
  if (op.offset == kWakesOffset)
    return absl::StrFormat("wake of rank %d", op.target);
  const auto [memory, offset] = place_of(op, region_bytes_);
  return absl::StrFormat("%s of %d bytes at %s+%#x of rank %d",
                         kOpKindNames[static_cast<size_t>(op.kind)], op.bytes,
                         memory, offset, op.target);
}

void Log::print_part(Time time, const Op& op) {
  const std::string what =
      is_atomic(op.kind)
          ? absl::StrCat(op.again ? " writes after " : " has found ", op.before)
          : absl::StrCat(": bytes ", op.rest.begin, " to ", op.rest.end,
                         op.again ? ", not for the last time" : "");
  detail(time, op.initiator, describe(op) + what);
}

void Log::detail(Time time, int rank, const std::string& what) {
  if (out_ == nullptr) return;
  Record record = begin("other", time, rank);
  record["what"] = what;
  put_line(out_, record);
}

void Log::accessed(const char* how, Time time, int rank, uint64_t before,
                   uint64_t after, std::optional<uint64_t> offset,
                   const void* caller) {
  Record record = begin(how, time, rank);
  record["memory"] = offset ? "heap" : "stack";
  record["offset"] = offset.value_or(0);
  record["before"] = {before};
  record["after"] = {after};
  record["caller"] = in_hex(caller);
  put_line(out_, record);
}

void Log::issued(Time time, const Op& op, const void* caller) {
  Record record = begin("issue", time, op, region_bytes_);
  record["caller"] = in_hex(caller);
  put_line(out_, record);
}

void Log::will_take_effect(const Op& op, const std::byte* at) {
  if (op.kind == OpKind::kPut) old_words_ = words_at(at, op.bytes);
}

void Log::completes(Time time, const Op& op) {
  Record record = begin("effect", time, op, region_bytes_);
  if (is_atomic(op.kind)) {
    record["operand"] = op.operand;
    record["before"] = {op.before};
    record["after"] = {op.after()};
  } else {
    const auto words = words_at(op.payload.data(), op.bytes);
    record["before"] = op.kind == OpKind::kPut ? old_words_ : words;
    record["after"] = words;
  }
  record["known"] = op.completion;
  put_line(out_, record);
}

void Log::flushed(Time begin_time, Time end, int rank, int target,
                  const void* caller) {
  Record record = begin("flush", begin_time, rank);
  record["target"] = target;
  record["end"] = end;
  record["caller"] = in_hex(caller);
  put_line(out_, record);
}

void Log::name(uint64_t offset, size_t bytes, size_t count, const char* name) {
  if (out_ == nullptr) return;
  put_line(out_, {{"record", "name"},
                  {"name", name},
                  {"offset", offset - region_bytes_},
                  {"bytes", bytes},
                  {"count", count}});
}

void Log::event(const char* name, int rank, Time begin_time, Time end) {
  Record record = begin("event", begin_time, rank);
  record["name"] = name;
  record["end"] = end;
  put_line(out_, record);
}

}  // namespace magpie::rma::sim
