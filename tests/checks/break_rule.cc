// Breaks a rule that a caller can break, for broken_rules_test.sh.
//
// Usage: break_rule NAME FLAGS...
//
// Without arguments, lists the rules: the name of each, the flags with which it
// is broken, what then happens ("told" in words, "silent", or "undefined"), and
// the words.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "common/flags/flags.h"
#include "common/fork_join/in_place_threads.h"
#include "common/fork_join/thread_layer.h"
#include "common/remote_heap/asking_heap.h"
#include "common/rma/check.h"
#include "common/rma/rma.h"
#include "common/stealing/locked_deque.h"
#include "common/stealing/remote_lock.h"
#include "common/stealing/search.h"
#include "common/stealing/victim_selection.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/uniaddr/lineage.h"
#include "impl/uniaddr/the_queue.h"
#include "impl/uniaddr/threads.h"

namespace magpie {
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

template <RemoteHeap Heap>
void frees_twice() {
  Heap heap(kHeap);
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

template <RemoteHeap Heap, size_t kAlign, size_t kPrefix>
void allocates() {
  Heap(kHeap).allocate(40, kAlign, kPrefix);
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

// ------------------------------------------------------------------- the rules

// What happens where checks are not active.
enum Unchecked { kSilent, kUndefined, kTold };

struct Rule {
  const char* name;
  const char* flags;
  Unchecked unchecked;
  const char* words;
  void (*break_it)();
};

constexpr char kTwoRanks[] = "--ranks=2";
constexpr char kOneRank[] = "--ranks=1";

// The rules, each broken by all ranks.
constexpr Rule kRules[] = {
    {"object_of_another_rank", kTwoRanks, kSilent,
     "an object of another rank is used as an own one",
     uses_an_object_of_another_rank},
    {"address_outside_the_region", kTwoRanks, kSilent,
     "an address that is not in the region",
     names_an_address_outside_the_region},
    {"full_locked_deque", kTwoRanks, kUndefined, "a push onto a full queue",
     pushes_beyond_the_capacity<LockedDeque<uint64_t>>},
    {"full_the_queue", kTwoRanks, kUndefined, "a push onto a full queue",
     pushes_beyond_the_capacity<uniaddr::TheQueue<uint64_t>>},
    {"lock_not_held", kTwoRanks, kSilent, "a lock was let go that nobody had",
     lets_go_of_a_lock_that_it_has_not},
    {"lock_not_let_go", kTwoRanks, kTold,
     "a lock is not let go: 4294967296 tries to take it",
     waits_for_a_lock_that_is_not_let_go},
    {"victim_is_no_rank", kTwoRanks, kTold,
     "the choice of victims names 2, of 2 ranks", searches<Nobody>},
    {"victim_is_oneself", kTwoRanks, kTold, "itself are victims",
     searches<Oneself>},
    {"victims_of_one_rank", kOneRank, kUndefined,
     "a search for work without other ranks", searches<NextVictim>},
    {"asking_heap_freed_twice", kTwoRanks, kSilent,
     "an object was freed that was not allocated", frees_twice<AskingHeap>},
    {"asking_heap_alignment", kTwoRanks, kSilent,
     "an alignment that is no power of two", allocates<AskingHeap, 24, 0>},
    {"asking_heap_prefix", kTwoRanks, kSilent,
     "a prefix that is no multiple of 16", allocates<AskingHeap, 16, 8>},
    {"collection_freed_twice", kTwoRanks, kUndefined,
     "an object is freed twice", frees_twice<Collection>},
    {"collection_freed_from_afar_too", kTwoRanks, kTold,
     "an object is freed twice", frees_what_was_freed_from_afar},
    {"collection_alignment", kTwoRanks, kSilent,
     "an alignment that is no power of two", allocates<Collection, 24, 0>},
    {"collection_prefix", kTwoRanks, kSilent,
     "a prefix that is no multiple of 16", allocates<Collection, 16, 8>},
    {"thread_not_the_lowest", kTwoRanks, kUndefined,
     "the running thread is not the lowest (lineage.h, 1)",
     offers_a_thread_that_is_not_the_lowest},
    {"frames_overlap", kTwoRanks, kUndefined, "frames overlap (lineage.h, 2)",
     goes_on_with_a_thread_below_the_running_one},
    {"region_not_empty", kTwoRanks, kUndefined,
     "the region is not empty (lineage.h, 3)",
     brings_a_thread_into_a_region_that_is_not_empty},
    {"only_thread_waits", kOneRank, kTold,
     "deadlock: every task waits for another one",
     suspends_the_only_thread<Threads>},
    {"only_thread_waits_in_place", kOneRank, kTold,
     "deadlock: every task waits for another one",
     suspends_the_only_thread<InPlaceThreads>},
    {"nobody_is_ready", kOneRank, kTold,
     "deadlock: every task waits for another one", waits_for_what_never_comes},
    {"left_for_nobody", kTwoRanks, kUndefined, "a thread is left for nobody",
     leaves_for_nobody},
};

void list() {
  for (const Rule& rule : kRules) {
    const char* const then = checks_are_active() || rule.unchecked == kTold
                                 ? "told"
                             : rule.unchecked == kSilent ? "silent"
                                                         : "undefined";
    std::printf("%s\t%s\t%s\t%s\n", rule.name, rule.flags, then, rule.words);
  }
}

int break_on_ranks(const Rule& rule, int argc, char** argv) {
  flags::App app;
  rma::add_options(app);
  flags::parse_or_exit(app, argc, argv);
  const auto rank_main = [](void* break_it) {
    rma::barrier();
    (*static_cast<void (**)()>(break_it))();
    rma::flush_all();
    rma::barrier();
    return 0;
  };
  void (*break_it)() = rule.break_it;
  return rma::launch(Threads::layout({}), rank_main, &break_it);
}

int main(int argc, char** argv) {
  if (argc == 1) {
    list();
    return 0;
  }
  for (const Rule& rule : kRules) {
    if (argv[1] == std::string_view(rule.name))
      return break_on_ranks(rule, argc - 1, argv + 1);
  }
  return 2;
}

}  // namespace
}  // namespace magpie

int main(int argc, char** argv) { return magpie::main(argc, argv); }
