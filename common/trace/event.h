// What a rank's time goes to: the events of a trace.

#ifndef MAGPIE_COMMON_TRACE_EVENT_H_
#define MAGPIE_COMMON_TRACE_EVENT_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace magpie::trace {

enum class Event : uint8_t {
  // The rank runs tasks, and what belongs to them: from the end of one search
  // for work to the beginning of the next.
  kBusy,
  // It searches for work.
  kIdle,

  // Within kIdle. An attempt to steal that took something; one that took
  // nothing; and what lies between two.
  kSteal,
  kFailedSteal,
  kSearch,

  // Phases of kSteal (hpdc15 and jip16, Table 3; icpp21 §3.1, §4.1). The thief
  // looks whether there is anything; takes the lock; claims without one; finds
  // out what there is and takes the item; copies what the item stands for:
  // frames, or a closure; copies the items themselves; tells the owner that it
  // has; lets the lock go.
  kEmptyCheck,
  kLock,
  kClaim,
  kTakeItem,
  kTaskCopy,
  kCopyItems,
  kNotice,
  kUnlock,

  // Within kBusy. The frames of a thread that waits are saved; those of one
  // that is ready are brought back; the rank goes on with a thread that was
  // stolen or brought in, up to the jump into it.
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

// Whether it is a part of an attempt to steal.
constexpr bool is_phase(Event event) {
  return Event::kEmptyCheck <= event && event <= Event::kUnlock;
}

// What is known of an event beside its time.
struct About {
  // What was moved.
  uint64_t bytes = 0;
  // The other rank: the victim, or whose memory was read. -1: there is none.
  int rank = -1;
};

}  // namespace magpie::trace

#endif  // MAGPIE_COMMON_TRACE_EVENT_H_
