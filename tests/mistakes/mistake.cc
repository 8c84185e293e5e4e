#include "tests/mistakes/mistake.h"

#include <cstdio>
#include <sstream>
#include <string_view>

namespace magpie::mistakes {

int make_or_list(CommandLine line,
                 std::initializer_list<std::span<const Mistake>> mistakes,
                 bool (*can_be_made)(const Mistake&, const std::string&)) {
  constexpr const char* kEnds[] = {"well", "goes_on", "warned",
                                   "told", "refused", "dies"};
  const std::string_view name = line.argc > 1 ? line.argv[1] : "";
  for (const std::span<const Mistake>& part : mistakes) {
    for (const Mistake& m : part) {
      if (name == m.name) return m.make({line.argc - 1, line.argv + 1});
      if (!name.empty() || (m.where != nullptr && !m.where())) continue;
      std::istringstream all(m.flags);
      for (std::string flags; std::getline(all, flags, '|');) {
        if (!can_be_made(m, flags)) continue;
        std::printf("%s\t%s\t%s\t%s\n", m.name, flags.c_str(),
                    kEnds[static_cast<int>(m.end)],
                    m.end <= kGoesOn ? "" : m.words);
      }
    }
  }
  return name.empty() ? 0 : 2;
}

}  // namespace magpie::mistakes
