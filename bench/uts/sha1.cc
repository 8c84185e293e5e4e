#include "bench/uts/sha1.h"

#include <cstdlib>

#include "bench/uts/sha1_block.h"
#include "bench/uts/sha1_ni.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace magpie::uts {

bool has_sha1_ni() {
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

Sha1Kernel resolve_sha1(Sha1Kernel wanted) {
  if (wanted != Sha1Kernel::kAuto) return wanted;
  return has_sha1_ni() ? Sha1Kernel::kNi : Sha1Kernel::kPortable;
}

Sha1State sha1_root(int32_t seed) {
  return internal::sha1_compress(
      internal::kSha1Init, {0, 0, 0, 0, static_cast<uint32_t>(seed), 0x80000000,
                            0, 0, 0, 0, 0, 0, 0, 0, 0, 20 * 8});
}

Sha1State sha1_child_portable(const Sha1State& parent, uint32_t index) {
  return internal::sha1_compress(internal::kSha1Init,
                                 internal::child_block(parent, index));
}

#if defined(__x86_64__)
[[gnu::target("sha,sse4.1")]] Sha1State sha1_child_ni(const Sha1State& parent,
                                                      uint32_t index) {
  return internal::sha1_compress_ni<internal::HardwareSha1>(
      internal::kSha1Init, internal::child_block(parent, index));
}
#else
Sha1State sha1_child_ni(const Sha1State&, uint32_t) {
  // has_sha1_ni() is required, and false here.
  std::abort();
}
#endif

}  // namespace magpie::uts
