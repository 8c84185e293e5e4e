// Scenarios of the conformance suite of pools that have the constructs of
// async_any.h, as a program: see run_scenarios.

#include "tests/async_any/suite.h"

int main(int argc, char** argv) {
  using namespace magpie::pool_conformance;
  return run_scenarios(
      argc, argv,
      {finish_scenarios(), tree_scenarios(), cancel_scenarios(),
       reduce_scenarios(), place_scenarios()});
}
