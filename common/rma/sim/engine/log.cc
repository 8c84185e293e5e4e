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

void Log::print(Time time, const Op& op) const {
  std::string values;
  if (is_atomic(op.kind)) {
    values = absl::StrCat(": ", op.operand, ", found ", op.before);
  } else if (op.bytes == sizeof(uint64_t)) {
    values = absl::StrCat(": ", op.before);
  }
  detail(time, op.initiator, describe(op, region_bytes_) + values);
}

void Log::print_part(Time time, const Op& op) const {
  const std::string what =
      is_atomic(op.kind)
          ? absl::StrCat(op.again ? " writes after " : " has found ", op.before)
          : absl::StrCat(": bytes ", op.rest.begin, " to ", op.rest.end,
                         op.again ? ", not for the last time" : "");
  detail(time, op.initiator, describe(op, region_bytes_) + what);
}

void Log::detail(Time time, int rank, const std::string& what) const {
  if (out_ == nullptr) return;
  std::fprintf(out_, "%16s  rank %d: %s\n", describe(time).c_str(), rank,
               what.c_str());
}

}  // namespace magpie::rma::sim
