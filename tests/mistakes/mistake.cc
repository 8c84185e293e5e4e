#include "tests/mistakes/mistake.h"

#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace magpie::mistakes {
namespace {

bool meets_flags(const Mistake& mistake, absl::string_view flags,
                 const std::string& known) {
  const bool is_unknown = absl::StrContains(mistake.words, "unknown: ");
  for (const absl::string_view flag : absl::StrSplit(flags, ' ')) {
    const absl::string_view name = flag.substr(0, flag.find('='));
    if (name != "--ranks" && absl::StrContains(known, name) == is_unknown)
      return false;
  }
  return true;
}

}  // namespace

std::vector<Mistake>& mistakes() {
  static std::vector<Mistake> all;
  return all;
}

bool list_refusals(int (*made)(CommandLine),
                   const std::vector<Refusal>& refusals) {
  for (const auto& [flag, value, allowed] : refusals) {
    const std::string given = absl::StrCat(flag, "=", value);
    Listed({given, made, kRefused,
            absl::StrCat(flag, ": ", value, " is not ", allowed),
            absl::StrCat("--ranks=1 ", given, "|--ranks=2 ", given)});
  }
  return true;
}

int make_or_list(CommandLine line, const std::string& flags_help,
                 bool takes_one_rank) {
  constexpr const char* kEnds[] = {"well", "goes_on", "warned",
                                   "told", "refused", "dies"};
  const std::string name = line.argc > 1 ? line.argv[1] : "";
  for (const Mistake& m : mistakes()) {
    if (name == m.name) return m.make({line.argc - 1, line.argv + 1});
    if (!name.empty() || (m.where != nullptr && !m.where())) continue;
    for (const absl::string_view flags : absl::StrSplit(m.flags, '|')) {
      if (!meets_flags(m, flags, flags_help) ||
          (takes_one_rank && absl::StrContains(flags, kTwoRanks)))
        continue;
      const absl::string_view end = kEnds[static_cast<int>(m.end)];
      const std::string words = m.end <= kGoesOn ? "" : m.words;
      std::puts(
          absl::StrCat(m.name, "\t", flags, "\t", end, "\t", words).c_str());
    }
  }
  return name.empty() ? 0 : 2;
}

}  // namespace magpie::mistakes
