// Scenarios of the conformance suite of task pools, as a program: see
// run_scenarios.

#include "tests/task_pool/scenario.h"

int main(int argc, char** argv) {
  using namespace magpie::pool_conformance;
  return run_scenarios(
      argc, argv,
      {shape_scenarios(), placement_scenarios(), pressure_scenarios(),
       result_scenarios(), size_scenarios(), early_end_scenarios()});
}
