// Tasks that run on top of others, since a bag is full: as many as a bounded
// part of the stack holds. For pools.

#ifndef MAGPIE_COMMON_TASK_POOL_NESTING_H_
#define MAGPIE_COMMON_TASK_POOL_NESTING_H_

#include <cstddef>
#include <cstdint>

namespace magpie {

class Nesting {
 public:
  // Bytes of the stack that such tasks may take.
  static constexpr int64_t kMostBytes = 64 << 10;

  // Calls use() on top of the task that runs. False: it does not, since too
  // many tasks run so already.
  template <typename Use>
  bool on_top(Use use) {
    const auto* const frame =
        static_cast<const std::byte*>(__builtin_frame_address(0));
    const auto* const outermost = from_;
    if (outermost == nullptr) from_ = frame;
    const bool has_room = from_ - frame <= kMostBytes;
    if (has_room) use();
    from_ = outermost;
    return has_room;
  }

 private:
  // The frame of the first of them; or null.
  const std::byte* from_ = nullptr;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_NESTING_H_
