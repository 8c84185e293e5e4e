// Where backends place what has the same address in every process, and where
// nothing lies.
//
// A task must not carry addresses, and is looked through for words that are
// one. No ordinary value should be: neither a double (these are denormal), nor
// a pair of 32-bit integers that a program counts with.

#ifndef MAGPIE_COMMON_RMA_ADDRESSES_H_
#define MAGPIE_COMMON_RMA_ADDRESSES_H_

#include <cstddef>
#include <cstdint>

namespace magpie::rma::internal {

// Below the region so much is kept free, since a large frame steps over the
// guard page: a fault there is the region's end.
inline constexpr size_t kGuardReach = 64 << 20;

#if defined(__aarch64__)

// Within 39 bits, which every AArch64 kernel has. So the upper half of an
// address is below 128, a small integer whatever we choose; the lower half is
// -1.9 billion and up. The region is no pair of small integers up to 1.7 GiB;
// beyond, it is every pair whose second is 94, or a little more.
inline constexpr uintptr_t kRegionAddress = 0x5d'8a00'0000;
inline constexpr uintptr_t kPeersAddress = 0x2d'8a00'0000;

#else

// The kernel places programs and their heaps at 0x5555'5555'4000 and up,
// libraries down from 0x7fff'ffff'f000, or up from 0x2aaa'aaaa'a000 without a
// stack limit, each up to 16 TiB off. As two integers, the region is -1.9
// billion and up beside 28,001; beyond 1.7 GiB, any beside 28,002, with 64 GiB
// up to 28,017.
inline constexpr uintptr_t kRegionAddress = 0x6d61'8a00'0000;
inline constexpr uintptr_t kPeersAddress = 0x3d61'8a00'0000;

#endif

// Nothing is ever mapped here: what code gets that takes itself for a rank's
// outside a run, or for a task before there are any. A place for each kind of
// runtime's object on a rank, with one behind it for that object where a run of
// the other kind is under way; and one for a rank's memory.
inline constexpr uintptr_t kNobodysRuntime = kRegionAddress - 2 * kGuardReach;
inline constexpr uintptr_t kRuntimeInAPool = kNobodysRuntime + (1 << 19);
inline constexpr uintptr_t kNobodysPool = kNobodysRuntime + (1 << 20);
inline constexpr uintptr_t kPoolInARuntime = kNobodysPool + (1 << 19);
inline constexpr uintptr_t kNobodysMemory = kNobodysPool + (1 << 20);
inline constexpr uintptr_t kNobodysEnd = kNobodysRuntime + kGuardReach;
// For all segments side by side there is room up to here, at least.
inline constexpr size_t kPeersReach = size_t{128} << 30;

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_ADDRESSES_H_
