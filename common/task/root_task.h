// How a task is called, and the root task on each rank. For runtimes.

#ifndef MAGPIE_COMMON_TASK_ROOT_TASK_H_
#define MAGPIE_COMMON_TASK_ROOT_TASK_H_

#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <span>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/run/root_result.h"
#include "common/task/address_scan.h"
#include "common/task/type_info.h"

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

// The root task of a run, as its caller has it.
struct RootTask {
  const RootInfo* info;
  const void* closure;

  // Ends the process with status 2 and one line where that is more than there
  // can be, as what was computed with a negative number is.
  size_t heap_bytes() const {
    const size_t bytes =
        info->heap_bytes == nullptr ? 0 : info->heap_bytes(closure);
    if (bytes >= rma::kTooManyBytes) [[unlikely]]
      flags::die(absl::StrCat("heap_bytes() of the root task says ", bytes,
                              ": no machine has so many"));
    return bytes;
  }
  ResultShape result() const {
    return {info->task.result_size, info->task.result_align};
  }
  // What travels to other ranks, and the root around it there: see RunnableRank
  // of common/run.
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

#endif  // MAGPIE_COMMON_TASK_ROOT_TASK_H_
