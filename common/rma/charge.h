// What a rank's own work costs where ranks are simulated. Included by rma.h.

#ifndef MAGPIE_COMMON_RMA_CHARGE_H_
#define MAGPIE_COMMON_RMA_CHARGE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/rma/backend.h"

namespace magpie::rma {

// A kind of work, which the layer that does it defines at namespace scope:
//
//   inline const rma::Cost kSpawn("spawn");
//
// What a unit of it takes stands in the simulated machine's table under that
// name; where the machine has no figure for it, it takes no time. Costs of the
// same name are one.
class Cost {
 public:
  // REQUIRES: main() has not begun; `name` is a literal, as a flag's is.
  explicit Cost(const char* name);
  Cost(const Cost&) = delete;
  Cost& operator=(const Cost&) = delete;

  // Its name's place in names().
  size_t index() const { return index_; }

  // Of all that the program defines: from main() on they stay as they are.
  static std::span<const char* const> names();

 private:
  const size_t index_;
};

// Accounts for `amount` units of work that the program has really done.
// Nothing on real networks.
inline void charge(const Cost& what, uint64_t amount = 1) {
  if (const SimHooks* sim = kBackend.sim) [[unlikely]]
    sim->charge(what, amount);
}

namespace internal {
template <const Cost& kCost, auto kBody, typename... Args>
[[gnu::noinline]] void charge_first(Args... args) {
  charge(kCost);
  kBody(args...);
}
template <auto kBody, typename... Args>
[[gnu::noinline]] void simulated(Args... args) {
  kBody(args...);
}
}  // namespace internal

// kBody(args...), compiled twice, for simulated ranks and for real ones: in the
// latter no access to a Word asks which it is. For bodies of a few
// instructions.
template <auto kBody, typename... Args>
[[gnu::always_inline]] inline void specialized(Args... args) {
  if (kBackend.sim != nullptr) [[unlikely]]
    return internal::simulated<kBody>(args...);
  kBody(args...);
}

// Tells the compiler that this rank is a real one, as `specialized` does.
[[gnu::always_inline]] inline void assume_not_simulated() {
  if (kBackend.sim != nullptr) __builtin_unreachable();
}

// The same, charged for: a call in the midst of the body would burden it on
// real networks too.
template <const Cost& kCost, auto kBody, typename... Args>
[[gnu::always_inline]] inline void charged(Args... args) {
  if (kBackend.sim != nullptr) [[unlikely]]
    return internal::charge_first<kCost, kBody>(args...);
  kBody(args...);
}

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_CHARGE_H_
