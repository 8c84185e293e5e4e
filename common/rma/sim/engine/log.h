// The event stream of a run: its hash, which says whether two runs were the
// same, and the log, which says what happened: records, one JSON object a line
// (../LOG.md).
//
// Thread safety: one thread. Invariant: the hash depends on nothing that is an
// address, and printing changes nothing.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_LOG_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_LOG_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/rma/sim/engine/operation.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

class Log {
 public:
  // `out` may be null: then there is only the hash. Offsets below
  // region_bytes are the region's.
  Log(std::FILE* out, uint64_t region_bytes)
      : out_(out), region_bytes_(region_bytes) {}

  bool prints() const { return out_ != nullptr; }

  // An operation takes effect. The bytes that it carries are no part of the
  // hash: frames hold addresses of code, which differ between compilers.
  void effect(Time time, const Op& op) {
    mix_event(time, static_cast<uint64_t>(op.kind), op.initiator, op.target);
    mix(op.offset);
    mix(op.bytes);
    if (is_atomic(op.kind)) mix(op.before);
  }

  // An operation takes effect in part.
  void part(Time time, const Op& op) {
    // The kind is none of OpKind, nor that of seen().
    mix_event(time, 7, op.initiator, op.target);
    mix(op.offset + op.rest.begin);
    mix(op.rest.end - op.rest.begin);
    if (out_ != nullptr) print_part(time, op);
  }

  // Others see a rank's store. Its value is no part of the hash either.
  void seen(Time time, int rank, uint64_t value) {
    mix_event(time, 6, rank, rank);  // none of OpKind
    mix(sizeof(value));
    detail(time, rank, absl::StrCat("store of ", value, " is seen"));
  }

  // A rank goes on.
  void resumed(Time time, int rank) {
    ++events_;
    mix(time);
    mix(static_cast<uint64_t>(rank));
  }

  // Something else that a rank does; not hashed.
  void detail(Time time, int rank, const std::string& what);

  // ---------------------------------------------- REQUIRES for these: prints()

  // A rank has loaded or stored a word of its own, which had a value before and
  // after that. `offset` is of the heap; nothing: the word is on a stack.
  // `caller` is the address to which the call of the shim returns.
  void accessed(const char* how, Time time, int rank, uint64_t before,
                uint64_t after, std::optional<uint64_t> offset,
                const void* caller);
  // Its initiator issues an operation.
  void issued(Time time, const Op& op, const void* caller);
  // An operation takes effect next, on the bytes at `at`; and it has, at
  // `time`, and its initiator will know of it at op.completion.
  void will_take_effect(const Op& op, const std::byte* at);
  void completes(Time time, const Op& op);
  // A flush of a rank, or of all, has lasted from `begin` to `end`.
  void flushed(Time begin, Time end, int rank, int target, const void* caller);

  // Names bytes of all heaps (common/rma/rma.h).
  void name(uint64_t offset, size_t bytes, size_t count, const char* name);
  // An event has ended on a rank (common/rma/events.h).
  void event(const char* name, int rank, Time begin, Time end);

  // "get of 8 bytes at heap+0x40 of rank 3"
  std::string describe(const Op& op) const;

  uint64_t hash() const { return hash_; }
  uint64_t events() const { return events_; }

 private:
  // FNV-1a's step on words, with a shift that brings the high bits down.
  void mix(uint64_t value) {
    hash_ = (hash_ ^ value) * 0x100000001b3;
    hash_ ^= hash_ >> 29;
  }
  void mix_event(Time time, uint64_t kind, int initiator, int target) {
    ++events_;
    mix(time);
    mix(kind << 56 | static_cast<uint64_t>(initiator) << 28 |
        static_cast<uint64_t>(target));
  }
  void print_part(Time time, const Op& op);

  std::FILE* out_;
  uint64_t region_bytes_;
  // The words that a put will overwrite.
  std::vector<uint64_t> old_words_;
  uint64_t hash_ = 0xcbf29ce484222325;
  uint64_t events_ = 0;
};

// "12.345 us"
std::string describe(Time time);

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_LOG_H_
