// Part of the suite of thread layers: several threads become ready at once.

#ifndef MAGPIE_COMMON_FORK_JOIN_THREAD_SUITE_GATES_H_
#define MAGPIE_COMMON_FORK_JOIN_THREAD_SUITE_GATES_H_

#include <array>
#include <cstdint>

#include "common/fork_join/thread_suite_rank.h"
#include "common/rma/rma.h"

namespace magpie::thread_suite {

// A gate that a thread opens at its end: those that have come before wait for
// it, and are all ready then. Lies on rank 0.
template <typename Threads>
struct Gate {
  static constexpr uint64_t kWaiters = 12;
  static constexpr uint64_t kOpen = uint64_t{1} << 32;

  // A bit for each that has come, and kOpen.
  rma::Word state;
  std::array<typename Threads::SavedThread, kWaiters> waiting;
};
template <typename Threads>
rma::RemotePtr<typename Threads::SavedThread> place_at(
    rma::RemotePtr<Gate<Threads>> gate, uint64_t i) {
  const auto waiting = gate.field(&Gate<Threads>::waiting);
  return {0, waiting.offset + i * sizeof(typename Threads::SavedThread)};
}

template <typename Threads>
class GateKeeper {
  using Rank = thread_suite::Rank<Threads>;
  using Gate = thread_suite::Gate<Threads>;
  using SavedThread = typename Threads::SavedThread;

 public:
  explicit GateKeeper(uint64_t offset) : gate_{0, offset} {}
  static Threads& threads() { return Rank::self().threads; }
  // Waits a while: most waiters come meanwhile, where the parent is stolen.
  void run() {
    for (int i = 0; i < 100 && come() != Gate::kOpen - 1; ++i) rma::idle();
    Rank::count(&Counts::leaves);
  }
  void return_to_parent() {
    if (open() != 0) Rank::count(&Counts::damaged);
  }
  [[noreturn]] void leave() {
    SavedThread next;
    uint64_t waiting = open();
    for (uint64_t i = 0; waiting != 0; ++i, waiting >>= 1) {
      if ((waiting & 1) == 0) continue;
      const SavedThread saved = rma::get(place_at(gate_, i));
      if (!next.frames)
        next = saved;
      else
        threads().make_ready(saved);
    }
    if (!next.frames) threads().exit_to_scheduler();
    threads().exit_to(next);
  }

 private:
  uint64_t come() const { return rma::get_word(gate_.field(&Gate::state)); }
  uint64_t open() {
    return rma::fetch_add(gate_.field(&Gate::state), Gate::kOpen);
  }
  const rma::RemotePtr<Gate> gate_;
};

// Goes through the gate, and then has children that may be stolen from it.
template <typename Threads>
class GateWaiter {
  using Rank = thread_suite::Rank<Threads>;
  using Gate = thread_suite::Gate<Threads>;

 public:
  GateWaiter(uint64_t offset, uint64_t i) : gate_{0, offset}, i_(i) {}
  static Threads& threads() { return Rank::self().threads; }
  void run() {
    const Mark mark(i_);
    const auto state = gate_.field(&Gate::state);
    const auto place = place_at(gate_, i_);
    const uint64_t mine = uint64_t{1} << i_;
    if ((rma::get_word(state) & Gate::kOpen) == 0) {
      threads().suspend([=](const typename Threads::SavedThread& saved) {
        rma::put(place, saved);
        rma::flush(0);
        return (rma::fetch_add(state, mine) & Gate::kOpen) != 0;
      });
      Rank::count(&Counts::suspended);
    }
    tree<Threads>(2);
    if ((rma::get_word(state) & Gate::kOpen) == 0 || !mark.intact(i_))
      Rank::count(&Counts::damaged);
  }
  void return_to_parent() {}
  [[noreturn]] void leave() { threads().exit_to_scheduler(); }

 private:
  const rma::RemotePtr<Gate> gate_;
  const uint64_t i_;
};

constexpr uint64_t kGates = 6;
constexpr uint64_t kWaiterLeaves = 4;

// Does not wait for them: the run may be over, but for who is ready.
template <typename Threads>
void threads_wait_at_gates() {
  uint64_t offset = thread_suite::Rank<Threads>::self().meeting_place.offset;
  for (uint64_t gate = 0; gate < kGates; ++gate) {
    create_child<Threads, GateKeeper<Threads>>(offset);
    for (uint64_t i = 0; i < Gate<Threads>::kWaiters; ++i)
      create_child<Threads, GateWaiter<Threads>>(offset, i);
    offset += sizeof(Gate<Threads>);
  }
}

}  // namespace magpie::thread_suite

#endif  // MAGPIE_COMMON_FORK_JOIN_THREAD_SUITE_GATES_H_
