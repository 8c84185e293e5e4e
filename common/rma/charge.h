// What a rank's own work costs where ranks are simulated. Included by rma.h.

#ifndef MAGPIE_COMMON_RMA_CHARGE_H_
#define MAGPIE_COMMON_RMA_CHARGE_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/backend.h"

namespace magpie::rma {

// What a simulated rank's own work costs, in the units of the simulated
// machine's cost model.
enum class Cost : uint8_t {
  kSpawn,
  kJoin,
  // A task suspends and is resumed.
  kContextSwitch,
  // A task gets a stack of its own, and gives it back when it has ended.
  kTaskStack,
  kCopyByte,
  // A node of UTS is looked at.
  kNode
};
inline constexpr size_t kCosts = static_cast<size_t>(Cost::kNode) + 1;

// Accounts for `amount` units of work that the program has really done.
// Nothing on real networks.
inline void charge(Cost what, uint64_t amount = 1) {
  if (const SimHooks* sim = kBackend.sim) [[unlikely]]
    sim->charge(what, amount);
}

namespace internal {
template <Cost kCost, auto kBody, typename... Args>
[[gnu::noinline]] void charge_first(Args... args) {
  charge(kCost);
  kBody(args...);
}
}  // namespace internal

// kBody(args...), charged for: for bodies of a few instructions, which a call
// in their midst would burden on real networks too. The one body is compiled
// for both.
template <Cost kCost, auto kBody, typename... Args>
[[gnu::always_inline]] inline void charged(Args... args) {
  if (kBackend.sim != nullptr) [[unlikely]]
    return internal::charge_first<kCost, kBody>(args...);
  kBody(args...);
}

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_CHARGE_H_
