#include "common/rma/sim/engine/fibers.h"

#include <cxxabi.h>

#include <cstring>

namespace magpie::rma::sim {
namespace {

// The C++ runtime's per-thread list of exceptions being handled (Itanium C++
// ABI 2.2.2) is a pointer and a count.
void save_exceptions(Rank& rank) {
  std::memcpy(&rank.exceptions, abi::__cxa_get_globals(),
              sizeof(rank.exceptions));
}
void restore_exceptions(const Rank& rank) {
  std::memcpy(static_cast<void*>(abi::__cxa_get_globals()), &rank.exceptions,
              sizeof(rank.exceptions));
}

}  // namespace

void Fibers::prepare(Rank& rank) {
  memory_.swap_in(rank);
  restore_exceptions(rank);
}

void Fibers::resume(Rank& rank) {
  if (rank.context != nullptr) {
    context::switch_to(&main_, rank.context);
  } else {
    void (*const starts)(context::Context*, Fibers*, const Rank*) =
        &Fibers::start;
    context::save_and_call(starts, this, static_cast<const Rank*>(&rank));
  }
}

void Fibers::start(context::Context* main, Fibers* self, const Rank* rank) {
  self->main_ = main;
  context::start_on_stack(self->memory_.stack_end(rank->self.rank),
                          &Fibers::run_body, self);
}

void Fibers::run_body(void* self) {
  Fibers& fibers = *static_cast<Fibers*>(self);
  fibers.body_();
  context::resume(fibers.main_);
}

void Fibers::switch_from(Rank& me, const Rank* next) {
  save_exceptions(me);
  if (next != nullptr) restore_exceptions(*next);
  context::switch_to(&me.context, next != nullptr ? next->context : main_);
}

}  // namespace magpie::rma::sim
