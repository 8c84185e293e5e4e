// Looks for addresses where a task must not have any.
//
// A closure or a result may go to another process, where the sender's stack and
// heap do not exist. That it is trivially copyable does not say that it holds
// no pointers: a lambda that captures by reference passes. Debug builds
// (-c dbg) look at each word of it.

#ifndef MAGPIE_COMMON_FORK_JOIN_ADDRESS_SCAN_H_
#define MAGPIE_COMMON_FORK_JOIN_ADDRESS_SCAN_H_

#include <cstddef>
#include <type_traits>

namespace magpie::internal {

#ifdef NDEBUG
inline constexpr bool kScanForAddresses = false;
#else
inline constexpr bool kScanForAddresses = true;
#endif

// Ends the job in words when an aligned word of [bytes, bytes + size) is an
// address of the region in which tasks run, of this process's stack, or of its
// heap. `what` is "closure" or "result". An integer may look like an address by
// chance; one of the heap only when it is a multiple of 16.
void refuse_addresses(const void* bytes, size_t size, const char* what);

// The same for a whole object in debug builds, nothing in others. Clears its
// padding, in which anything may be left; a compiler that cannot do that (Clang
// 14) looks at objects without padding only.
template <typename T>
void scan_for_addresses(T& object, const char* what) {
  if constexpr (kScanForAddresses) {
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&object);
#else
    if constexpr (!std::has_unique_object_representations_v<T>) return;
#endif
    refuse_addresses(&object, sizeof(object), what);
  }
}

}  // namespace magpie::internal

#endif  // MAGPIE_COMMON_FORK_JOIN_ADDRESS_SCAN_H_
