// A task in the frame of the function that runs it: a copy of its closure, its
// result, and the call. For runtimes.

#ifndef MAGPIE_COMMON_FORK_JOIN_TASK_FRAMES_H_
#define MAGPIE_COMMON_FORK_JOIN_TASK_FRAMES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <span>

#include "absl/strings/str_cat.h"
#include "common/fork_join/address_scan.h"
#include "common/fork_join/runtime.h"
#include "common/rma/rma.h"
#include "common/run/root_result.h"

namespace magpie {

// Runs the closure. An exception that leaves it ends the job in words: it has
// nowhere to go, since the frames above may be those of another thread by now.
[[gnu::always_inline]] inline void invoke(const TypeInfo& type,
                                          const void* closure, void* result) {
  try {
    type.invoke(closure, result);
  } catch (const std::exception& e) {
    rma::fatal(absl::StrCat("an exception left a task: ", e.what()));
  } catch (...) {
    rma::fatal("an exception left a task; it is no std::exception");
  }
}

// Most closures and results are one word; a call of memcpy would cost more than
// the rest of a spawn or a join that nobody steals.
[[gnu::always_inline]] inline void copy_task_bytes(void* to, const void* from,
                                                   size_t bytes) {
  if (bytes == 8) [[likely]] {
    std::memcpy(to, from, 8);
  } else if (bytes != 0) {
    std::memcpy(to, from, bytes);
  }
}

// Places for a closure and a result in the caller's frame, which live as long
// as that does. Most are small: then the places are fixed, and there is little
// to compute on the way to the task.
class SmallFrame {
 public:
  static bool fits(const TypeInfo& type) {
    // Both sizes at once: kBytes is a power of two.
    return (type.closure_size | type.result_size) < kBytes &&
           (type.closure_align | type.result_align) < 32;
  }
  // Says so to the compiler, who then leaves questions of size out.
  [[gnu::always_inline]] static void assume_fits(const TypeInfo& type) {
    if (type.result_size >= kBytes || type.result_align > 16)
      __builtin_unreachable();
  }
  static constexpr size_t bytes(const TypeInfo&) { return 0; }

  SmallFrame(const TypeInfo&, void*) {}
  void* closure() { return closure_; }
  void* result() { return result_; }

 private:
  static constexpr uint32_t kBytes = 64;
  alignas(16) std::byte closure_[kBytes];
  alignas(16) std::byte result_[kBytes];
};

// Any size and alignment, in bytes(type) of memory that the caller has taken
// from the stack.
class AnyFrame {
 public:
  static void assume_fits(const TypeInfo&) {}
  static size_t bytes(const TypeInfo& type) {
    return size_t{type.closure_size} + type.closure_align + type.result_size +
           type.result_align;
  }

  AnyFrame(const TypeInfo& type, void* memory)
      : closure_(align(memory, type.closure_align)),
        result_(align(static_cast<std::byte*>(closure_) + type.closure_size,
                      type.result_align)) {}
  void* closure() { return closure_; }
  void* result() { return result_; }

 private:
  static void* align(void* memory, uint32_t to) {
    return reinterpret_cast<void*>(
        (reinterpret_cast<uintptr_t>(memory) + to - 1) & ~uintptr_t{to - 1});
  }
  void* closure_;
  void* result_;
};

// The root task of a run, as its caller has it.
struct RootTask {
  const RootInfo* info;
  const void* closure;

  size_t heap_bytes() const {
    return info->heap_bytes == nullptr ? 0 : info->heap_bytes(closure);
  }
  ResultShape result() const {
    return {info->task.result_size, info->task.result_align};
  }
  // Of a run (common/run): what travels to other ranks.
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(closure), info->task.closure_size};
  }
  RootTask with_bytes(const std::byte* there) const { return {info, there}; }
};

// The calling rank's copy of the root task's closure, made ready.
class PreparedRoot {
 public:
  // Collective. An exception that leaves prepare() ends the job in words.
  // Before that the closure is looked through as its caller, rank 0, has it:
  // others have the same bytes.
  PreparedRoot(const RootTask& root, AddressScan& scan)
      : align_{root.info->task.closure_align},
        closure_(::operator new(root.info->task.closure_size, align_)) {
    if (rma::rank() == 0) scan.look_at_root(root.info->task, root.closure);
    std::memcpy(closure_, root.closure, root.info->task.closure_size);
    if (root.info->prepare == nullptr) return;
    try {
      root.info->prepare(closure_);
    } catch (const std::exception& e) {
      rma::fatal(absl::StrCat("an exception left prepare(): ", e.what()));
    } catch (...) {
      rma::fatal("an exception left prepare(); it is no std::exception");
    }
    rma::flush_all();
  }
  ~PreparedRoot() { ::operator delete(closure_, align_); }
  PreparedRoot(const PreparedRoot&) = delete;
  PreparedRoot& operator=(const PreparedRoot&) = delete;

  const void* closure() const { return closure_; }

 private:
  const std::align_val_t align_;
  void* const closure_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_TASK_FRAMES_H_
