// What a runtime knows of a task and of a root task, whichever facade the
// program is written against.

#ifndef MAGPIE_COMMON_TASK_TYPE_INFO_H_
#define MAGPIE_COMMON_TASK_TYPE_INFO_H_

#include <cstddef>
#include <cstdint>

namespace magpie {

// What a runtime knows of a task: how to run it, and the shapes of its closure
// and its result.
struct alignas(32) TypeInfo {
  // Runs the closure and constructs its result at `result`. Both are suitably
  // aligned.
  void (*invoke)(const void* closure, void* result);
  uint32_t closure_size, closure_align;
  // The size is 0 where there is no result, and else a multiple of the
  // alignment.
  uint32_t result_size, result_align;
  // How many join or discard the result, each of them once. A runtime whose
  // tasks have one consumer ends the job in words where there are more.
  uint32_t consumers;
  // Whether padding is cleared: every byte of a closure, and in debug builds of
  // a result, is a value.
  bool has_clean_bytes;
};

// What a runtime knows of the root task besides: functions that are null where
// the root does not have them.
struct RootInfo {
  TypeInfo task;
  // How much of the symmetric heap prepare() takes.
  size_t (*heap_bytes)(const void* closure);
  // Makes the calling rank's copy ready.
  void (*prepare)(void* closure);
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_TYPE_INFO_H_
