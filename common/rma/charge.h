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
[[gnu::noinline]] auto charge_first(Args... args) {
  charge(kCost);
  return kBody(args...);
}
}  // namespace internal

// Charges for kBody(args...) and returns what that does. It is compiled twice,
// for simulated ranks and for real ones: for the latter there is nothing of a
// charge in it, and no access to a Word asks which they are. For bodies of a
// few instructions.
template <const Cost& kCost, auto kBody, typename... Args>
[[gnu::always_inline]] inline auto charged(Args... args) {
  if (kBackend.sim != nullptr) [[unlikely]]
    return internal::charge_first<kCost, kBody>(args...);
  return kBody(args...);
}

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_CHARGE_H_
