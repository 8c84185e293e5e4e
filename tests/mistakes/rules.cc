// Rules of Magpie's parts that a caller can break: an error where checks are
// active (common/rma/check.h). Elsewhere most are not checked, and a program
// that stays well-defined goes on.

#include <cstddef>
#include <cstdint>

#include "common/flags/flags.h"
#include "common/fork_join/in_place_threads.h"
#include "common/fork_join/thread_layer.h"
#include "common/remote_heap/asking_heap.h"
#include "common/rma/check.h"
#include "common/rma/rma.h"
#include "common/stealing/locked_deque.h"
#include "common/stealing/other_victims.h"
#include "common/stealing/remote_lock.h"
#include "common/stealing/search.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/uniaddr/lineage.h"
#include "impl/uniaddr/the_queue.h"
#include "impl/uniaddr/threads.h"
#include "tests/mistakes/mistake.h"

namespace magpie::mistakes {
namespace {

using Collection = greedy_join::LocalCollection;
using Threads =
    uniaddr::Threads<LockedDeque<uniaddr::Item>, AskingHeap, RandomVictim>;

// Breaks a rule on all ranks.
template <auto kDeed>
int on_ranks(CommandLine line) {
  flags::App app;
  rma::add_options(app);
  flags::parse_or_exit(app, line.argc, line.argv);
  const auto rank_main = [](void*) {
    rma::barrier();
    kDeed();
    rma::flush_all();
    rma::barrier();
    return 0;
  };
  return rma::launch(Threads::layout({}), rank_main, nullptr);
}

// Rules whose breach is undefined where checks are not active are broken where
// they are.
const End kChecked = checks_are_active() ? kTold : kWell;

// -------------------------------------------------------------------- the shim

MISTAKE(on_ranks, object_of_another_rank, kChecked,
        "an object of another rank is used as an own one") {
  rma::allocate<rma::Word>().at(rma::rank() + 1).local();
}
MISTAKE(on_ranks, address_outside_the_region, kChecked,
        "an address that is not in the region") {
  rma::region_ptr(0, rma::self().region - 1);
}

// -------------------------------------------------------------------- stealing

template <typename Queue>
void pushes_beyond_the_capacity() {
  Queue queue({.capacity = 3});
  for (uint64_t i = 0; i < 4; ++i) queue.push(i);
}
LISTED(on_ranks<pushes_beyond_the_capacity<LockedDeque<uint64_t>>>,
       full_locked_deque, kTold, "a push onto a full queue", kTwoRanks,
       checks_are_active);
LISTED(on_ranks<pushes_beyond_the_capacity<uniaddr::TheQueue<uint64_t>>>,
       full_the_queue, kTold, "a push onto a full queue", kTwoRanks,
       checks_are_active);

MISTAKE(on_ranks, lock_not_held, kChecked,
        "a lock was let go that nobody had") {
  unlock(rma::allocate<rma::Word>().at(0));
}
MISTAKE(on_ranks, lock_not_let_go, kTold,
        "a lock is not let go: 4294967296 tries to take it") {
  const auto word = rma::allocate<rma::Word>().at(rma::rank());
  rma::fetch_add(word, UINT32_MAX);
  try_lock(word);
}

struct Oneself {
  Oneself(const Group&, int rank, uint64_t) : victim(rank) {}
  int next() { return victim; }
  int victim;
};
struct Nobody {
  Nobody(const Group& group, int, uint64_t) : victim(group.size) {}
  int next() { return victim; }
  int victim;
};
template <VictimSelection Victims>
void searches() {
  Search<Victims>({}).until([] { return false; },
                            [](int) { return Outcome::kTaken; });
}
LISTED(on_ranks<searches<Nobody>>, victim_is_no_rank, kTold,
       "the choice of victims names 2, of 2 ranks");
LISTED(on_ranks<searches<Oneself>>, victim_is_oneself, kTold,
       "itself are victims");
LISTED(on_ranks<searches<NextVictim>>, victims_of_one_rank, kTold,
       "a search for work without other ranks", kOneRank, checks_are_active);

// ---------------------------------------------------------------- remote heaps

constexpr HeapOptions kHeap = {
    .bytes = 4096, .what = "memory", .flag = "--flag"};

MISTAKE(on_ranks, collection_freed_twice, kTold, "an object is freed twice",
        kTwoRanks, checks_are_active) {
  Collection heap(kHeap);
  const auto object = rma::heap_ptr(heap.allocate(40));
  heap.free(object);
  heap.free(object);
}
// Another rank frees it, too.
MISTAKE(on_ranks, collection_freed_from_afar_too, kTold,
        "an object is freed twice") {
  Collection heap(kHeap);
  const auto object = rma::heap_ptr(heap.allocate(40));
  heap.free(object.at(1 - rma::rank()));
  rma::flush_all();
  rma::barrier();
  heap.free(object);
}

// --------------------------------------------------------------------- threads

uniaddr::Frames frames_at(uint64_t offset) {
  return {rma::self().region + offset, 80};
}

MISTAKE(on_ranks, thread_not_the_lowest, kTold,
        "the running thread is not the lowest \\(lineage.h, 1\\)", kTwoRanks,
        checks_are_active) {
  uniaddr::Lineage lineage;
  lineage.descend(frames_at(800));
  lineage.frames_of(
      reinterpret_cast<context::Context*>(frames_at(1600).frame_base));
}
MISTAKE(on_ranks, frames_overlap, kTold, "frames overlap \\(lineage.h, 2\\)",
        kTwoRanks, checks_are_active) {
  uniaddr::Lineage lineage;
  lineage.descend(frames_at(800));
  lineage.continue_at(frames_at(400));
}
MISTAKE(on_ranks, region_not_empty, kTold,
        "the region is not empty \\(lineage.h, 3\\)", kTwoRanks,
        checks_are_active) {
  uniaddr::Lineage lineage;
  lineage.descend(frames_at(800));
  lineage.enter(frames_at(400));
}

const std::string kDeadlock = "deadlock: every task waits for another one";
// Suspends the only thread: none is left that could resume it.
template <ThreadLayer Layer>
void suspends_the_only_thread() {
  Layer layer(typename Layer::Options{}, 0);
  NoReadyThreads none;
  layer.run(
      [](void* self) {
        static_cast<Layer*>(self)->suspend([](const auto&) { return false; });
      },
      &layer, none);
}
LISTED(on_ranks<suspends_the_only_thread<Threads>>, only_thread_waits, kTold,
       kDeadlock, kOneRank);
LISTED(on_ranks<suspends_the_only_thread<InPlaceThreads>>,
       only_thread_waits_in_place, kTold, kDeadlock, kOneRank);
// Two threads that never become ready, at which the rank looks again and again.
struct NeverReady {
  size_t waiting() const { return 2; }
  bool next(Threads::SavedThread*) { return false; }
};
MISTAKE(on_ranks, nobody_is_ready, kTold, kDeadlock, kOneRank) {
  Threads layer(Threads::Options{}, 0);
  NeverReady never;
  layer.run(
      [](void* self) { static_cast<Threads*>(self)->exit_to_scheduler(); },
      &layer, never);
}
MISTAKE(on_ranks, left_for_nobody, kTold, "a thread is left for nobody",
        kTwoRanks, checks_are_active) {
  Threads(Threads::Options{}, 0).exit_to({});
}

}  // namespace
}  // namespace magpie::mistakes

int main(int argc, char** argv) {
  return magpie::mistakes::make_or_list({argc, argv});
}
