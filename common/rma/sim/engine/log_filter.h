// The choice of the log's lines that are printed: by rank, by operation, by
// word, and those of one event.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_LOG_FILTER_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_LOG_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/rma/sim/engine/operation.h"

namespace magpie::rma::sim {

// What a line is about: the kinds of operations (OpKind), and what a rank does
// by itself.
enum class LineKind : uint8_t {
  kLoad = static_cast<uint8_t>(OpKind::kCompareSwap) + 1,
  kStore,
  // Fences, rests and the like.
  kOther,
};
inline constexpr size_t kLineKinds = static_cast<size_t>(LineKind::kOther) + 1;
constexpr LineKind kind_of(OpKind kind) { return static_cast<LineKind>(kind); }

// Lines for people, or records for programs.
enum class LogFormat : uint8_t { kText, kJson };

// A line, as a filter sees it.
struct Line {
  int rank;
  LineKind kind = LineKind::kOther;
  // The rank whose memory the line is about; negative: `rank`.
  int target = -1;
  // The offset in the segment and the size of that memory. 0 bytes: none.
  uint64_t offset = 0, bytes = 0;
};

// Conditions that all printed lines meet. Default-constructed: none.
class LogFilter {
 public:
  // Each adds to the filter what a flag says, and returns what is wrong with
  // the text, or nothing.
  //   "2,5..7"                   Lines of these ranks, and of others that touch
  //                              their memory.
  //   "fetch_add,load"           Operations and kinds.
  //   "heap+0x40,region+0..64"   Lines that touch one of these bytes; of one
  //                              offset, 8.
  //   "steal:3"                  Lines from the beginning to the end of the
  //                              third such event; of the ranks, where some are
  //                              given. `names` are all there are.
  std::string add_ranks(const std::string& text);
  std::string add_kinds(const std::string& text);
  std::string add_words(const std::string& text);
  std::string add_event(const std::string& text,
                        const std::vector<std::string>& names);

  // Whether the text has the form of an event.
  static bool is_event(const std::string& text);

  // Whether something was added that is no event.
  bool selects() const {
    return !ranks_.empty() || kinds_ != 0 || !words_.empty();
  }
  // The event's name, and its number among events of that name, from 1 on; the
  // name is empty where there is no event.
  const std::string& event() const { return event_; }
  uint64_t number() const { return number_; }

  bool has_rank(int rank) const;
  // Offsets below region_bytes are the region's.
  bool wants(const Line& line, uint64_t region_bytes) const;

 private:
  // Both ends, first and last, belong to the range.
  struct Range {
    uint64_t first, last;
    bool in_region = false;
  };
  static std::optional<Range> range_of(const std::string& text);

  std::vector<Range> ranks_;
  // One bit for each wanted kind; 0: all kinds.
  uint32_t kinds_ = 0;
  std::vector<Range> words_;
  std::string event_;
  uint64_t number_ = 0;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_LOG_FILTER_H_
