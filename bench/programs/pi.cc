// pi: the integral of 4 / (1 + x^2) from 0 to 1 as a sum, each term a task
// (hybrid_glb_apgas18 Listings 2 and 3). With --cancel_above the tasks are
// cancelable, and are cancelled when the merged sum exceeds it (Listing 4).

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "bench/pool_program.h"
#include "bench/programs/cancelable.h"
#include "common/rma/rma.h"
#include "common/task_pool/async_any.h"

namespace magpie::bench {
namespace {

struct Sum {
  double value = 0;
  uint64_t terms = 0;
  uint64_t cancels = 0;

  void merge(const Sum& other) {
    value += other.value;
    terms += other.terms;
    cancels += other.cancels;
  }
};

struct Term {
  int64_t i;
  void operator()() const;
};

struct Pi : Cancelable {
  static constexpr uint32_t kTaskBytes = sizeof(Term);

  int64_t n = 10000;
  // Threshold of the sum; 0: none.
  double cancel_above = 0;

  void operator()() const {
    finish_async_any([this] {
      for (int64_t i = 0; i < n && add_any(Term{i}); ++i) {
      }
    });
  }

  // Text that says what is wrong with a sum.
  std::string mismatch(const Sum& sum) const {
    if (sum.cancels > 0) {
      return unless(sum.value > cancel_above, "cancelled before it was above ",
                    cancel_above);
    }
    // The quadrature rule's error, and that of adding in any order.
    const auto terms = static_cast<double>(n);
    const double most = 1 / (3 * terms * terms) + 1e-15 * terms;
    return unless(std::abs(sum.value - std::numbers::pi) <= most,
                  "pi is not within ", most);
  }
};

void Term::operator()() const {
  const Pi& pi = pool_root<Pi>();
  const double delta = 1 / static_cast<double>(pi.n);
  const double x = (static_cast<double>(i) + 0.5) * delta;
  rma::charge(kNode);
  merge_async_any(Sum{.value = 4 / (1 + x * x) * delta, .terms = 1});
  pi.look_at_result<Sum>(
      [&](const Sum& sum) { return sum.value > pi.cancel_above; });
}

}  // namespace

int pi_main(CLI::App& app, int argc, char** argv) {
  Pi pi;
  flags::add_integer(app, "--n", pi.n, "number of terms", 1, 1'000'000'000);
  flags::add_number(app, "--cancel_above", pi.cancel_above,
                    "cancel the rest when the sum exceeds this value; 0: never",
                    0, 4);
  pi.add_period(app);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  pi.cancelable = pi.cancel_above > 0;
  Sum sum;
  return run_in_pool(arguments,
                     {{"n", pi.n},
                      {"cancel_above", pi.cancel_above},
                      {"reduce_every_ms", pi.period_ms}},
                     pi, &sum, [&] {
                       return Answer{.result = {{"pi", sum.value},
                                                {"terms", sum.terms},
                                                {"cancelled", sum.cancels > 0}},
                                     .mismatch = pi.mismatch(sum)};
                     });
}

const Program kProgram("pi", "Pi as a sum, as a whole or up to a threshold",
                       pi_main);

}  // namespace magpie::bench
