#include "tests/mistakes/deeds.h"

#include <alloca.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace magpie::mistakes {
namespace {

[[gnu::noinline]] long recurses(long n) {
  volatile long here = n;
  return (n < 0 ? 0 : recurses(n + 1)) + here;
}

}  // namespace

void crashes() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}
void exhausts_the_stack() { recurses(0); }
void large_frame() {
  volatile char* const large = static_cast<char*>(alloca(32 << 20));
  large[0] = 1;
}

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
