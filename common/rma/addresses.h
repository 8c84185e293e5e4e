// Addresses of backends' memory, the same ones in every process, and addresses
// where nothing lies.
//
// A task must not carry addresses, so its words are searched for them. No
// ordinary value should look like an address: neither a double (as doubles,
// these are denormal), nor a pair of 32-bit integers that a program counts
// with.

#ifndef MAGPIE_COMMON_RMA_ADDRESSES_H_
#define MAGPIE_COMMON_RMA_ADDRESSES_H_

#include <cstddef>
#include <cstdint>

namespace magpie::rma::internal {

// Bytes kept free below the region, since a large frame steps over the guard
// page: a fault there means that the region is exhausted.
inline constexpr size_t kGuardReach = 64 << 20;

#if defined(__aarch64__)

// The addresses are within 39 bits, which every AArch64 kernel has. So the
// upper half of an address is below 128, a small integer whatever we choose;
// the lower half is -1.9 billion and up. In the region's first 1.7 GiB no
// address is a pair of small integers; beyond, addresses are all pairs whose
// second is 94, or a little more.
inline constexpr uintptr_t kRegionAddress = 0x5d'8a00'0000;
inline constexpr uintptr_t kPeersAddress = 0x2d'8a00'0000;

#else

// The kernel places programs and their heaps at 0x5555'5555'4000 and up,
// libraries down from 0x7fff'ffff'f000, or up from 0x2aaa'aaaa'a000 without a
// stack limit, each up to 16 TiB off. Read as two 32-bit integers, an address
// in the region's first 1.7 GiB is -1.9 billion or more beside 28,001; beyond,
// it is any integer beside 28,002, or up to 28,017 in a region of 64 GiB.
inline constexpr uintptr_t kRegionAddress = 0x6d61'8a00'0000;
inline constexpr uintptr_t kPeersAddress = 0x3d61'8a00'0000;

#endif

// Here and in the kGuardReach bytes behind, nothing is ever mapped. Code gets
// this address that believes to be a rank's outside a run, or calls a runtime
// that the rank has not, and faults.
inline constexpr uintptr_t kNobodysAddress = kRegionAddress - 2 * kGuardReach;
// Bytes from kPeersAddress on that are free for all segments, at least.
inline constexpr size_t kPeersReach = size_t{128} << 30;

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_ADDRESSES_H_
