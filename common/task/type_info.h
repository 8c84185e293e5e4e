// What a runtime knows of a task and of a root task, whatever they are part of.

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
  // Size 0: no result. Else a multiple of the alignment.
  uint32_t result_size, result_align;
  // Each joins or discards the result once. A runtime that knows tasks with one
  // only ends the job in words where there are more.
  uint32_t consumers;
  // Whether padding is cleared: every byte of a closure, and in debug builds of
  // a result, is a value.
  bool has_clean_bytes;
};

// What a runtime knows of the root task beside. Null where it has no such.
struct RootInfo {
  TypeInfo task;
  // How much of the symmetric heap prepare() takes.
  size_t (*heap_bytes)(const void* closure);
  // Makes the calling rank's copy ready.
  void (*prepare)(void* closure);
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_TYPE_INFO_H_
