// Makes a mistake, for mistakes_test.py.
//
//   mistakes              lists them: name, flags, how it must end, words;
//                         less those of flags that the runtime does not have
//   mistakes NAME FLAGS   makes it

#include <cstdio>
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tests/mistakes/mistakes.h"

namespace magpie::mistakes {
namespace {

constexpr const char* kEnds[] = {"well", "goes_on", "warned", "told", "dies"};

bool has_flags_of(const Mistake& mistake) {
  static const std::string help = seam::flags_help();
  for (absl::string_view flag :
       absl::StrSplit(mistake.flags, ' ', absl::SkipEmpty())) {
    if (!absl::StrContains(help, flag.substr(0, flag.find('=')))) return false;
  }
  return true;
}

int main(CommandLine line) {
  const std::string_view name = line.argc > 1 ? line.argv[1] : "";
  for (const auto& mistakes : {futures(), addresses(), runs(), endings()}) {
    for (const Mistake& m : mistakes) {
      if (name == m.name) return m.make({line.argc - 1, line.argv + 1});
      if (name.empty() && has_flags_of(m)) {
        std::printf("%s\t%s\t%s\t%s\n", m.name, m.flags,
                    kEnds[static_cast<int>(m.end)], m.words);
      }
    }
  }
  return name.empty() ? 0 : 2;
}

}  // namespace
}  // namespace magpie::mistakes

int main(int argc, char** argv) { return magpie::mistakes::main({argc, argv}); }
