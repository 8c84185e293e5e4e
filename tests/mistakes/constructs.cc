// Mistakes that users of the constructs of async_any.h make; and uses that are
// no mistakes.

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "common/rma/rma.h"
#include "common/task_pool/async_any.h"
#include "tests/mistakes/mistake.h"

namespace magpie::mistakes {
namespace {

// Makes a mistake in the root; in a finish's body; in a task at the last place.
template <auto kDeed>
int in_root(CommandLine line) {
  return run_pool<uint64_t>(line.argc, line.argv, [] { kDeed(); });
}
template <auto kDeed>
int in_body(CommandLine line) {
  return in_root<[] { finish_async_any([] { kDeed(); }); }>(line);
}
template <auto kDeed>
int in_task(CommandLine line) {
  return in_body<[] { static_async_any(places() - 1, {[] { kDeed(); }}); }>(
      line);
}
void begins_a_finish() {
  finish_async_any([] {});
}
// Begins a finish by a task that is added outside of any.
template <auto kAdd>
void adds_and_begins() {
  kAdd();
  begins_a_finish();
}
void cancels() { cancel_all_cancelable_async_any(); }

void adds_beyond() {
  cancelable_static_async_any(places(), {[] {}});
}

struct Throws {
  void operator()() const { throw std::runtime_error("no such file"); }
};
void throws() { Throws{}(); }
// Catches an exception, by which a finish would be left without an end.
void catches() {
  try {
    finish_async_any([] { throws(); });
  } catch (const std::runtime_error&) {
  }
}

struct Few {
  uint32_t value;
};
struct Many {
  std::array<uint64_t, 1000> values;
};
void sets_few() { static_init(Few{3}); }
void reads_few() {
  if (static_data<Few>().value != 3) rma::fatal("another value");
}
template <auto kSet, auto kRead>
void sets_and_reads() {
  kSet();
  finish_async_any([] { static_async_any(places() - 1, {[] { kRead(); }}); });
}
void sets_an_int() { static_init(3); }

void changes_in_place() { partial<uint64_t>() = 1; }
void reads_what_is_in_place() {
  add_at(rma::size() - 1, [] {
    changes_in_place();
    add_at(0, [] { reduce_async_any<uint64_t>(); });
  });
}
// A result that was changed in place is read when no task runs.
void reads_after_the_finish() {
  for (int i = 0; i < 2; ++i) {
    finish_async_any([i] {
      if (i == 0) async_any([] { changes_in_place(); });
      if (i == 1) async_any([] { reduce_async_any<uint64_t>(); });
    });
    if (reduce_async_any<uint64_t>() != uint64_t{i == 0})
      rma::fatal("another result");
  }
}

void by_reference() {
  long sum = 0;
  cancelable_async_any([&] { sum += 1; });
}
void a_list_by_reference() {
  long sum = 0;
  static_async_any(places() - 1, {[&] { sum += 1; }});
}
// The body may capture by reference: it does not travel.
void body_by_reference() {
  uint64_t sum = 0;
  finish_async_any([&] { sum = 3; });
  if (sum != 3) rma::fatal("the body has another copy");
}

int without_a_place_for_the_result(CommandLine line) {
  return run_pool(
      line.argc, line.argv, [] {}, static_cast<uint64_t*>(nullptr));
}
int two_runs(CommandLine line) {
  for (uint64_t i = 1; i <= 2; ++i) {
    uint64_t result = 0;
    const int status = run_pool(
        line.argc, line.argv,
        [i] {
          for (uint64_t k = 0; k <= i; ++k) {
            finish_async_any([k] {
              cancels();
              async_any([k] { merge_async_any(k); });
            });
          }
        },
        &result);
    if (status != 0 || result != i) return 4;
  }
  return 0;
}

constexpr char kWithin[] =
    "rank 0: finish_async_any was called within a finish; it is called by the "
    "root between finishes, of which a task that the root adds outside begins "
    "one$";
constexpr char kStack[] =
    "rank \\d: .*a task's closure holds at byte 0 an address of "
    "(this process's stack|memory of this process), 0x";

// The mistakes; a pool that takes one rank makes them on one.
std::vector<Mistake> mistakes() {
  const bool is_alone = pool_seam::traits().takes_one_rank;
  // Whether tasks read what lies on another rank, which runs tasks, too.
  const std::string flags = pool_seam::flags_help();
  const bool reads_elsewhere = absl::StrContains(flags, "--lifeline_radix") &&
                               !absl::StrContains(flags, "--workers_per_place");
  const char* const two_bytes =
      is_alone ? "--ranks=1 --static_bytes=2" : "--ranks=2 --static_bytes=2";
  const char* const four_bytes =
      is_alone ? "--ranks=1 --static_bytes=4" : "--ranks=2 --static_bytes=4";
  std::vector<Mistake> all = {
      {"finish_in_a_task", in_task<begins_a_finish>, kTold,
       "rank \\d: finish_async_any was called by a task; it is called by the "
       "root between finishes$"},
      {"finish_in_a_body", in_body<begins_a_finish>, kTold, kWithin},
      {"finish_after_add", in_root<adds_and_begins<[] { add([] {}); }>>, kTold,
       kWithin},
      {"finish_after_add_at",
       in_root<adds_and_begins<[] { add_at(0, [] {}); }>>, kTold, kWithin},
      {"finish_after_a_cancelable_task",
       in_root<adds_and_begins<[] { cancelable_async_any([] {}); }>>, kTold,
       kWithin},
      {"finish_after_a_task_at_a_place",
       in_root<adds_and_begins<[] { static_async_any(0, {[] {}}); }>>, kTold,
       kWithin},
      {"cancels_in_the_root", in_root<cancels>, kTold,
       "rank 0: cancel_all_cancelable_async_any was called outside of a "
       "finish$"},

      {"place_below", in_body<[] { static_async_any(-1, {[] {}}); }>, kTold,
       "rank 0: static_async_any\\(-1\\): there are places 0 to \\d+$"},
      {"place_beyond", in_task<adds_beyond>, kTold,
       "rank \\d: static_async_any\\(\\d+\\): there are places 0 to \\d+$"},

      {"exception_of_a_body", in_body<throws>, kTold,
       "rank 0: an exception left the body of a finish: no such file$"},
      {"exception_that_is_caught", in_root<catches>, kTold,
       "rank 0: an exception left the body of a finish: no such file$"},
      {"exception_of_the_root", in_root<throws>, kTold,
       "rank 0: an exception left a task: no such file$"},
      {"exception_of_a_task", in_task<throws>, kTold,
       "rank \\d: an exception left a task, .*: no such file$"},
      {"exception_of_a_cancelable_task",
       in_body<[] { cancelable_async_any(Throws{}); }>, kTold,
       "rank \\d: an exception left a task, "
       "magpie::mistakes::\\(anonymous namespace\\)::Throws: no such file$"},

      {"static_data_of_another_type",
       in_root<sets_and_reads<sets_an_int, reads_few>>, kTold,
       "rank \\d: static_data of type .*::Few, where static_init was given a "
       "int$"},
      {"static_data_of_none", in_task<reads_few>, kTold,
       "rank \\d: static_data of type .*::Few, where static_init was not "
       "called before the finish$"},
      {"static_data_set_too_late", in_body<sets_few>, kTold,
       "rank 0: static_init was called within a finish; it is called by the "
       "root between finishes, of which .*$"},
      {"static_data_set_by_a_task", in_task<sets_few>, kTold,
       "rank \\d: static_init was called by a task; it is called by the root "
       "between finishes$"},
      {"static_data_too_large", in_root<[] { static_init(Many{}); }>, kTold,
       "rank 0: static_init of a .*::Many of 8000 bytes: raise "
       "--static_bytes=4K$"},
      {"static_data_too_large_by_flag", in_root<sets_few>, kTold,
       "rank 0: static_init of a .*::Few of 4 bytes: raise --static_bytes=2$",
       two_bytes},
      {"static_data_as_large", in_root<sets_and_reads<sets_few, reads_few>>,
       kWell, "", four_bytes},
      {"static_bytes_of_nothing", in_root<[] {}>, kRefused,
       "--static_bytes: 0.*1 to 64G", "--ranks=1 --static_bytes=0"},

      {"partial", in_root<reads_after_the_finish>},
      {"partial_that_is_read_meanwhile", in_root<reads_what_is_in_place>,
       reads_elsewhere ? kTold : kWell,
       "rank 0: reduce_async_any\\(\\) was called while tasks run, and a task "
       "of rank 1 has called partial\\(\\): .*let tasks merge\\(\\)$"},
      {"reduces_another_type", in_root<[] { reduce_async_any<double>(); }>,
       kTold,
       "rank 0: reduce_async_any\\(\\) of a value of type double, where "
       "run_pool has a result of type unsigned long$"},
      {"merges_another_type", in_task<[] { merge_async_any(1.5); }>, kTold,
       "rank \\d: merge\\(\\) of a value of type double, where run_pool has a "
       "result of type unsigned long$"},

      {"by_reference", in_task<by_reference>, kTold, kStack},
      {"list_by_reference", in_task<a_list_by_reference>, kTold, kStack},
      {"body_by_reference", in_root<body_by_reference>},
      {"two_runs", two_runs},
      {"no_place_for_the_result", without_a_place_for_the_result, kTold,
       "^magpie: run_pool was given a null pointer for the result"},
  };
  for (Mistake& mistake : all) {
    if (is_alone && mistake.flags == kTwoRanks) mistake.flags = kOneRank;
  }
  return all;
}

// A pool whose ranks search may run both tasks on one rank.
bool can_be_made(const Mistake& m, const std::string&) {
  const PoolTraits traits = pool_seam::traits();
  return m.name != std::string("partial_that_is_read_meanwhile") ||
         traits.takes_one_rank || !traits.searches;
}

}  // namespace
}  // namespace magpie::mistakes

int main(int argc, char** argv) {
  using namespace magpie::mistakes;
  return make_or_list({argc, argv}, {mistakes()}, can_be_made);
}
