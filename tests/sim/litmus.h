// Tiny programs, each run under many seeds: what ranks may see of each other.

#ifndef MAGPIE_TESTS_SIM_LITMUS_H_
#define MAGPIE_TESTS_SIM_LITMUS_H_

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/rma/rma.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {

inline constexpr uint64_t kSeeds = 300;

inline constexpr std::array kModels = {MemoryModel::kSc, MemoryModel::kTso,
                                       MemoryModel::kPso};
inline constexpr std::array kModelNames = {"sc", "tso", "pso"};

// Two words, zero at first; every rank has its own.
struct Words {
  rma::RemotePtr<rma::Word> x, y;
  rma::Word& own_x() const { return *x.local(); }
  rma::Word& own_y() const { return *y.local(); }
};

// What ranks saw.
using Seen = std::array<uint64_t, 2>;
using Part = std::function<void(const Words&, Seen*)>;

// How often each outcome came over the seeds 1 to kSeeds. Rank r does parts[r].
std::map<Seen, int> outcomes(MemoryModel memory, const std::string& net,
                             const std::vector<Part>& parts);

// Goes on for longer than anything stays on its way or unseen.
void linger();

}  // namespace magpie::sim_test

#endif  // MAGPIE_TESTS_SIM_LITMUS_H_
