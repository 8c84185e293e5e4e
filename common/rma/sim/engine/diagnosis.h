// What to say when nothing goes on any more.
//
// Thread safety: one thread. Changes nothing.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_DIAGNOSIS_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_DIAGNOSIS_H_

#include <string>
#include <utility>
#include <vector>

#include "common/rma/sim/engine/collective.h"
#include "common/rma/sim/engine/memory.h"
#include "common/rma/sim/engine/rank.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

class Diagnosis {
 public:
  // `hint` stands after the words.
  Diagnosis(const std::vector<Rank>& ranks, const Collective& collective,
            const Memory& memory, std::string hint)
      : ranks_(ranks),
        collective_(collective),
        memory_(memory),
        hint_(std::move(hint)) {}

  // Ends the job with words: what has happened, and every rank's state.
  [[noreturn]] void end_job(const char* what, Time now) const;

 private:
  std::string state_of(const Rank& rank) const;

  const std::vector<Rank>& ranks_;
  const Collective& collective_;
  const Memory& memory_;
  const std::string hint_;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_DIAGNOSIS_H_
