#include <span>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "common/task_pool/task_pool.h"
#include "tests/mistakes/mistake.h"
#include "tests/mistakes/pool_mistakes.h"

namespace magpie::mistakes {
namespace {

template <uint32_t kBytes>
struct TasksOf {
  static constexpr uint32_t kTaskBytes = kBytes;
  void operator()() const {}
};
constexpr auto runs = in_root<[] {}>;

constexpr Mistake kMistakes[] = {
    {"no_such_flag", runs, kRefused,
     "unknown: --no_such_flag; allowed: .* --address_scan",
     "--ranks=1 --no_such_flag"},
    {"queue_of_nothing", runs, kRefused,
     "--queue_bytes: 0 is not a size from 1K to \\d+[MG] ",
     "--ranks=1 --queue_bytes=0"},
    {"queue_of_no_number", runs, kRefused,
     "--queue_bytes: 12Q is not a size from 1K to \\d+[MG] ",
     "--ranks=1 --queue_bytes=12Q"},
    {"inbox_of_nothing", runs, kRefused, "--inbox_bytes: 0.*1 to 64G",
     "--ranks=2 --inbox_bytes=0"},
    {"more_than_memory", runs, kRefused,
     "--ranks=4096.*(memory|smaller segments)",
     "--ranks=4096 --inbox_bytes=64G"},
    // As many places as a stealval tells apart.
    {"queue_of_a_stealval", run_root<TasksOf<192>>, kWell, "",
     "--ranks=1 --queue_bytes=100M"},
    {"queue_beyond_a_stealval", run_root<TasksOf<192>>, kRefused,
     "--queue_bytes: 102401K is not a size from 1K to 100M ",
     "--ranks=2 --queue_bytes=102401K"},
    {"queue_of_small_tasks_of_a_stealval", run_root<TasksOf<24>>, kWell, "",
     "--ranks=1 --queue_bytes=16M"},
    {"queue_of_small_tasks_beyond_a_stealval", run_root<TasksOf<24>>, kRefused,
     "--queue_bytes: 64G is not a size from 1K to 16M ",
     "--ranks=1 --queue_bytes=64G"},
    {"backoff_of_nothing", runs, kRefused,
     "--backoff: 0 is not an integer from 1 to 1048576$",
     "--ranks=2 --backoff=0"},
    {"forced_steal_of_none", runs, kRefused,
     "unknown: --forced_steal; allowed: ", "--ranks=1 --forced_steal"},

    // Lifelines.
    {"victims_below_none", runs, kRefused,
     "--random_victims: -1 is not an integer from 0 to 1024$",
     "--ranks=2 --random_victims=-1"},
    {"radix_of_no_integer", runs, kRefused,
     "--lifeline_radix: 2.5 is not an integer from 0 to 1073741824$",
     "--ranks=2 --lifeline_radix=2.5"},
    {"radix_too_large", runs, kRefused,
     "--lifeline_radix: 1073741825 is not an integer from 0 to 1073741824$",
     "--ranks=2 --lifeline_radix=1073741825"},
    {"radix_of_one", runs, kRefused,
     "--lifeline_radix=1: allowed: 2 to 1073741824, or 0 for as needed$",
     "--ranks=2 --lifeline_radix=1"},
    {"dimension_too_large", runs, kRefused,
     "--lifeline_dimension: 31 is not an integer from 0 to 30$",
     "--ranks=2 --lifeline_dimension=31"},
    {"dimension_below_none", runs, kRefused,
     "--lifeline_dimension: -1 is not an integer from 0 to 30$",
     "--ranks=2 --lifeline_dimension=-1"},
    {"loot_of_nothing", runs, kRefused,
     "--loot_bytes: 0 is not a size from 1 to 1G", "--ranks=2 --loot_bytes=0"},
    {"loot_too_large", runs, kRefused,
     "--loot_bytes: 2G is not a size from 1 to 1G",
     "--ranks=2 --loot_bytes=2G"},
    {"static_data_of_nothing", runs, kRefused,
     "--static_bytes: 0 is not a size from 1 to 64G",
     "--ranks=1 --static_bytes=0"},
    {"step_of_no_task", runs, kRefused,
     "--tasks_per_step: 0 is not an integer from 1 to 1073741824$",
     "--ranks=1 --tasks_per_step=0"},

    // Places of several ranks.
    {"workers_below_none", runs, kRefused,
     "--workers_per_place: -1 is not an integer from 0 to 1048576$",
     "--ranks=2 --workers_per_place=-1"},
    {"workers_too_many", runs, kRefused,
     "--workers_per_place: 1048577 is not an integer from 0 to 1048576$",
     "--ranks=2 --workers_per_place=1048577"},
    {"workers_without_places", runs, kRefused,
     "unknown: --workers_per_place=1; allowed: ",
     "--ranks=1 --workers_per_place=1"},
    {"steal_by_no_way", runs, kRefused,
     "--steal_by: pushing is not one of auto, pulling, asking$",
     "--ranks=2 --steal_by=pushing"},
    {"steal_by_without_places", runs, kRefused,
     "unknown: --steal_by=pulling; allowed: ", "--ranks=1 --steal_by=pulling"},
    {"period_of_nothing", runs, kRefused,
     "--period_us: 0 is not an integer from 1 to 10000000$",
     "--ranks=2 --period_us=0"},
    {"period_too_long", runs, kRefused,
     "--period_us: 10000001 is not an integer from 1 to 10000000$",
     "--ranks=2 --period_us=10000001"},
};

}  // namespace

std::span<const Mistake> pool_flags() { return kMistakes; }

bool meets_flags(const Mistake& mistake) {
  const std::string known = pool_seam::flags_help();
  const bool is_unknown = absl::StrContains(mistake.words, "unknown: ");
  for (const auto flag : absl::StrSplit(mistake.flags, ' ')) {
    const absl::string_view name = flag.substr(0, flag.find('='));
    if (name == "--ranks") continue;
    if (absl::StrContains(known, name) == is_unknown) return false;
  }
  return true;
}

}  // namespace magpie::mistakes
