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
  if (records_) return;  // completes() prints it
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
  if (records_)
    put_line(line, time, detail_record(time, line.rank, what));
  else
    put_line(line, time,
             absl::StrFormat("%16s  rank %d: %s\n", describe(time), line.rank,
                             what));
}

void Log::put_line(const Line& line, Time time, std::string text) {
  if (!filter_.wants(line, region_bytes_)) return;
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
  if (out_ == nullptr || !filter_.has_rank(rank)) return;
  if (records_ && filter_.event().empty())
    return print_event(name, rank, begin, end);
  if (filter_.event() != name) return;
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
  print_event(name, rank, begin, end);
}

void Log::print_event(const char* name, int rank, Time begin, Time end) {
  if (records_)
    std::fputs(event_record(name, rank, begin, end).c_str(), out_);
  else
    absl::FPrintF(out_, "%16s  rank %d: ends %s %d, which began at %s\n",
                  describe(end), rank, name, came_, describe(begin));
}

Line Log::line_of(const Op& op) const {
  return {op.initiator, kind_of(op.kind), op.target, op.offset, op.bytes};
}

void Log::accessed(Time time, int rank, const Access& access,
                   std::optional<uint64_t> offset, const void* caller) {
  Line line = {rank, access.kind};
  if (offset)
    line = {rank, access.kind, rank, region_bytes_ + *offset, sizeof(uint64_t)};
  if (records_)
    return put_line(line, time,
                    access_record(time, rank, access, offset, caller));
  print(line, time,
        absl::StrCat(access.kind == LineKind::kLoad ? "loads " : "stores ",
                     access.after,
                     access.kind == LineKind::kLoad ? " from its " : " to its ",
                     offset ? absl::StrCat("heap+0x", absl::Hex(*offset))
                            : std::string("stack")));
}

void Log::issued(Time time, const Op& op, const void* caller) {
  if (records_)
    put_line(line_of(op), time, issue_record(time, op, caller));
  else
    of_operation(
        time, op.initiator,
        (op.kept ? "keeps back " : "issues ") + describe(op, region_bytes_),
        op);
}

}  // namespace magpie::rma::sim
