#include <span>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "common/task_pool/task_pool.h"
#include "tests/mistakes/mistake.h"
#include "tests/mistakes/pool_mistakes.h"

namespace magpie::mistakes {
namespace {

int runs(CommandLine line) {
  return run_pool(line.argc, line.argv, [] {});
}

template <uint32_t kBytes>
struct TasksOf {
  static constexpr uint32_t kTaskBytes = kBytes;
  void operator()() const {}
};
template <uint32_t kBytes>
int runs_tasks_of(CommandLine line) {
  return run_pool(line.argc, line.argv, TasksOf<kBytes>{});
}

constexpr Mistake kMistakes[] = {
    {"no_such_flag", "--ranks=1 --no_such_flag", End::kRefused,
     "unknown: --no_such_flag; allowed: .* --address_scan", runs},
    {"queue_of_nothing", "--ranks=1 --queue_bytes=0", End::kRefused,
     "--queue_bytes: 0 is not a size from 1K to \\d+[MG] ", runs},
    {"queue_of_no_number", "--ranks=1 --queue_bytes=12Q", End::kRefused,
     "--queue_bytes: 12Q is not a size from 1K to \\d+[MG] ", runs},
    {"inbox_of_nothing", "--ranks=2 --inbox_bytes=0", End::kRefused,
     "--inbox_bytes: 0.*1 to 64G", runs},
    {"more_than_memory", "--ranks=4096 --inbox_bytes=64G", End::kRefused,
     "--ranks=4096.*(memory|smaller segments)", runs},
    // As many places as a stealval tells apart.
    {"queue_of_a_stealval", "--ranks=1 --queue_bytes=100M", End::kWell, "",
     runs_tasks_of<192>},
    {"queue_beyond_a_stealval", "--ranks=2 --queue_bytes=102401K",
     End::kRefused, "--queue_bytes: 102401K is not a size from 1K to 100M ",
     runs_tasks_of<192>},
    {"queue_of_small_tasks_of_a_stealval", "--ranks=1 --queue_bytes=16M",
     End::kWell, "", runs_tasks_of<24>},
    {"queue_of_small_tasks_beyond_a_stealval", "--ranks=1 --queue_bytes=64G",
     End::kRefused, "--queue_bytes: 64G is not a size from 1K to 16M ",
     runs_tasks_of<24>},
    {"backoff_of_nothing", "--ranks=2 --backoff=0", End::kRefused,
     "--backoff: 0 is not an integer from 1 to 1048576$", runs},
    {"forced_steal_of_none", "--ranks=1 --forced_steal", End::kRefused,
     "unknown: --forced_steal; allowed: ", runs},

    // Lifelines.
    {"victims_below_none", "--ranks=2 --random_victims=-1", End::kRefused,
     "--random_victims: -1 is not an integer from 0 to 1024$", runs},
    {"radix_of_no_integer", "--ranks=2 --lifeline_radix=2.5", End::kRefused,
     "--lifeline_radix: 2.5 is not an integer from 0 to 1073741824$", runs},
    {"radix_too_large", "--ranks=2 --lifeline_radix=1073741825", End::kRefused,
     "--lifeline_radix: 1073741825 is not an integer from 0 to 1073741824$",
     runs},
    {"radix_of_one", "--ranks=2 --lifeline_radix=1", End::kRefused,
     "--lifeline_radix=1: allowed: 2 to 1073741824, or 0 for as needed$", runs},
    {"dimension_too_large", "--ranks=2 --lifeline_dimension=31", End::kRefused,
     "--lifeline_dimension: 31 is not an integer from 0 to 30$", runs},
    {"dimension_below_none", "--ranks=2 --lifeline_dimension=-1", End::kRefused,
     "--lifeline_dimension: -1 is not an integer from 0 to 30$", runs},
    {"loot_of_nothing", "--ranks=2 --loot_bytes=0", End::kRefused,
     "--loot_bytes: 0 is not a size from 1 to 1G", runs},
    {"loot_too_large", "--ranks=2 --loot_bytes=2G", End::kRefused,
     "--loot_bytes: 2G is not a size from 1 to 1G", runs},
    {"static_data_of_nothing", "--ranks=1 --static_bytes=0", End::kRefused,
     "--static_bytes: 0 is not a size from 1 to 64G", runs},
    {"step_of_no_task", "--ranks=1 --tasks_per_step=0", End::kRefused,
     "--tasks_per_step: 0 is not an integer from 1 to 1073741824$", runs},

    // Places of several ranks.
    {"workers_below_none", "--ranks=2 --workers_per_place=-1", End::kRefused,
     "--workers_per_place: -1 is not an integer from 0 to 1048576$", runs},
    {"workers_too_many", "--ranks=2 --workers_per_place=1048577", End::kRefused,
     "--workers_per_place: 1048577 is not an integer from 0 to 1048576$", runs},
    {"workers_without_places", "--ranks=1 --workers_per_place=1", End::kRefused,
     "unknown: --workers_per_place=1; allowed: ", runs},
    {"steal_by_no_way", "--ranks=2 --steal_by=pushing", End::kRefused,
     "--steal_by: pushing is not one of auto, pulling, asking$", runs},
    {"steal_by_without_places", "--ranks=1 --steal_by=pulling", End::kRefused,
     "unknown: --steal_by=pulling; allowed: ", runs},
    {"period_of_nothing", "--ranks=2 --period_us=0", End::kRefused,
     "--period_us: 0 is not an integer from 1 to 10000000$", runs},
    {"period_too_long", "--ranks=2 --period_us=10000001", End::kRefused,
     "--period_us: 10000001 is not an integer from 1 to 10000000$", runs},
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
