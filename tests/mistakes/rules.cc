// Rules of Magpie's parts that a caller can break: an error where checks are
// active (common/rma/check.h). Elsewhere most are not checked, and a program
// that stays well-defined goes on.

#include <cstddef>
#include <cstdint>
#include <vector>

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

// -------------------------------------------------------------------- the shim

void uses_an_object_of_another_rank() {
  rma::allocate<rma::Word>().at(rma::rank() + 1).local();
}

void names_an_address_outside_the_region() {
  rma::region_ptr(0, rma::self().region - 1);
}

// -------------------------------------------------------------------- stealing

template <typename Queue>
void pushes_beyond_the_capacity() {
  Queue queue({.capacity = 3});
  for (uint64_t i = 0; i < 4; ++i) queue.push(i);
}

void lets_go_of_a_lock_that_it_has_not() {
  unlock(rma::allocate<rma::Word>().at(0));
}

void waits_for_a_lock_that_is_not_let_go() {
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

// ---------------------------------------------------------------- remote heaps

using Collection = greedy_join::LocalCollection;

constexpr HeapOptions kHeap = {
    .bytes = 4096, .what = "memory", .flag = "--flag"};

void frees_twice() {
  Collection heap(kHeap);
  const auto object = rma::heap_ptr(heap.allocate(40, 16, 0));
  heap.free(object);
  heap.free(object);
}

// Frees an object that another rank has freed, too.
void frees_what_was_freed_from_afar() {
  Collection heap(kHeap);
  const auto object = rma::heap_ptr(heap.allocate(40, 16, 0));
  heap.free(object.at(1 - rma::rank()));
  rma::flush_all();
  rma::barrier();
  heap.free(object);
}

template <size_t kAlign, size_t kPrefix>
void allocates() {
  Collection(kHeap).allocate(40, kAlign, kPrefix);
}

// --------------------------------------------------------------------- threads

using Threads =
    uniaddr::Threads<LockedDeque<uniaddr::Item>, AskingHeap, RandomVictim>;

uniaddr::Frames frames_at(uint64_t offset) {
  return {rma::self().region + offset, 80};
}

void offers_a_thread_that_is_not_the_lowest() {
  uniaddr::Lineage lineage;
  lineage.descend(frames_at(800));
  lineage.frames_of(
      reinterpret_cast<context::Context*>(frames_at(1600).frame_base));
}
void goes_on_with_a_thread_below_the_running_one() {
  uniaddr::Lineage lineage;
  lineage.descend(frames_at(800));
  lineage.continue_at(frames_at(400));
}
void brings_a_thread_into_a_region_that_is_not_empty() {
  uniaddr::Lineage lineage;
  lineage.descend(frames_at(800));
  lineage.enter(frames_at(400));
}
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
// Two threads that never become ready, at which the rank looks again and again.
struct NeverReady {
  size_t waiting() const { return 2; }
  bool next(Threads::SavedThread*) { return false; }
};
void waits_for_what_never_comes() {
  Threads layer(Threads::Options{}, 0);
  NeverReady never;
  layer.run(
      [](void* self) { static_cast<Threads*>(self)->exit_to_scheduler(); },
      &layer, never);
}
void leaves_for_nobody() { Threads(Threads::Options{}, 0).exit_to({}); }

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
std::vector<Mistake> rules() {
  const End checked = checks_are_active() ? kTold : kWell;
  return {
      {"object_of_another_rank", on_ranks<uses_an_object_of_another_rank>,
       checked, "an object of another rank is used as an own one"},
      {"address_outside_the_region",
       on_ranks<names_an_address_outside_the_region>, checked,
       "an address that is not in the region"},
      {"full_locked_deque",
       on_ranks<pushes_beyond_the_capacity<LockedDeque<uint64_t>>>, kTold,
       "a push onto a full queue", kTwoRanks, checks_are_active},
      {"full_the_queue",
       on_ranks<pushes_beyond_the_capacity<uniaddr::TheQueue<uint64_t>>>, kTold,
       "a push onto a full queue", kTwoRanks, checks_are_active},
      {"lock_not_held", on_ranks<lets_go_of_a_lock_that_it_has_not>, checked,
       "a lock was let go that nobody had"},
      {"lock_not_let_go", on_ranks<waits_for_a_lock_that_is_not_let_go>, kTold,
       "a lock is not let go: 4294967296 tries to take it"},
      {"victim_is_no_rank", on_ranks<searches<Nobody>>, kTold,
       "the choice of victims names 2, of 2 ranks"},
      {"victim_is_oneself", on_ranks<searches<Oneself>>, kTold,
       "itself are victims"},
      {"victims_of_one_rank", on_ranks<searches<NextVictim>>, kTold,
       "a search for work without other ranks", kOneRank, checks_are_active},
      {"collection_freed_twice", on_ranks<frees_twice>, kTold,
       "an object is freed twice", kTwoRanks, checks_are_active},
      {"collection_freed_from_afar_too",
       on_ranks<frees_what_was_freed_from_afar>, kTold,
       "an object is freed twice"},
      {"collection_alignment", on_ranks<allocates<24, 0>>, checked,
       "an alignment that is no power of two"},
      {"collection_prefix", on_ranks<allocates<16, 8>>, checked,
       "a prefix that is no multiple of 16"},
      {"thread_not_the_lowest",
       on_ranks<offers_a_thread_that_is_not_the_lowest>, kTold,
       "the running thread is not the lowest \\(lineage.h, 1\\)", kTwoRanks,
       checks_are_active},
      {"frames_overlap", on_ranks<goes_on_with_a_thread_below_the_running_one>,
       kTold, "frames overlap \\(lineage.h, 2\\)", kTwoRanks,
       checks_are_active},
      {"region_not_empty",
       on_ranks<brings_a_thread_into_a_region_that_is_not_empty>, kTold,
       "the region is not empty \\(lineage.h, 3\\)", kTwoRanks,
       checks_are_active},
      {"only_thread_waits", on_ranks<suspends_the_only_thread<Threads>>, kTold,
       "deadlock: every task waits for another one", kOneRank},
      {"only_thread_waits_in_place",
       on_ranks<suspends_the_only_thread<InPlaceThreads>>, kTold,
       "deadlock: every task waits for another one", kOneRank},
      {"nobody_is_ready", on_ranks<waits_for_what_never_comes>, kTold,
       "deadlock: every task waits for another one", kOneRank},
      {"left_for_nobody", on_ranks<leaves_for_nobody>, kTold,
       "a thread is left for nobody", kTwoRanks, checks_are_active},
  };
}

}  // namespace
}  // namespace magpie::mistakes

int main(int argc, char** argv) {
  using namespace magpie::mistakes;
  return make_or_list({argc, argv}, {rules()},
                      [](const Mistake&, const std::string&) { return true; });
}
