// Makes a mistake, for mistakes_test.py.
//
//   mistakes              lists them: name, flags, how it must end, words
//   mistakes NAME FLAGS   makes it

#include <cstdio>
#include <string_view>

#include "tests/mistakes/mistakes.h"

namespace magpie::mistakes {
namespace {

constexpr const char* kEnds[] = {"well", "goes_on", "warned", "told", "dies"};

int main(CommandLine line) {
  const std::string_view name = line.argc > 1 ? line.argv[1] : "";
  for (const auto& mistakes : {futures(), addresses(), runs(), endings()}) {
    for (const Mistake& m : mistakes) {
      if (name == m.name) return m.make({line.argc - 1, line.argv + 1});
      if (name.empty()) {
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
