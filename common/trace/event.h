// The events of a trace: what a rank's time is spent on.

#ifndef MAGPIE_COMMON_TRACE_EVENT_H_
#define MAGPIE_COMMON_TRACE_EVENT_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace magpie::trace {

enum class Event : uint8_t {
  // The rank runs tasks and the runtime's code for them: from the end of one
  // search for work to the beginning of the next.
  kBusy,
  // The rank searches for work.
  kIdle,

  // Within kIdle: an attempt to steal that took something; an attempt that took
  // nothing; the time between two attempts.
  kSteal,
  kFailedSteal,
  kSearch,

  // Phases of kSteal (hpdc15 and jip16, Table 3; icpp21 §3.1, §4.1). The thief
  // looks whether there is anything; takes the lock; claims without a lock;
  // finds out what there is and takes the item; copies what the item stands
  // for: frames, or a closure; copies the items themselves; tells the owner
  // that they are copied; releases the lock.
  kEmptyCheck,
  kLock,
  kClaim,
  kTakeItem,
  kTaskCopy,
  kCopyItems,
  kNotice,
  kUnlock,

  // Within kBusy: the frames of a waiting thread are saved; the frames of a
  // ready thread are brought back; the rank resumes a thread that was stolen or
  // brought in, up to the jump into it.
  kSuspend,
  kBringIn,
  kResume,

  // Both sides of a join that had to suspend have arrived, and the joining
  // thread does not run yet (cluster22 §V-B). May overlap all others.
  kOutstandingJoin,
};

inline constexpr std::array kEventNames = {"busy",
                                           "idle",
                                           "steal",
                                           "failed steal",
                                           "search",
                                           "empty check",
                                           "lock",
                                           "claim",
                                           "take item",
                                           "task copy",
                                           "copy items",
                                           "notice",
                                           "unlock",
                                           "suspend",
                                           "bring in",
                                           "resume",
                                           "outstanding join"};

constexpr const char* name_of(Event event) {
  return kEventNames[static_cast<size_t>(event)];
}

// Whether the event is a phase of an attempt to steal.
constexpr bool is_phase(Event event) {
  return Event::kEmptyCheck <= event && event <= Event::kUnlock;
}

// Facts that are known of an event besides its time.
struct About {
  // Bytes that were moved.
  uint64_t bytes = 0;
  // The other rank: the victim, or whose memory was read. -1: there is none.
  int rank = -1;
};

}  // namespace magpie::trace

#endif  // MAGPIE_COMMON_TRACE_EVENT_H_
