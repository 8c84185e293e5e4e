// Mistakes that users of the constructs of async_any.h make; and uses that are
// no mistakes.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "common/rma/rma.h"
#include "common/task_pool/async_any.h"
#include "tests/mistakes/pool.h"

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

// ------------------------------------------------------------------- finishes

void begins_a_finish() {
  finish_async_any([] {});
}
const std::string kWithin =
    "rank 0: finish_async_any was called within a finish; it is called by the "
    "root between finishes, of which a task that the root adds outside begins "
    "one$";
LISTED(in_task<begins_a_finish>, finish_in_a_task, kTold,
       "rank \\d: finish_async_any was called by a task; it is called by the "
       "root between finishes$");
LISTED(in_body<begins_a_finish>, finish_in_a_body, kTold, kWithin);
MISTAKE(in_root, finish_after_add, kTold, kWithin) {
  add([] {});
  begins_a_finish();
}
MISTAKE(in_root, finish_after_a_cancelable_task, kTold, kWithin) {
  cancelable_async_any([] {});
  begins_a_finish();
}
MISTAKE(in_root, cancels_in_the_root, kTold,
        "rank 0: cancel_all_cancelable_async_any was called outside of a "
        "finish$") {
  cancel_all_cancelable_async_any();
}
MISTAKE(in_body, place_below, kTold,
        "rank 0: static_async_any\\(-1\\): there are places 0 to \\d+$") {
  static_async_any(-1, {[] {}});
}
MISTAKE(in_task, place_beyond, kTold,
        "rank \\d: static_async_any\\(\\d+\\): there are places 0 to \\d+$") {
  cancelable_static_async_any(places(), {[] {}});
}

// ----------------------------------------------------------------- exceptions

struct Throws {
  void operator()() const { throw std::runtime_error("no such file"); }
};
const std::string kLeftABody =
    "rank 0: an exception left the body of a finish: no such file$";
MISTAKE(in_body, exception_of_a_body, kTold, kLeftABody) { Throws{}(); }
// A finish would be left without an end.
MISTAKE(in_root, exception_that_is_caught, kTold, kLeftABody) {
  try {
    finish_async_any(Throws{});
  } catch (const std::runtime_error&) {
  }
}
MISTAKE(in_body, exception_of_a_cancelable_task, kTold,
        "rank \\d: an exception left a task, "
        "magpie::mistakes::\\(anonymous namespace\\)::Throws: no such file$") {
  cancelable_async_any(Throws{});
}

// ---------------------------------------------------------------- static data

struct Few {
  uint32_t value;
};
void sets_few() { static_init(Few{3}); }
void reads_few() {
  if (static_data<Few>().value != 3) rma::fatal("another value");
}
void reads_few_elsewhere() {
  finish_async_any(
      [] { static_async_any(places() - 1, {[] { reads_few(); }}); });
}
MISTAKE(in_root, static_data_of_another_type, kTold,
        "rank \\d: static_data of type .*::Few, where static_init was given a "
        "int$") {
  static_init(3);
  reads_few_elsewhere();
}
LISTED(in_task<reads_few>, static_data_of_none, kTold,
       "rank \\d: static_data of type .*::Few, where static_init was not "
       "called before the finish$");
LISTED(in_body<sets_few>, static_data_set_too_late, kTold,
       "rank 0: static_init was called within a finish; it is called by the "
       "root between finishes, of which .*$");
LISTED(in_task<sets_few>, static_data_set_by_a_task, kTold,
       "rank \\d: static_init was called by a task; it is called by the root "
       "between finishes$");
LISTED(in_root<sets_few>, static_data_too_large_by_flag, kTold,
       "rank 0: static_init of a .*::Few of 4 bytes: raise --static_bytes=2$",
       "--ranks=2 --static_bytes=2");
MISTAKE(in_root, static_data_as_large, kWell, "",
        "--ranks=2 --static_bytes=4") {
  sets_few();
  reads_few_elsewhere();
}

// -------------------------------------------------------------------- results

void changes_in_place() { partial<uint64_t>() = 1; }
// A result that was changed in place is read when no task runs.
MISTAKE(in_root, partial) {
  for (int i = 0; i < 2; ++i) {
    finish_async_any([i] {
      if (i == 0) async_any([] { changes_in_place(); });
      if (i == 1) async_any([] { reduce_async_any<uint64_t>(); });
    });
    if (reduce_async_any<uint64_t>() != uint64_t{i == 0})
      rma::fatal("another result");
  }
}
void reads_what_is_in_place() {
  add_at(rma::size() - 1, [] {
    changes_in_place();
    add_at(0, [] { reduce_async_any<uint64_t>(); });
  });
}
// Whether tasks read what lies on another rank, which runs tasks, too. A pool
// whose ranks search may run both tasks on one rank.
bool is_read_elsewhere() {
  const std::string flags = pool_seam::flags_help();
  return absl::StrContains(flags, "--lifeline_radix") &&
         !absl::StrContains(flags, "--workers_per_place");
}
LISTED(in_root<reads_what_is_in_place>, partial_that_is_read_meanwhile, kTold,
       "rank 0: reduce_async_any\\(\\) was called while tasks run, and a task "
       "of rank 1 has called partial\\(\\): .*let tasks merge\\(\\)$",
       kTwoRanks, is_read_elsewhere);
MISTAKE(in_root, reduces_another_type, kTold,
        "rank 0: reduce_async_any\\(\\) of a value of type double, where "
        "run_pool has a result of type unsigned long$") {
  reduce_async_any<double>();
}
PROGRAM(two_runs) {
  for (uint64_t i = 1; i <= 2; ++i) {
    uint64_t result = 0;
    const int status = run_pool(
        line.argc, line.argv,
        [i] {
          for (uint64_t k = 0; k <= i; ++k) {
            finish_async_any([k] {
              cancel_all_cancelable_async_any();
              async_any([k] { merge_async_any(k); });
            });
          }
        },
        &result);
    if (status != 0 || result != i) return 4;
  }
  return 0;
}

// ------------------------------------------------------------------- closures

MISTAKE(in_task, by_reference, kTold, pool::kStack) {
  long sum = 0;
  cancelable_async_any([&] { sum += 1; });
}
MISTAKE(in_task, list_by_reference, kTold, pool::kStack) {
  long sum = 0;
  static_async_any(places() - 1, {[&] { sum += 1; }});
}

}  // namespace
}  // namespace magpie::mistakes

// A pool that takes one rank makes all mistakes on one.
int main(int argc, char** argv) {
  using namespace magpie::mistakes;
  for (Mistake& mistake : mistakes())
    if (pool::takes_one_rank())
      absl::StrReplaceAll({{kTwoRanks, kOneRank}}, &mistake.flags);
  return make_or_list({argc, argv}, pool::flags_help());
}
