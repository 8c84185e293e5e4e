// The time that a rank's own work costs where ranks are simulated. Included by
// rma.h.

#ifndef MAGPIE_COMMON_RMA_CHARGE_H_
#define MAGPIE_COMMON_RMA_CHARGE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "common/rma/backend.h"

namespace magpie::rma {

// A kind of work, which the layer that does it defines at namespace scope:
//
//   inline const rma::Cost kSpawn("spawn");
//
// The simulated machine's table has the time of one unit under that name; work
// without a figure there takes no time. Costs of the same name are one.
class Cost {
 public:
  // REQUIRES: main() has not begun; `name` is a literal, as a flag's is.
  explicit Cost(const char* name) : index_(index_of(name)) {
    if (index_ == all_names().size()) all_names().push_back(name);
  }
  Cost(const Cost&) = delete;
  Cost& operator=(const Cost&) = delete;

  // Index of the name in names().
  size_t index() const { return index_; }

  // Names of all costs that the program defines, fixed from main() on.
  static std::span<const char* const> names() { return all_names(); }

 private:
  // The list grows only while the program's objects of static storage are
  // initialized, by one thread: before there are ranks, for which it is
  // constant, and the same in all processes of a job.
  static std::vector<const char*>& all_names() {
    static auto* const kNames = new std::vector<const char*>;
    return *kNames;
  }
  static size_t index_of(std::string_view name) {
    const std::vector<const char*>& names = all_names();
    return static_cast<size_t>(std::ranges::find(names, name) - names.begin());
  }

  const size_t index_;
};

// Accounts for `amount` units of work that the program has really done. Does
// nothing on real networks.
inline void charge(const Cost& what, uint64_t amount = 1) {
  if (const SimHooks* sim = kBackend.sim) [[unlikely]]
    sim->charge(what, amount);
}

// Units of a kind of work.
struct Work {
  const Cost& what;
  uint64_t amount;
};

// Accounts likewise for `all`, as for `polls` equal pieces of work with a
// poll() behind each where self().poll_at_spawn asks for it, but in one step.
inline void charge_and_poll(std::span<const Work> all, uint64_t polls) {
  if (const SimHooks* sim = kBackend.sim) [[unlikely]]
    sim->charge_and_poll(all, polls);
}

namespace internal {
template <const Cost& kCost, auto kBody, typename... Args>
[[gnu::noinline]] auto charge_first(Args... args) {
  charge(kCost);
  return kBody(args...);
}
}  // namespace internal

// Charges for kBody(args...) and returns its result. The body is compiled
// twice, for simulated ranks and for real ones: the code for real ranks has no
// charge, and no access to a Word in it asks whether the rank is simulated. For
// bodies of a few instructions.
template <const Cost& kCost, auto kBody, typename... Args>
[[gnu::always_inline]] inline auto charged(Args... args) {
  if (kBackend.sim != nullptr) [[unlikely]]
    return internal::charge_first<kCost, kBody>(args...);
  return kBody(args...);
}

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_CHARGE_H_
