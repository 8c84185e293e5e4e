#include "common/rma/sim/engine/log.h"

#include "absl/strings/str_format.h"

namespace magpie::rma::sim {

std::string describe(Time time) {
  return absl::StrFormat("%d.%06d us", time / kMicrosecond,
                         time % kMicrosecond);
}

std::string describe(const Op& op, uint64_t region_bytes) {
  if (op.offset == kWakesOffset)
    return absl::StrFormat("wake of rank %d", op.target);
  const bool region = op.offset < region_bytes;
  return absl::StrFormat("%s of %d bytes at %s+%#x of rank %d",
                         kOpKindNames[static_cast<size_t>(op.kind)], op.bytes,
                         region ? "region" : "heap",
                         region ? op.offset : op.offset - region_bytes,
                         op.target);
}

void Log::print(Time time, const Op& op) {
  std::string values;
  if (is_atomic(op.kind)) {
    values = absl::StrCat(": ", op.operand, ", found ", op.before);
  } else if (op.bytes == sizeof(uint64_t)) {
    values = absl::StrCat(": ", op.before);
  }
  of_operation(time, op.initiator, describe(op, region_bytes_) + values, op);
}

void Log::print_part(Time time, const Op& op) {
  const std::string what =
      is_atomic(op.kind)
          ? absl::StrCat(op.again ? " writes after " : " has found ", op.before)
          : absl::StrCat(": bytes ", op.rest.begin, " to ", op.rest.end,
                         op.again ? ", not for the last time" : "");
  of_operation(time, op.initiator, describe(op, region_bytes_) + what, op);
}

void Log::print(const Line& line, Time time, const std::string& what) {
  if (!filter_.wants(line, region_bytes_)) return;
  std::string text =
      absl::StrFormat("%16s  rank %d: %s\n", describe(time), line.rank, what);
  if (filter_.event().empty())
    std::fputs(text.c_str(), out_);
  else
    keep({time, std::move(text)});
}

// Ranks run ahead of each other, so lines of the event may come after its end.
void Log::keep(Kept line) {
  if (came_ >= filter_.number()) {
    if (begin_ <= line.time && line.time <= end_)
      std::fputs(line.text.c_str(), out_);
    return;
  }
  kept_.push_back(std::move(line));
  if (kept_.size() <= kMostKept) return;
  kept_.pop_front();
  has_dropped_ = true;
}

void Log::event(const char* name, int rank, Time begin, Time end) {
  if (out_ == nullptr || filter_.event() != name || !filter_.has_rank(rank))
    return;
  if (++came_ != filter_.number()) return;
  begin_ = begin;
  end_ = end;
  if (has_dropped_ && kept_.front().time > begin)
    absl::FPrintF(
        out_, "magpie: only the last %d lines of the log are printed here\n",
        kept_.size());
  for (const Kept& line : kept_) {
    if (begin <= line.time && line.time <= end)
      std::fputs(line.text.c_str(), out_);
  }
  kept_.clear();
  absl::FPrintF(out_, "%16s  rank %d: ends %s %d, which began at %s\n",
                describe(end), rank, name, came_, describe(begin));
}

}  // namespace magpie::rma::sim
