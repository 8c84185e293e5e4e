// Places, what is placed there, and the data that each rank has.

#include <array>
#include <cstdint>
#include <vector>

#include "tests/async_any/suite.h"

namespace magpie::pool_conformance {
namespace {

void look_at_place() {
  expect_at_most("here, and one more", static_cast<uint64_t>(here()) + 1,
                 places());
  expect_at_most("one worker", 1, workers());
  expect_at_most("places", places(), rma::size());
  expect_at_most("workers", workers(), rma::size());
}

struct Letter {
  int64_t id;
  void operator()() const {
    look_at_place();
    mark(id);
    merge_async_any(static_cast<uint64_t>(id));
  }
};

// Lists of tasks at all places: empty ones, of one task, of many.
SCENARIO(lists) {
  run_suite(p, [](const Suite& suite) {
    look_at_place();
    finish_async_any([&] {
      int64_t id = 0;
      for (size_t size = 0; id < suite.n; ++size) {
        std::vector<Letter> letters;
        for (; letters.size() < size && id < suite.n; ++id)
          letters.push_back({id});
        const auto place = static_cast<int>(size) % places();
        if (size % 2 == 0)
          static_async_any(place, letters);
        else
          expect_equal("added", cancelable_static_async_any(place, letters),
                       true);
      }
    });
    expect_equal("tasks", marked(), suite.n);
    expect_equal("result", reduce_async_any<uint64_t>(), sum_below(suite.n));
  });
}

// Long tasks that the body adds at its own place: others run an eighth of their
// share, at least. In a simulation, where nothing but the tasks takes so long.
SCENARIO(spread) {
  run_suite(p, [](const Suite& suite) {
    finish_async_any([&] {
      for (int64_t id = 0; id < suite.n; ++id) {
        async_any([] {
          if (rma::is_simulated()) rma::compute(100'000);
          merge_async_any(uint64_t{here() != 0});
        });
      }
    });
    const bool is_many = suite.n >= 4 * rma::size();
    if (rma::is_simulated() && is_many && places() > 1)
      expect_at_most("an eighth of others' share",
                     static_cast<uint64_t>(suite.n * (places() - 1)) /
                         static_cast<uint64_t>(8 * places()),
                     reduce_async_any<uint64_t>());
  });
}

uint64_t drawn() { return rma::get_word(suite().drawn.at(0)); }
void wait_for_draws(uint64_t draws) {
  while (drawn() < draws) rma::idle();
}

// The last place is busy until another one has got a task of place 0's, which
// waits for room in the last one's inbox meanwhile. (Place 1 waits for tasks of
// place 0's on its lifeline.)
SCENARIO(answers) {
  run_suite(p.with("--inbox_bytes=1"), [](const Suite&) {
    if (rma::size() < 3 || places() != rma::size()) return;
    finish_async_any([] {
      const int last = places() - 1;
      static_async_any(last, {[] {
                         draw();
                         wait_for_draws(2);
                       }});
      wait_for_draws(1);
      for (int i = 0; i < 8; ++i) async_any([] { draw(); });
      for (int i = 0; i < 2; ++i) static_async_any(last, {[] { draw(); }});
    });
    expect_equal("draws", drawn(), 11);
  });
}

struct alignas(64) Table {
  std::array<uint64_t, 100> numbers;

  static Table of(uint64_t seed) {
    Table table;
    for (size_t i = 0; i < table.numbers.size(); ++i)
      table.numbers[i] = scrambled(seed + i);
    return table;
  }
};

struct LooksUp {
  uint64_t seed;
  void operator()() const {
    const Table& table = static_data<Table>();
    expect_equal("alignment", reinterpret_cast<uintptr_t>(&table) % 64, 0);
    for (size_t i = 0; i < table.numbers.size(); ++i)
      expect_equal("static data", table.numbers[i], scrambled(seed + i));
    merge_async_any(uint64_t{1});
  }
};

void look_up_everywhere(const Suite& suite, uint64_t seed) {
  finish_async_any([&] {
    LooksUp{seed}();
    for (int place = 0; place < places(); ++place)
      static_async_any(
          place, std::vector<LooksUp>(static_cast<size_t>(workers()), {seed}));
    for (int64_t i = 0; i < suite.n; ++i) async_any(LooksUp{seed});
  });
}

// Static data that is set before a finish, kept for the next, replaced; the
// last setting counts.
SCENARIO(tables) {
  run_suite(p, [](const Suite& suite) {
    static_init(Table::of(1));
    look_up_everywhere(suite, 1);
    look_up_everywhere(suite, 1);
    static_init(Table::of(2));
    // The old data stays until the next finish.
    expect_equal("static data", static_data<Table>().numbers[0], scrambled(1));
    static_init(Table::of(3));
    look_up_everywhere(suite, 3);
  });
}

struct Pair {
  uint32_t a;
  double b;
};
struct Large {
  std::array<uint8_t, 4096> bytes;
};

// Static data of other types, up to the greatest size.
SCENARIO(types) {
  run_suite(p, [](const Suite& suite) {
    static_init(Pair{3, 0.5});
    finish_async_any([&] {
      for (int64_t i = 0; i < suite.n; ++i) {
        async_any([] {
          expect_equal("a", static_data<Pair>().a, 3);
          expect_equal("2 b", static_cast<uint64_t>(2 * static_data<Pair>().b),
                       1);
        });
      }
    });
    Large large;
    large.bytes.fill(7);
    static_init(large);
    finish_async_any([&] {
      for (int place = 0; place < places(); ++place) {
        static_async_any(place, {[] {
                           for (const uint8_t byte : static_data<Large>().bytes)
                             expect_equal("a byte", byte, 7);
                         }});
      }
    });
  });
}

}  // namespace
}  // namespace magpie::pool_conformance
