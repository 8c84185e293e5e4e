// Queues that are full, or whose places thieves keep, and ranks that wait for
// room at each other.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"
#include "tests/task_pool/scenario.h"

namespace magpie::pool_conformance {
namespace {

using Counter = rma::RemotePtr<rma::Word>;

// A root with counters on rank 0.
template <size_t kCounters>
struct WithCounters {
  Counter counters = {};

  static size_t heap_bytes() {
    return rma::allocated_bytes<rma::Word>(kCounters);
  }
  void prepare() { counters = rma::allocate<rma::Word>(kCounters).at(0); }
};

void count(Counter counter) { rma::fetch_add(counter, 1); }

void wait_for(Counter counter, uint64_t value) {
  while (rma::get_word(counter) < value) rma::idle();
}
// Waits for a while only: not all pools do what a test would like to see.
void wait_a_while_for(Counter counter, uint64_t value) {
  for (int i = 0; i < 300 && rma::get_word(counter) < value; ++i) rma::idle();
}

// A link of a chain: adds the next one, or says that it was the last.
struct Link {
  int64_t left;
  Counter ended;

  void operator()() const {
    merge(uint64_t{1});
    if (left > 1)
      add(Link{left - 1, ended});
    else
      count(ended);
  }
};

// Rank 0 has a queue of 4 tasks. One is stolen, and its thief keeps its place
// as long as that task runs; others steal the other three, after which the
// queue is empty, and with SDC full. Then comes a chain of tasks, through the
// inbox or not, that has to end before the first task does.
struct Pinned : WithCounters<3> {
  int64_t links;
  bool through_inbox;

  void operator()() const {
    const auto held = counters, ran = counters + 1, ended = counters + 2;
    const Link chain = {links, ended};
    if (rma::size() < 3) return add(chain);
    add([held, ended] {
      count(held);
      wait_for(ended, 1);
    });
    wait_a_while_for(held, 1);
    for (uint64_t i = 1; i <= 3; ++i) {
      const bool starts_chain = through_inbox && i == 3;
      add([ran, starts_chain, chain] {
        if (starts_chain) add_at(0, chain);
        count(ran);
      });
      wait_a_while_for(ran, i);
    }
    if (!through_inbox) add(chain);
  }
};

SCENARIO(pinned) {
  // Adds would wait, too, for thieves that wait for what is added next. And a
  // sent task may lie below the first one, on a rank that runs the first.
  if (std::ranges::count(p.flags, "--forced_steal") > 0) return;
  if (!pool_seam::traits().searches) return;
  for (const bool through_inbox : {false, true}) {
    Pinned root;
    root.links = p.n;
    root.through_inbox = through_inbox;
    const auto ran = run(p.with("--queue_bytes=1K"), root);
    expect_equal("links of a chain", ran.result, p.n);
  }
}

// Rank 0's queue is full, and tasks wait for room, when one is stolen and mail
// comes: the mail is younger than these, so rank 0 runs it first.
struct Mailed : WithCounters<3> {
  void operator()() const {
    if (rma::size() < 2) return;
    const auto sent = counters, ran = counters + 1, ran_here = counters + 2;
    for (int i = 0; i < 6; ++i) {
      add([ran, ran_here] {
        if (rma::rank() == 0) count(ran_here);
        count(ran);
      });
    }
    add_at(1, [sent, ran_here] {
      add_at(0, [ran_here] {
        if (rma::rank() != 0) return;
        expect_equal("older tasks that ran before", rma::get_word(ran_here), 0);
      });
      rma::flush_all();
      count(sent);
    });
    wait_for(sent, 1);
    wait_for(ran, 1);
  }
};

SCENARIO(mail_is_youngest) {
  // Adds would wait for thieves.
  if (std::ranges::count(p.flags, "--forced_steal") > 0) return;
  if (!pool_seam::traits().searches) return;
  run(p.with("--queue_bytes=1K"), Mailed());
}

// Rank 1 is busy until others have run what rank 0 has added to its own bag.
// Rank 0 waits for room in rank 1's inbox meanwhile.
struct Busy : WithCounters<2> {
  static constexpr uint64_t kTasks = 8;

  void operator()() const {
    if (rma::size() < 3) return;
    const auto began = counters, ran = counters + 1;
    add_at(1, [began, ran] {
      count(began);
      wait_for(ran, kTasks);
    });
    wait_for(began, 1);
    for (uint64_t i = 0; i < kTasks; ++i) add([ran] { count(ran); });
    for (int i = 0; i < 2; ++i) add_at(1, One{});
  }
};

SCENARIO(shares_while_it_waits) {
  if (!pool_seam::traits().searches) return;
  const auto ran = run(p.with("--inbox_bytes=1"), Busy());
  expect_equal("tasks", ran.result, ran.ranks < 3 ? 0 : 2);
}

// Tokens that are passed around through inboxes of one task, by ranks whose
// queues are full.
struct Token {
  int64_t left;

  void operator()() const {
    merge(uint64_t{1});
    if (left > 1) add_at((rma::rank() + 1) % rma::size(), Token{left - 1});
  }
};
struct Rings {
  static constexpr uint64_t kTokens = 40;
  int64_t n;

  void operator()() const {
    for (int rank = 0; rank < rma::size(); ++rank) {
      add_at(rank, [n = n] {
        for (uint64_t i = 0; i < kTokens; ++i)
          add_at((rma::rank() + 1) % rma::size(), Token{n});
      });
    }
  }
};

SCENARIO(rings_flood) {
  const int64_t n = std::max(p.n / 100, int64_t{3});
  const auto ran =
      run(p.with("--inbox_bytes=1").with("--queue_bytes=1K"), Rings{n});
  expect_equal("passed on", ran.result,
               ran.ranks * Rings::kTokens * static_cast<uint64_t>(n));
}

// The same with chains, whose tasks add to the bag of the rank that waits.
struct ChainsInACircle : WithCounters<1> {
  static constexpr int kChains = 40;
  int64_t links;

  void operator()() const {
    for (int rank = 0; rank < rma::size(); ++rank) {
      add_at(rank, [chain = Link{links, counters}] {
        for (int i = 0; i < kChains; ++i)
          add_at((rma::rank() + 1) % rma::size(), chain);
      });
    }
  }
};

SCENARIO(chains_flood) {
  ChainsInACircle root;
  root.links = p.n;
  const auto ran =
      run(p.with("--inbox_bytes=1").with("--queue_bytes=1K"), root);
  const auto links = static_cast<uint64_t>(ChainsInACircle::kChains * p.n);
  expect_equal("links of chains", ran.result, ran.ranks * links);
}

// All tasks add another until rank 0 has looked into its inbox, into which one
// of them puts.
struct Looks : WithCounters<1> {
  struct Link {
    Counter seen;
    void operator()() const {
      if (rma::get_word(seen) == 0) add(Link{seen});
    }
  };

  void operator()() const {
    const auto seen = counters;
    if (rma::size() == 1) return;
    add_at(1, [seen] { add_at(0, [seen] { count(seen); }); });
    for (int i = 0; i < 8; ++i) add(Link{seen});
  }
};

SCENARIO(looks_between_tasks) {
  if (!pool_seam::traits().has_inboxes) return;
  run(p.with("--queue_bytes=1K"), Looks());
}

// A stolen task adds a task that polls for long on the same rank, which must
// not keep anything from others meanwhile. Rank 0 works, so that a simulation
// with little patience knows that not all are stuck.
struct PollsAfterASteal {
  void operator()() const {
    add([] {
      add([first = rma::rank()] {
        merge(uint64_t{1});
        if (rma::rank() != first) return;
        const uint64_t end = rma::now() + 150'000;
        while (rma::now() < end) rma::idle();
      });
    });
    for (int i = 0; i < 400; ++i) rma::compute(1'000);
  }
};

SCENARIO(polls_after_a_steal) {
  expect_equal("tasks that polled", run(p, PollsAfterASteal()).result, 1);
}

}  // namespace
}  // namespace magpie::pool_conformance
