#include "common/run/held.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/run/globals.h"

namespace magpie {
namespace {

using Words = std::array<uint64_t, 2>;

// The exceptions that the calling thread handles, a list, and the number of
// those that pass (Itanium C++ ABI 2.2.2).
Words* exceptions() {
  return reinterpret_cast<Words*>(abi::__cxa_get_globals());
}

// Words that `held` points to while a static variable is being initialized.
constexpr Words kInitializes = {1, 0};

// Whether somebody initializes what the guard stands for: its first byte says
// that this is done, its second that it is under way (libstdc++, libc++abi).
bool is_under_way(const uint64_t* guard) {
  return reinterpret_cast<const volatile char*>(guard)[1] != 0;
}

bool is_called_by_a_task() {
  const rma::Self& self = rma::self();
  return self.refuses_collectives != nullptr &&
         self.is_on_a_task_stack(__builtin_frame_address(0));
}

void let_go(const uint64_t* guard) {
  rma::Self& self = rma::self();
  std::erase(self.guards, guard);
  if (self.guards.empty()) self.held = exceptions()->data();
}

}  // namespace

RunsTasks::RunsTasks() : before_(std::exchange(*exceptions(), Words{})) {
  rma::self().held = exceptions()->data();
  rma::self().refuses_collectives =
      "by a task: all ranks call it together, in prepare() of the root task";
}

RunsTasks::~RunsTasks() {
  rma::self().refuses_collectives = nullptr;
  rma::self().held = rma::internal::kHoldsNothing.data();
  *exceptions() = before_;
}

}  // namespace magpie

// The program's calls of the C++ ABI's functions for static variables of
// functions (3.3.3) come here: the linker is told so in BUILD.
extern "C" {
int __real___cxa_guard_acquire(uint64_t* guard);
void __real___cxa_guard_release(uint64_t* guard);
void __real___cxa_guard_abort(uint64_t* guard);

// Returns 1 where the caller is to initialize the variable.
int __wrap___cxa_guard_acquire(uint64_t* guard) {
  using namespace magpie;
  rma::Self& self = rma::self();
  if (std::ranges::find(self.guards, guard) != self.guards.end()) {
    rma::fatal(
        absl::StrCat("deadlock: what initializes a static variable of a "
                     "function waits for a task that needs it; to name it: ",
                     internal::command_naming({{guard, guard}})));
  }
  // Simulated ranks share the process's statics.
  while (self.ranks_in_process > 1 && is_under_way(guard)) rma::idle();
  const int is_callers = __real___cxa_guard_acquire(guard);
  if (is_callers == 1 && is_called_by_a_task()) {
    self.guards.push_back(guard);
    self.held = kInitializes.data();
  }
  return is_callers;
}

void __wrap___cxa_guard_release(uint64_t* guard) {
  __real___cxa_guard_release(guard);
  if (magpie::is_called_by_a_task()) magpie::let_go(guard);
}

void __wrap___cxa_guard_abort(uint64_t* guard) {
  __real___cxa_guard_abort(guard);
  if (magpie::is_called_by_a_task()) magpie::let_go(guard);
}
}
