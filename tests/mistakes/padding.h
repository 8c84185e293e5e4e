// Objects in whose padding an address may be left: that is no mistake.

#ifndef MAGPIE_TESTS_MISTAKES_PADDING_H_
#define MAGPIE_TESTS_MISTAKES_PADDING_H_

#include <array>

namespace magpie::mistakes {

struct Padded {
  char a;
  long b;
};

// Calls use(padded) several times, each time with a new object that lies where
// addresses were before.
template <typename Use>
void with_dirty_padding(Use use) {
  const auto dirty = [] {
    long local;
    std::array<long*, 16> addresses;
    addresses.fill(&local);
    asm volatile("" ::"m"(addresses));
  };
  for (int i = 0; i < 10; ++i) {
    dirty();
    Padded padded;
    padded.a = 1;
    padded.b = i;
    use(padded);
  }
}

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_PADDING_H_
