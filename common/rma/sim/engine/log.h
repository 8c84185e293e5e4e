// The event stream of a run: its hash, which says whether two runs were the
// same, and the log, which says what happened.
//
// The log is lines for people, or records: one JSON object a line, with all
// that is known (../LOG.md).
//
// Thread safety: one thread. Invariant: the hash depends on nothing that is an
// address, and printing changes nothing.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_LOG_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_LOG_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/rma/sim/engine/log_filter.h"
#include "common/rma/sim/engine/operation.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

class Log {
 public:
  // `out` may be null: then there is only the hash. Offsets below
  // region_bytes are the region's.
  Log(std::FILE* out, uint64_t region_bytes, LogFilter filter = {},
      LogFormat format = LogFormat::kText)
      : out_(out),
        region_bytes_(region_bytes),
        filter_(std::move(filter)),
        records_(format == LogFormat::kJson) {}

  bool prints() const { return out_ != nullptr; }

  // An operation takes effect. The bytes that it carries are no part of the
  // hash: frames hold addresses of code, which differ between compilers.
  void effect(Time time, const Op& op) {
    ++events_;
    mix(time);
    mix(static_cast<uint64_t>(op.kind) << 56 |
        static_cast<uint64_t>(op.initiator) << 28 |
        static_cast<uint64_t>(op.target));
    mix(op.offset);
    mix(op.bytes);
    if (is_atomic(op.kind)) mix(op.before);
    if (out_ != nullptr) print(time, op);
  }

  // An operation takes effect in part.
  void part(Time time, const Op& op) {
    constexpr uint64_t kKind = 7;  // none of OpKind, nor that of seen()
    ++events_;
    mix(time);
    mix(kKind << 56 | static_cast<uint64_t>(op.initiator) << 28 |
        static_cast<uint64_t>(op.target));
    mix(op.offset + op.rest.begin);
    mix(op.rest.end - op.rest.begin);
    if (out_ != nullptr) print_part(time, op);
  }

  // Others see a rank's store. Its value is no part of the hash either.
  void seen(Time time, int rank, uint64_t value) {
    constexpr uint64_t kKind = 6;  // none of OpKind
    ++events_;
    mix(time);
    mix(kKind << 56 | static_cast<uint64_t>(rank) << 28 |
        static_cast<uint64_t>(rank));
    mix(sizeof(value));
    if (out_ != nullptr)
      print({rank, LineKind::kStore}, time,
            absl::StrCat("store of ", value, " is seen"));
  }

  // A rank goes on.
  void resumed(Time time, int rank) {
    ++events_;
    mix(time);
    mix(static_cast<uint64_t>(rank));
  }

  // Something that a rank does on its own; not hashed. Lines of of_operation()
  // are about an operation.
  void detail(Time time, int rank, const std::string& what) {
    if (out_ != nullptr) print({rank}, time, what);
  }
  void of_operation(Time time, int rank, const std::string& what,
                    const Op& op) {
    if (out_ == nullptr) return;
    print({rank, kind_of(op.kind), op.target, op.offset, op.bytes}, time, what);
  }

  // ---------------------------------------------- REQUIRES for these: prints()

  // A rank's access to a word of its own; the value before and after it.
  struct Access {
    LineKind kind;
    uint64_t before, after;
  };
  // `offset` is of the heap; nothing: the word is on a stack. `caller` is the
  // address to which the call of the shim returns.
  void accessed(Time time, int rank, const Access& access,
                std::optional<uint64_t> offset, const void* caller);
  // Its initiator issues an operation.
  void issued(Time time, const Op& op, const void* caller);
  // Of records: an operation takes effect next, on the bytes at `at`; and it
  // has, at `time`, and its initiator will know of it at op.completion.
  void will_take_effect(const Op& op, const std::byte* at);
  void completes(Time time, const Op& op);
  // Of records: a flush of a rank, or of all, has lasted from `begin` to `end`.
  void flushed(Time begin, Time end, int rank, int target, const void* caller);

  // Of records: names bytes of all heaps (common/rma/names.h).
  void name(uint64_t offset, size_t bytes, size_t count, const char* name);
  // An event has ended on a rank (common/rma/events.h).
  void event(const char* name, int rank, Time begin, Time end);
  // Number of events so far with the name that the filter asks for.
  uint64_t events_of_filter() const { return came_; }

  uint64_t hash() const { return hash_; }
  uint64_t events() const { return events_; }

 private:
  // FNV-1a's step on words, with a shift that brings the high bits down.
  void mix(uint64_t value) {
    hash_ = (hash_ ^ value) * 0x100000001b3;
    hash_ ^= hash_ >> 29;
  }
  // Most lines that are kept while an event is waited for.
  static constexpr size_t kMostKept = 1 << 18;
  struct Kept {
    Time time;
    std::string text;
  };

  Line line_of(const Op& op) const;
  void print(Time time, const Op& op);
  void print_part(Time time, const Op& op);
  // Prints the line if the filter wants it.
  void print(const Line& line, Time time, const std::string& what);
  void put_line(const Line& line, Time time, std::string text);
  void keep(Kept line);
  void print_event(const char* name, int rank, Time begin, Time end);
  std::string issue_record(Time time, const Op& op, const void* caller) const;
  std::string access_record(Time time, int rank, const Access& access,
                            std::optional<uint64_t> offset,
                            const void* caller) const;
  static std::string detail_record(Time time, int rank,
                                   const std::string& what);
  static std::string event_record(const char* name, int rank, Time begin,
                                  Time end);

  std::FILE* out_;
  uint64_t region_bytes_;
  LogFilter filter_;
  const bool records_;
  // Of records: the words that a put will overwrite.
  std::vector<uint64_t> old_words_;
  // The last lines that the filter wants, until the event has come.
  std::deque<Kept> kept_;
  bool has_dropped_ = false;
  // Number of events with the name, and the times when the one that is asked
  // for began and ended.
  uint64_t came_ = 0;
  Time begin_ = 0, end_ = 0;
  uint64_t hash_ = 0xcbf29ce484222325;
  uint64_t events_ = 0;
};

// "get of 8 bytes at heap+0x40 of rank 3"
std::string describe(const Op& op, uint64_t region_bytes);

// "12.345 us"
std::string describe(Time time);

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_LOG_H_
