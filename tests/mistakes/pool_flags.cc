#include <iterator>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
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
    {"more_than_memory", runs, kRefused,
     "--ranks=4096.*(memory|smaller segments)",
     "--ranks=4096 --inbox_bytes=64G"},
    // As many places as a stealval tells apart.
    {"queue_of_a_stealval", run_pool_root<TasksOf<192>>, kWell, "",
     "--ranks=1 --queue_bytes=100M"},
    {"queue_beyond_a_stealval", run_pool_root<TasksOf<192>>, kRefused,
     "--queue_bytes: 102401K is not a size from 1K to 100M ",
     "--ranks=2 --queue_bytes=102401K"},
    {"queue_of_small_tasks_of_a_stealval", run_pool_root<TasksOf<24>>, kWell,
     "", "--ranks=1 --queue_bytes=16M"},
    {"queue_of_small_tasks_beyond_a_stealval", run_pool_root<TasksOf<24>>,
     kRefused, "--queue_bytes: 64G is not a size from 1K to 16M ",
     "--ranks=1 --queue_bytes=64G"},
    {"forced_steal_of_none", runs, kRefused,
     "unknown: --forced_steal; allowed: ", "--ranks=1 --forced_steal"},
    {"radix_of_one", runs, kRefused,
     "--lifeline_radix=1: allowed: 2 to 1073741824, or 0 for as needed$",
     "--ranks=2 --lifeline_radix=1"},
    {"workers_without_places", runs, kRefused,
     "unknown: --workers_per_place=1; allowed: ",
     "--ranks=1 --workers_per_place=1"},
    {"steal_by_without_places", runs, kRefused,
     "unknown: --steal_by=pulling; allowed: ", "--ranks=1 --steal_by=pulling"},
};

// Values of flags that are refused, and the words that say what is allowed.
constexpr struct {
  const char *flag, *value, *allowed;
} kRefusals[] = {
    {"--queue_bytes", "0", "a size from 1K to \\d+[MG] "},
    {"--queue_bytes", "12Q", "a size from 1K to \\d+[MG] "},
    {"--inbox_bytes", "0", "a size from 1 to 64G"},
    {"--backoff", "0", "an integer from 1 to 1048576$"},
    {"--random_victims", "-1", "an integer from 0 to 1024$"},
    {"--lifeline_radix", "2.5", "an integer from 0 to 1073741824$"},
    {"--lifeline_radix", "1073741825", "an integer from 0 to 1073741824$"},
    {"--lifeline_dimension", "31", "an integer from 0 to 30$"},
    {"--lifeline_dimension", "-1", "an integer from 0 to 30$"},
    {"--loot_bytes", "0", "a size from 1 to 1G"},
    {"--loot_bytes", "2G", "a size from 1 to 1G"},
    {"--static_bytes", "0", "a size from 1 to 64G"},
    {"--tasks_per_step", "0", "an integer from 1 to 1073741824$"},
    {"--workers_per_place", "-1", "an integer from 0 to 1048576$"},
    {"--workers_per_place", "1048577", "an integer from 0 to 1048576$"},
    {"--steal_by", "pushing", "one of auto, pulling, asking$"},
    {"--period_us", "0", "an integer from 1 to 10000000$"},
    {"--period_us", "10000001", "an integer from 1 to 10000000$"},
};

}  // namespace

// Their names are the flags and the values that are refused.
std::span<const Mistake> pool_flags() {
  static std::list<std::string> texts;
  static std::vector<Mistake> all;
  const auto text = [](const auto&... parts) {
    return texts.emplace_back(absl::StrCat(parts...)).c_str();
  };
  if (!all.empty()) return all;
  all.assign(std::begin(kMistakes), std::end(kMistakes));
  for (const auto& [flag, value, allowed] : kRefusals) {
    all.push_back({text(flag, "=", value), runs, kRefused,
                   text(flag, ": ", value, " is not ", allowed),
                   text("--ranks=1 ", flag, "=", value, "|--ranks=2 ", flag,
                        "=", value)});
  }
  return all;
}

bool meets_flags(const Mistake& mistake, const std::string& flags) {
  const std::string known = pool_seam::flags_help();
  const bool is_unknown = absl::StrContains(mistake.words, "unknown: ");
  for (const auto flag : absl::StrSplit(flags, ' ')) {
    const absl::string_view name = flag.substr(0, flag.find('='));
    if (name == "--ranks") continue;
    if (absl::StrContains(known, name) == is_unknown) return false;
  }
  return true;
}

}  // namespace magpie::mistakes
