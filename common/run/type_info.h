// Facts that a runtime knows of a task and of a root task, and that a program
// knows of its runtime, whichever facade it is written against.

#ifndef MAGPIE_COMMON_RUN_TYPE_INFO_H_
#define MAGPIE_COMMON_RUN_TYPE_INFO_H_

#include <cstddef>
#include <cstdint>
#include <typeinfo>

namespace magpie {

// Facts that a runtime knows of a task: how to run it, and the shapes of its
// closure and its result. Aligned for AddressScan, which numbers types by their
// places.
struct alignas(64) TypeInfo {
  // See is_small.
  static constexpr uint32_t kSmallBytes = 64, kSmallAlign = 16;
  static constexpr uint32_t kMostConsumers = 16;

  // Runs the closure and constructs its result at `result`. Both are suitably
  // aligned.
  void (*invoke)(const void* closure, void* result);
  uint32_t closure_size, closure_align;
  // The size is 0 where there is no result, and else a multiple of the
  // alignment.
  uint32_t result_size, result_align;
  // Number of those that join or discard the result, each of them once: 1 to
  // kMostConsumers.
  uint32_t consumers;
  // Whether padding is cleared: every byte of a closure, and in debug builds of
  // a result, is a value.
  bool has_clean_bytes;
  // Shape of most tasks: closure and result have each less than kSmallBytes and
  // ask for no more than kSmallAlign, and there is one consumer. In one word,
  // for the path on which every spawn asks.
  bool is_small = closure_size < kSmallBytes && closure_align <= kSmallAlign &&
                  result_size < kSmallBytes && result_align <= kSmallAlign &&
                  consumers == 1;
};

// Facts that a runtime knows of the root task besides. The functions are null
// where the root does not have them.
struct RootInfo {
  TypeInfo task;
  // The shape of what the run results in; the size is 0 where that is nothing.
  uint32_t result_size, result_align;
  // Bytes of the symmetric heap that prepare() takes.
  size_t (*heap_bytes)(const void* closure);
  // Makes the calling rank's copy ready.
  void (*prepare)(void* closure);
  // The root's type.
  const std::type_info* name;
  // The type of what the run results in; null where that is nothing.
  const std::type_info* result_name;
};

struct RuntimeTraits {
  // The composition's name, as reports print it: "cont_greedy", "pool_sws".
  const char* name;
};

}  // namespace magpie

// Defines what the seams of both facades have, by the static functions of the
// class `R` (SeamOfRank has them) and the runtime's traits. `Info` is the
// root's.
#define MAGPIE_COMMON_SEAM(R, Info, traits)                            \
  int run(const std::vector<std::string>& arguments, const Info* root, \
          const void* closure, void* result, RunReport* report) {      \
    return R::run(arguments, root, closure, result, report);           \
  }                                                                    \
  const void* root_closure(const std::type_info& type) {               \
    return R::root_closure(type);                                      \
  }                                                                    \
  bool is_ending() { return R::is_ending(); }                          \
  std::string flags_help() { return R::flags_help(traits.name); }

#endif  // MAGPIE_COMMON_RUN_TYPE_INFO_H_
