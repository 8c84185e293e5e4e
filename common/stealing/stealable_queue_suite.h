// The suite of the concept StealableQueue. A class is tested by naming it:
//
//   using magpie::queue_suite::Item;
//   MAGPIE_STEALABLE_QUEUE_SUITE(MyQueue, my::Queue<Item>);
//
// and the Bazel rule spmd_test, which runs it on shm, on sim and explored. Each
// case makes the queue within what its heap_bytes() says; more prints an error
// and ends the job. It asks the queue only for what the concept promises; what
// a class's operations cost is for its own tests.

#ifndef MAGPIE_COMMON_STEALING_STEALABLE_QUEUE_SUITE_H_
#define MAGPIE_COMMON_STEALING_STEALABLE_QUEUE_SUITE_H_

#include <cstdint>
#include <deque>
#include <random>
#include <span>

#include "common/rma/rma.h"
#include "common/stealing/queue_suite_items.h"
#include "common/stealing/stealable_queue.h"
#include "common/testing/spmd.h"

namespace magpie::queue_suite {

// Lets thieves come between an owner's steps, where these take next to no time.
inline void let_thieves_come(uint64_t step) {
  if (spmd::simulated() && step % 3 == 0) rma::idle();
}

// A push and a pop: by the fast path where the queue has one, it is wanted, and
// it applies.
template <typename Queue>
void push_some_way(Queue& queue, const Item& item, bool fast) {
  if (!fast || !push_at_once(queue, [&](Item* place) { *place = item; }))
    queue.push(item);
}
template <typename Queue>
bool pop_some_way(Queue& queue, Item* item, bool fast) {
  const Item* place = nullptr;
  const auto any = [&place](const Item& youngest) {
    place = &youngest;
    return true;
  };
  if (!fast || !pop_at_once(queue, any)) place = queue.pop();
  if (place != nullptr) *item = *place;
  return place != nullptr;
}

// Pops, and expects the item of that number.
template <typename Queue>
void expect_pop(Queue& queue, uint64_t number) {
  const Item* const youngest = queue.pop();
  ASSERT_NE(youngest, nullptr);
  EXPECT_EQ(number_of(*youngest), number);
}

// Flag by which rank 0 says that the others may stop.
class Over {
 public:
  Over() : word_(rma::allocate<rma::Word>()) {}
  void say() const {
    rma::put_word(word_.at(0), 1);
    rma::flush_all();
  }
  bool said() const { return rma::get_word(word_.at(0)) != 0; }

 private:
  const rma::RemotePtr<rma::Word> word_;
};

// Owner and thief in turns, on one rank, against a sequential queue.
template <typename Queue>
void against_a_model() {
  constexpr size_t kCapacity = 20;
  Queue queue = made<Queue>(QueueOptions{.capacity = kCapacity});
  const auto thief = queue.remote(rma::rank());
  std::deque<uint64_t> model;
  std::mt19937 random(static_cast<unsigned>(rma::rank()) + 1);
  uint64_t next = 1;
  // Whether there was a steal since the last quiesce; and whether a thief must
  // find what there is.
  bool stolen_from = false, all_shared = true;
  constexpr bool kShares = requires { queue.share(); };
  for (uint64_t i = 0; i < spmd::rounds(200000, 500); ++i) {
    Item taken = {};
    const unsigned step = random() % 5;
    if (step < 4) all_shared = !kShares || !stolen_from;
    switch (step) {
      case 0:
      case 1:
        if (queue.full()) {
          all_shared = !kShares;
          break;
        }
        push_some_way(queue, item(next), random() % 2 == 0);
        model.push_back(next++);
        break;
      case 2:
      case 3: {
        const bool found = pop_some_way(queue, &taken, random() % 2 == 0);
        ASSERT_EQ(found, !model.empty()) << "pop, step " << i;
        if (!found) break;
        ASSERT_EQ(number_of(taken), model.back()) << "pop, step " << i;
        model.pop_back();
        break;
      }
      case 4: {
        if constexpr (requires { queue.offer_all(); }) {
          if (random() % 2 == 0) queue.offer_all();
        }
        size_t stolen = 0;
        const auto take = [&](std::span<const Item> items) {
          stolen = items.size();
          ASSERT_LE(stolen, model.size());
          for (const Item& item : items) {
            ASSERT_EQ(number_of(item), model.front()) << "steal, step " << i;
            model.pop_front();
          }
        };
        const bool had_some = !model.empty();
        rma::Word::fence();  // or the thief may not see what the owner did
        const Outcome outcome = queue.steal(thief, take);
        if (all_shared || outcome != Outcome::kEmpty) {
          ASSERT_EQ(outcome, had_some ? Outcome::kTaken : Outcome::kEmpty);
        }
        ASSERT_EQ(stolen > 0, outcome == Outcome::kTaken);
        stolen_from = true;
        all_shared = !kShares;
        if (random() % 4 == 0) {
          queue.quiesce();
          stolen_from = false;
        }
        break;
      }
    }
    ASSERT_EQ(queue.empty(), model.empty()) << "step " << i;
    // The queue may be full of what was taken, until it was found empty.
    if (model.size() == kCapacity) {
      ASSERT_TRUE(queue.full());
    }
  }
  while (queue.full()) {
    queue.pop();
    queue.quiesce();
  }
  rma::flush_all();
  rma::barrier();
}

// A queue takes as many as it was made for, also after it was emptied.
template <typename Queue>
void holds_its_capacity() {
  for (const size_t capacity : {size_t{1}, size_t{2}, size_t{7}}) {
    Queue queue = made<Queue>(QueueOptions{.capacity = capacity});
    for (int round = 0; round < 3; ++round) {
      EXPECT_TRUE(queue.empty());
      for (size_t i = 0; i < capacity; ++i) {
        EXPECT_FALSE(queue.full());
        queue.push(item(i));
      }
      EXPECT_TRUE(queue.full());
      for (size_t i = capacity; i > 0; --i) expect_pop(queue, i - 1);
      EXPECT_EQ(queue.pop(), nullptr);
      queue.quiesce();
    }
  }
  rma::flush_all();
  rma::barrier();
}

// Memory that a thief holds in `take` may not be reused: quiesce waits.
template <typename Queue>
void quiesce_waits_for_thieves() {
  Queue queue = made<Queue>(QueueOptions{.capacity = 16});
  struct Shared {
    rma::Word taken, quiet;
  };
  const auto shared = rma::allocate<Shared>();
  const auto taken = shared.at(0).field(&Shared::taken);
  const auto quiet = shared.at(0).field(&Shared::quiet);
  for (uint64_t round = 1; rma::size() > 1 && round <= spmd::rounds(300, 5);
       ++round) {
    rma::barrier();
    if (rma::rank() == 0) {
      queue.push(item(round));
      while (rma::get_word(taken) < round) rma::idle();
      EXPECT_EQ(queue.pop(), nullptr);
      queue.quiesce();
      rma::put_word(quiet, round);
      rma::flush_all();
    } else if (rma::rank() == 1) {
      const auto take = [&](std::span<const Item> items) {
        EXPECT_EQ(items.size(), 1u);
        EXPECT_EQ(number_of(items.front()), round);
        rma::put_word(taken, round);
        rma::flush(0);
        for (int i = 0; i < 50; ++i) {  // "copies"
          rma::idle();
          EXPECT_LT(rma::get_word(quiet), round)
              << "the owner went on while a thief had its item";
        }
      };
      while (queue.steal(queue.remote(0), take) != Outcome::kTaken) rma::idle();
      rma::flush_all();
    }
  }
  rma::barrier();
}

// The last item, which owner and thieves may want at the same moment.
template <typename Queue>
void last_one_is_taken_once() {
  // Each item takes the longer, the more ranks share the cores.
  const uint64_t items =
      spmd::rounds(400000 / static_cast<uint64_t>(rma::size()), 150);
  Queue queue = made<Queue>(QueueOptions{.capacity = 1, .empty_check = false});
  const Over over;
  Taken taken;
  rma::barrier();
  if (rma::rank() == 0) {
    Item mine;
    for (uint64_t i = 0; i < items; ++i) {
      if (queue.full()) queue.quiesce();
      push_some_way(queue, item(i), i % 2 == 0);
      let_thieves_come(i);
      if (pop_some_way(queue, &mine, i % 4 < 2)) {
        taken.add(mine);
        EXPECT_EQ(queue.pop(), nullptr);
      }
    }
    over.say();
  } else {
    for (uint64_t i = 0; !over.said(); ++i) {
      for (uint64_t pause = i % 64; pause > 0; --pause) asm volatile("");
      if (i % 256 == 0 || spmd::simulated()) rma::idle();
      queue.steal(queue.remote(0), [&](std::span<const Item> items) {
        for (const Item& item : items) taken.add(item);
      });
      rma::flush(0);
    }
  }
  rma::flush_all();
  taken.expect_each_once(items);
}

// Under load: rank 0 pushes and pops at random, all others steal. It goes on
// until they have had something.
template <typename Queue>
void each_is_taken_once() {
  const uint64_t items = spmd::rounds(200000, 150);
  Queue queue = made<Queue>(QueueOptions{.capacity = 8});
  const Over over;
  Taken taken;
  uint64_t pushed = 0;
  rma::barrier();
  if (rma::rank() == 0) {
    std::minstd_rand random;
    Item mine;
    do {
      for (const uint64_t end = pushed + items; pushed < end;) {
        let_thieves_come(pushed);
        if (random() % 2 == 0 && !queue.full()) {
          push_some_way(queue, item(pushed++), random() % 2 == 0);
        } else if (pop_some_way(queue, &mine, random() % 2 == 0)) {
          taken.add(mine);
        }
      }
      rma::idle();
      while (const Item* const left = queue.pop()) taken.add(*left);
      EXPECT_TRUE(queue.empty());
    } while (rma::size() > 1 && taken.count() == pushed);
    over.say();
  } else {
    while (!over.said()) {
      rma::idle();
      queue.steal(queue.remote(0), [&](std::span<const Item> items) {
        for (const Item& item : items) taken.add(item);
      });
      rma::flush(0);
    }
  }
  rma::flush_all();
  rma::broadcast(&pushed, sizeof(pushed), 0);
  taken.expect_each_once(pushed);
}

template <typename Q>
concept TellsWhatItOffers = requires(const Q& seen, typename Q::Remote remote) {
  { seen.offered(remote) } -> std::same_as<uint64_t>;
};

// Each rank is the only thief of the next rank's queue, which has pushed
// `pushed` items: a steal takes some where some are offered, and no more than
// are. Where nothing is left nothing is offered. Does nothing for a queue that
// does not tell.
template <typename Queue>
void tells_what_it_offers() {
  if constexpr (TellsWhatItOffers<Queue>) {
    constexpr uint64_t kCapacity = 20;
    Queue queue = made<Queue>(QueueOptions{.capacity = kCapacity});
    const auto victim = queue.remote((rma::rank() + 1) % rma::size());
    for (uint64_t pushed = 0; pushed <= kCapacity; ++pushed) {
      rma::barrier();
      EXPECT_EQ(queue.offered(victim), 0u);
      rma::barrier();
      for (uint64_t i = 0; i < pushed; ++i) queue.push(item(i));
      bool offers_all = false;
      if constexpr (requires { queue.share(); }) queue.share();
      if constexpr (requires { queue.offer_all(); }) {
        // Not of a queue that cannot offer so many.
        if (pushed % 2 == 0)
          offers_all = queue.offer_all() && !queue.offer_all();
      }
      rma::flush_all();
      rma::barrier();
      uint64_t taken = 0, offered = queue.offered(victim);
      EXPECT_EQ(offered > 0, pushed > 0);
      if (offers_all) {
        EXPECT_EQ(offered, pushed);
      }
      while (true) {
        EXPECT_LE(offered, pushed - taken);
        const auto take = [&](std::span<const Item> items) {
          EXPECT_LE(items.size(), offered);
          for (const Item& item : items) EXPECT_EQ(number_of(item), taken++);
        };
        const uint64_t before = taken;
        const Outcome outcome = queue.steal(victim, take);
        EXPECT_EQ(outcome, offered > 0 ? Outcome::kTaken : Outcome::kEmpty);
        if (outcome != Outcome::kTaken) break;
        const uint64_t stolen = taken - before;
        const uint64_t rest = queue.offered(victim);
        EXPECT_EQ(rest, offered - stolen);
        offered = rest;
      }
      rma::flush_all();
      rma::barrier();
      while (queue.pop() != nullptr) {
      }
      queue.quiesce();
      rma::flush_all();
    }
    rma::barrier();
  }
}

// An owner that only pushes, while thieves take all: its places serve again.
template <typename Queue>
void room_without_pops() {
  if constexpr (!TellsWhatItOffers<Queue>) return;
  Queue queue = made<Queue>(QueueOptions{.capacity = 4});
  const auto own = queue.remote(rma::rank());
  uint64_t pushed = 0, taken = 0;
  for (int round = 0; round < 50; ++round) {
    ASSERT_FALSE(queue.full()) << "round " << round;
    for (; pushed - taken < 4 && !queue.full(); ++pushed)
      queue.push(item(pushed));
    while (taken < pushed) {
      if constexpr (requires { queue.share(); }) queue.share();
      rma::Word::fence();
      queue.steal(own, [&](std::span<const Item> items) {
        for (const Item& item : items) EXPECT_EQ(number_of(item), taken++);
      });
      rma::flush_all();
    }
    queue.quiesce();
  }
}

}  // namespace magpie::queue_suite

// Takes the cases' name, and then the class, over queue_suite::Item.
#define MAGPIE_STEALABLE_QUEUE_SUITE(Name, ...)                               \
  static_assert(::magpie::StealableQueue<__VA_ARGS__>);                       \
  SPMD_CASE(Name, AgainstAModel, queue_suite::against_a_model<__VA_ARGS__>()) \
  SPMD_CASE(Name, HoldsItsCapacity,                                           \
            queue_suite::holds_its_capacity<__VA_ARGS__>())                   \
  SPMD_CASE(Name, QuiesceWaitsForThieves,                                     \
            queue_suite::quiesce_waits_for_thieves<__VA_ARGS__>())            \
  SPMD_CASE(Name, LastOneIsTakenOnce,                                         \
            queue_suite::last_one_is_taken_once<__VA_ARGS__>())               \
  SPMD_CASE(Name, EachIsTakenOnce,                                            \
            queue_suite::each_is_taken_once<__VA_ARGS__>())                   \
  SPMD_CASE(Name, TellsWhatItOffers,                                          \
            queue_suite::tells_what_it_offers<__VA_ARGS__>())                 \
  SPMD_CASE(Name, RoomWithoutPops,                                            \
            queue_suite::room_without_pops<__VA_ARGS__>())                    \
  static_assert(true, "a semicolon follows")

#endif  // MAGPIE_COMMON_STEALING_STEALABLE_QUEUE_SUITE_H_
