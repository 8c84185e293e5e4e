#include "tests/mistakes/written.h"

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace magpie::mistakes {

long written_by_all = 0;

const std::vector<long>& made_when_needed() {
  static const std::vector<long> table(10, 1);
  return table;
}

void use_the_library() {
  try {
    throw std::runtime_error("caught");
  } catch (const std::exception&) {
  }
  std::ostringstream text;
  text << 1.5 << ' ' << 7;
  if (text.str() != "1.5 7") std::abort();
  std::thread([] {}).join();
}

}  // namespace magpie::mistakes
