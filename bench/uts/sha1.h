// SHA-1 as the Unbalanced Tree Search benchmark uses it: one 64-byte block per
// tree node, nothing else.
//
// A node's state is a SHA-1 digest kept as five 32-bit words (word 0 is the
// first four bytes, big-endian), so that no byte is ever swapped:
//
//   state of child i = SHA-1(20 bytes of the parent's state, i as 4 bytes)
//   state of the root = SHA-1(16 zero bytes, the seed as 4 bytes)
//
// all integers big-endian. Two kernels compute the same function: a portable
// one, and one on the x86 SHA extensions ("SHA-NI"). Which of them runs is a
// value the caller carries (see Tree in tree.h), never global state.

#ifndef MAGPIE_BENCH_UTS_SHA1_H_
#define MAGPIE_BENCH_UTS_SHA1_H_

#include <array>
#include <cstdint>

namespace magpie::uts {

// A SHA-1 digest or chaining value, as words in host byte order.
using Sha1State = std::array<uint32_t, 5>;

// kAuto stands for "the best this processor has"; resolve_sha1 replaces it.
enum class Sha1Kernel : uint8_t { kAuto, kPortable, kNi };

// Whether this processor (and this build: x86-64 only) can run kNi.
// Cost: three CPUID instructions; call it once, not in a loop.
bool has_sha1_ni();

// kPortable or kNi, never kAuto. On a cluster of unlike processors the answer
// differs between ranks, while a tree travels with its tasks: choose kPortable
// there.
// REQUIRES: not kNi where has_sha1_ni() is false.
Sha1Kernel resolve_sha1(Sha1Kernel wanted);

// The root's state for `seed`; a negative seed counts as its two's complement.
Sha1State sha1_root(int32_t seed);

// The state of child `index`. Cost: one block, some 300 cycles portable.
Sha1State sha1_child_portable(const Sha1State& parent, uint32_t index);

// The same by SHA-NI. REQUIRES: has_sha1_ni().
Sha1State sha1_child_ni(const Sha1State& parent, uint32_t index);

}  // namespace magpie::uts

#endif  // MAGPIE_BENCH_UTS_SHA1_H_
