#include "impl/child_steal/stack_pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "absl/strings/str_cat.h"

namespace magpie::child_steal {
namespace {

size_t whole_pages(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

StackPool::StackPool(size_t stack_bytes, size_t most, const char* overflow)
    : stack_bytes_(whole_pages(stack_bytes)),
      overflow_(overflow),
      guarded_(kGuarded / static_cast<size_t>(rma::self().ranks_in_process)) {
  const size_t range = 2 * stack_bytes_;
  const auto ranks = static_cast<size_t>(rma::self().ranks_in_process);
  ranges_ = std::min(kReserve, kAddresses / ranks) / range;
  ranges_ = std::clamp<size_t>(ranges_, 1, most);
  // Reserves fewer where addresses are short, as under a limit of the shell's.
  for (;; ranges_ /= 2) {
    void* const memory =
        mmap(nullptr, ranges_ * range, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) {
      begin_ = static_cast<std::byte*>(memory);
      break;
    }
    if (ranges_ == 1) exhausted(std::strerror(errno));
  }
  const auto words = [](void* pool) {
    return static_cast<StackPool*>(pool)->overflow_;
  };
  rma::self().task_stacks = {begin_, ranges_ * range, words, this};
}

StackPool::~StackPool() {
  rma::self().task_stacks = {};
  munmap(begin_, ranges_ * 2 * stack_bytes_);
}

void StackPool::make() {
  if (made_ == ranges_) exhausted("there are no more addresses");
  const bool guarded = made_ < guarded_;
  std::byte* const range = begin_ + made_ * 2 * stack_bytes_;
  std::byte* const low = range + stack_bytes_;
  std::byte* const accessible = guarded ? low : range;
  std::byte* const end = low + stack_bytes_;
  if (mprotect(accessible, static_cast<size_t>(end - accessible),
               PROT_READ | PROT_WRITE) != 0)
    exhausted(std::strerror(errno));
  ++made_;
  uint64_t* canary = nullptr;
  if (!guarded) {
    canary = reinterpret_cast<uint64_t*>(low) - 1;
    *canary = kCanary;
  }
  free_ = new (end - sizeof(Stack)) Stack{nullptr, canary};
}

void StackPool::exhausted(const char* why) const {
  rma::fatal(absl::StrCat("no more stacks for tasks: ", why, "; ", made_,
                          " of ", stack_bytes_,
                          " bytes are in use; lower --stack_bytes, or let "
                          "tasks nest less deeply"));
}

}  // namespace magpie::child_steal
