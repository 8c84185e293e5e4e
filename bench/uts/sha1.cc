#include "bench/uts/sha1.h"

#include <cstdlib>

#include "bench/uts/sha1_block.h"
#include "bench/uts/sha1_ni.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace magpie::uts {

bool HasSha1Ni() {
#if defined(__x86_64__)
  // CPUID leaf 7: EBX bit 29 is SHA. Leaf 1: ECX bit 19 is SSE4.1.
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return false;
  if ((ecx & (1u << 19)) == 0) return false;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return false;
  return (ebx & (1u << 29)) != 0;
#else
  return false;
#endif
}

Sha1Kernel ResolveSha1(Sha1Kernel wanted) {
  if (wanted != Sha1Kernel::kAuto) return wanted;
  return HasSha1Ni() ? Sha1Kernel::kNi : Sha1Kernel::kPortable;
}

Sha1State Sha1Root(int32_t seed) {
  return internal::Sha1Compress(
      internal::kSha1Init, {0, 0, 0, 0, static_cast<uint32_t>(seed), 0x80000000,
                            0, 0, 0, 0, 0, 0, 0, 0, 0, 20 * 8});
}

Sha1State Sha1ChildPortable(const Sha1State& parent, uint32_t index) {
  return internal::Sha1Compress(internal::kSha1Init,
                                internal::ChildBlock(parent, index));
}

#if defined(__x86_64__)
[[gnu::target("sha,sse4.1")]] Sha1State Sha1ChildNi(const Sha1State& parent,
                                                    uint32_t index) {
  return internal::Sha1CompressNi<internal::HardwareSha1>(
      internal::kSha1Init, internal::ChildBlock(parent, index));
}
#else
Sha1State Sha1ChildNi(const Sha1State&, uint32_t) {
  std::abort();  // REQUIRED: HasSha1Ni(), which is false here.
}
#endif

}  // namespace magpie::uts
