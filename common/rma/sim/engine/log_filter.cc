#include "common/rma/sim/engine/log_filter.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace magpie::rma::sim {
namespace {

std::vector<std::string> kind_names() {
  std::vector<std::string> names(std::begin(kOpKindNames),
                                 std::end(kOpKindNames));
  names.insert(names.end(), {"load", "store", "other"});
  return names;
}

std::vector<std::string> parts_of(const std::string& text) {
  return absl::StrSplit(text, ',');
}

std::optional<uint64_t> number_of(absl::string_view text) {
  uint64_t number;
  const bool is_number = absl::ConsumePrefix(&text, "0x")
                             ? absl::SimpleHexAtoi(text, &number)
                             : absl::SimpleAtoi(text, &number);
  return is_number ? std::optional(number) : std::nullopt;
}

}  // namespace

// Parses "5" or "5..7".
std::optional<LogFilter::Range> LogFilter::range_of(const std::string& text) {
  const std::pair<std::string, std::string> ends =
      absl::StrSplit(text, absl::MaxSplits("..", 1));
  const auto first = number_of(ends.first);
  const auto last =
      absl::StrContains(text, "..") ? number_of(ends.second) : first;
  if (!first || !last || *first > *last) return std::nullopt;
  return Range{*first, *last};
}

std::string LogFilter::add_ranks(const std::string& text) {
  for (const std::string& part : parts_of(text)) {
    const auto range = range_of(part);
    if (!range)
      return absl::StrCat(part,
                          " is neither a rank nor A..B with A <= B; "
                          "allowed: several with commas, as in 2,5..7");
    ranks_.push_back(*range);
  }
  return {};
}

std::string LogFilter::add_kinds(const std::string& text) {
  const std::vector<std::string> names = kind_names();
  for (const std::string& part : parts_of(text)) {
    const auto found = std::find(names.begin(), names.end(), part);
    if (found == names.end())
      return absl::StrCat(part, " is not one of ", absl::StrJoin(names, ", "));
    kinds_ |= 1u << (found - names.begin());
  }
  return {};
}

std::string LogFilter::add_words(const std::string& text) {
  for (const std::string& part : parts_of(text)) {
    absl::string_view offsets = part;
    const bool in_region = absl::ConsumePrefix(&offsets, "region+");
    const bool in_heap = !in_region && absl::ConsumePrefix(&offsets, "heap+");
    auto range = range_of(std::string(offsets));
    if (!range || !(in_region || in_heap))
      return absl::StrCat(part,
                          " is not of the form heap+A, heap+A..B, "
                          "region+A or region+A..B, of bytes with "
                          "A <= B, as in heap+0x40..0x7f");
    if (!absl::StrContains(offsets, "..")) range->last += sizeof(uint64_t) - 1;
    range->in_region = in_region;
    words_.push_back(*range);
  }
  return {};
}

bool LogFilter::is_event(const std::string& text) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  const auto is_letter = [](char c) {
    return absl::ascii_islower(c) || c == '_';
  };
  return absl::StrContains(text, ':') && !parts.first.empty() &&
         std::all_of(parts.first.begin(), parts.first.end(), is_letter) &&
         !absl::StrContains(parts.second, '/');
}

std::string LogFilter::add_event(const std::string& text,
                                 const std::vector<std::string>& names) {
  const std::pair<std::string, std::string> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  if (std::find(names.begin(), names.end(), parts.first) == names.end())
    return absl::StrCat(text, ": ", parts.first,
                        " is no event of this program; "
                        "allowed: ",
                        names.empty() ? "none" : absl::StrJoin(names, ", "));
  const auto number = number_of(parts.second);
  if (!number || *number == 0)
    return absl::StrCat(text, ": ", parts.second,
                        " is not a number from 1 on, as in ", parts.first,
                        ":3, the third one");
  event_ = parts.first;
  number_ = *number;
  return {};
}

bool LogFilter::has_rank(int rank) const {
  const auto has = [&](const Range& range) {
    const auto r = static_cast<uint64_t>(rank);
    return range.first <= r && r <= range.last;
  };
  return ranks_.empty() || std::any_of(ranks_.begin(), ranks_.end(), has);
}

bool LogFilter::wants(const Line& line, uint64_t region_bytes) const {
  if (kinds_ != 0 && (kinds_ >> static_cast<unsigned>(line.kind) & 1) == 0)
    return false;
  if (!has_rank(line.rank) && (line.target < 0 || !has_rank(line.target)))
    return false;
  if (words_.empty()) return true;
  if (line.bytes == 0) return false;
  const bool in_region = line.offset < region_bytes;
  const uint64_t first = line.offset - (in_region ? 0 : region_bytes);
  return std::any_of(words_.begin(), words_.end(), [&](const Range& range) {
    return range.in_region == in_region && first <= range.last &&
           range.first < first + line.bytes;
  });
}

}  // namespace magpie::rma::sim
