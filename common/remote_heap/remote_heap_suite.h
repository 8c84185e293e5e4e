// The suite of the concept RemoteHeap. A class is tested by naming it:
//
//   MAGPIE_REMOTE_HEAP_SUITE(MyHeap, my::Heap);
//
// and the Bazel rule spmd_test, which runs it on shm, on sim and explored. Each
// case makes the heap within what its heap_bytes() says. What a class's
// operations on other ranks' objects cost is for its own tests
// (remote_objects_cost).

#ifndef MAGPIE_COMMON_REMOTE_HEAP_REMOTE_HEAP_SUITE_H_
#define MAGPIE_COMMON_REMOTE_HEAP_REMOTE_HEAP_SUITE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/remote_heap/remote_heap.h"
#include "common/rma/rma.h"
#include "common/testing/costs.h"
#include "common/testing/once.h"
#include "common/testing/spmd.h"

namespace magpie::heap_suite {

inline HeapOptions options(uint64_t bytes) {
  return {.bytes = bytes, .what = "memory", .flag = "--flag"};
}

// The heap, made within what its heap_bytes() says. Collective.
template <typename Heap>
Heap made(uint64_t bytes) {
  return spmd::made_within<Heap>(Heap::heap_bytes(options(bytes)), "the heap",
                                 options(bytes));
}

// An object of the calling rank, filled with its mark: a neighbour that
// overwrites it is seen.
struct Object {
  std::byte* place;
  size_t bytes;
  std::byte mark;

  void fill() const { std::fill_n(place, bytes, mark); }
  bool intact() const {
    return std::all_of(place, place + bytes,
                       [this](std::byte b) { return b == mark; });
  }
};

template <typename Heap>
Object new_object(Heap& heap, size_t bytes, uint64_t mark) {
  const Object object = {heap.allocate(bytes), bytes,
                         static_cast<std::byte>(mark)};
  EXPECT_EQ(reinterpret_cast<uintptr_t>(object.place) % 16, 0u) << bytes;
  object.fill();
  return object;
}

// Each rank by itself allocates and frees in an order and sizes at random, and
// keeps a list of what there must be. That costs no operation and, in many
// rounds, no more memory than what lives at once needs.
template <typename Heap>
void against_a_model() {
  Heap heap = made<Heap>(4 << 20);
  const uint64_t operations = rma::self().counters.operations();
  std::mt19937 random(static_cast<unsigned>(rma::rank()) + 1);
  std::vector<Object> live;
  for (uint64_t i = 0; i < spmd::rounds(50000, 300); ++i) {
    if (live.size() < 100 && random() % 2 == 0) {
      // Small, or near a power of two or half as much again.
      const size_t bytes = random() % 8 != 0
                               ? random() % 200
                               : ((2 + random() % 2) << (4 + random() % 11)) -
                                     32 + random() % 64;
      live.push_back(new_object(heap, bytes, random()));
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      ASSERT_TRUE(live.back().intact())
          << "an object of " << live.back().bytes << " bytes was overwritten";
      heap.free(rma::heap_ptr(live.back().place));
      live.pop_back();
    }
    if (i % 1000 == 0) {
      ASSERT_EQ(heap.live_objects(), live.size());
    }
  }
  spmd::Once once("an object was overwritten");
  for (const Object& object : live) {
    once.expect(object.intact(), [&] {
      return "one of " + std::to_string(object.bytes) + " bytes";
    });
    heap.free(rma::heap_ptr(object.place));
  }
  EXPECT_EQ(heap.live_objects(), 0u);
  EXPECT_EQ(rma::self().counters.operations(), operations);
  rma::barrier();
}

// All objects are freed by another rank, ten times the memory there is and
// more: the owner finds them when it runs out.
template <typename Heap>
void remotely_freed_memory_is_used_again() {
  constexpr int kBatch = 20;
  Heap heap = made<Heap>(16 << 10);
  const auto offsets = rma::allocate<uint64_t>(kBatch);
  const int neighbour = (rma::rank() + 1) % rma::size();
  for (uint64_t round = 0; round < spmd::rounds(200, 5); ++round) {
    for (size_t i = 0; i < kBatch; ++i) {
      offsets.local()[i] = rma::heap_ptr(heap.allocate(64 + 8 * i)).offset;
    }
    EXPECT_EQ(heap.live_objects(), uint64_t{kBatch});
    rma::flush_all();
    rma::barrier();
    for (size_t i = 0; i < kBatch; ++i)
      heap.free({neighbour, rma::get(offsets.at(neighbour) + i)});
    rma::flush_all();
    rma::barrier();
    EXPECT_EQ(heap.live_objects(), 0u);
  }
  rma::barrier();
}

// An object that another rank frees is not handed out before the free is
// complete, and then once only: rank 1 frees what rank 0 puts into its mail.
template <typename Heap>
void freed_while_the_owner_allocates() {
  const uint64_t objects = spmd::rounds(20000, 30);
  Heap heap = made<Heap>(8 << 10);
  struct Mail {
    // An object's offset; 0 where there is no mail.
    rma::Word offset;
    rma::Word over;
  };
  const auto mail = rma::allocate<Mail>();
  rma::barrier();
  if (rma::size() > 1 && rma::rank() == 0) {
    for (uint64_t i = 0; i < objects; ++i) {
      std::byte* const object = heap.allocate(8 + i % 100);
      std::memcpy(object, &i, sizeof(i));
      while (mail.local()->offset.load() != 0) rma::idle();
      EXPECT_EQ(std::memcmp(object, &i, sizeof(i)), 0)
          << "an object that waits to be freed was changed";
      mail.local()->offset.store(rma::heap_ptr(object).offset);
    }
    while (mail.local()->offset.load() != 0) rma::idle();
    mail.local()->over.store(1);
  } else if (rma::rank() == 1) {
    const auto offset = mail.at(0).field(&Mail::offset);
    while (rma::get_word(mail.at(0).field(&Mail::over)) == 0) {
      const uint64_t object = rma::get_word(offset);
      if (object == 0) {
        rma::idle();
        continue;
      }
      rma::fetch_add(offset, -object);
      heap.free({0, object});
      rma::flush(0);
    }
  }
  rma::flush_all();
  rma::barrier();
  EXPECT_EQ(heap.live_objects(), 0u);
  rma::barrier();
}

// A rank that comes late to an object sees that it was freed: when its owner
// has it back, by an even word in it; before, by a word that is not 0 before
// it.
template <typename Heap>
void late_users_can_tell() {
  Heap heap = made<Heap>(16 << 10);
  constexpr size_t kObjects = 20;
  const int neighbour = (rma::rank() + 1) % rma::size();
  const auto offsets = rma::allocate<uint64_t>(kObjects);
  for (const bool by_owner : {true, false}) {
    std::vector<uint64_t*> words;
    for (size_t i = 0; i < kObjects; ++i) {
      std::byte* const object = heap.allocate(8 + 24 * i);
      offsets.local()[i] = rma::heap_ptr(object).offset;
      words.push_back(reinterpret_cast<uint64_t*>(object));
      *words.back() = 0x12345;
      EXPECT_EQ(words.back()[-1], 0u);
    }
    rma::barrier();
    for (size_t i = 0; i < kObjects; ++i) {
      const int owner = by_owner ? rma::rank() : neighbour;
      heap.free({owner, rma::get(offsets.at(owner) + i)});
    }
    rma::flush_all();
    rma::barrier();
    for (const uint64_t* word : words)
      EXPECT_TRUE(word[-1] != 0 || *word % 2 == 0) << by_owner;
    EXPECT_EQ(heap.live_objects(), 0u);
    for (const uint64_t* word : words) EXPECT_EQ(*word % 2, 0u) << by_owner;
    rma::barrier();
  }
}

// For a class's own test: with two ranks or more, freeing an object of another
// rank costs `free`, and taking it back `collect`; with one, nothing.
template <typename Heap>
void remote_objects_cost(Costs free, Costs collect) {
  if (rma::size() == 1) free = collect = {};
  Heap heap(options(4096));
  const auto own = rma::heap_ptr(heap.allocate(40));
  rma::barrier();
  EXPECT_EQ(
      costs_of([&] { heap.free(own.at((rma::rank() + 1) % rma::size())); }),
      free);
  rma::flush_all();
  rma::barrier();
  EXPECT_EQ(costs_of([&] { EXPECT_EQ(heap.live_objects(), 0u); }), collect);
  EXPECT_EQ(costs_of([&] { heap.collect(); }), Costs{});
}

}  // namespace magpie::heap_suite

// Takes the cases' name and the class.
#define MAGPIE_REMOTE_HEAP_SUITE(Name, ...)                                  \
  static_assert(::magpie::RemoteHeap<__VA_ARGS__>);                          \
  SPMD_CASE(Name, AgainstAModel, heap_suite::against_a_model<__VA_ARGS__>()) \
  SPMD_CASE(Name, RemotelyFreedMemoryIsUsedAgain,                            \
            heap_suite::remotely_freed_memory_is_used_again<__VA_ARGS__>())  \
  SPMD_CASE(Name, FreedWhileTheOwnerAllocates,                               \
            heap_suite::freed_while_the_owner_allocates<__VA_ARGS__>())      \
  SPMD_CASE(Name, LateUsersCanTell,                                          \
            heap_suite::late_users_can_tell<__VA_ARGS__>())                  \
  static_assert(true, "a semicolon follows")

#endif  // MAGPIE_COMMON_REMOTE_HEAP_REMOTE_HEAP_SUITE_H_
