// Runs traffic.cc and prints its results.

#include <cstdint>
#include <cstdio>

#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "tests/sim/traffic.h"

int main(int argc, char** argv) {
  magpie::sim_test::Traffic traffic;
  bool addresses = false;
  magpie::flags::App app("A pseudo-random mix of all operations.");
  magpie::flags::add_integer<uint64_t>(app, "--steps", traffic.steps,
                                       "of each rank", 0, 1'000'000);
  magpie::flags::add_switch(app, "--addresses", addresses,
                            "print where things are");
  magpie::rma::add_options(app);
  magpie::flags::parse_or_exit(app, argc, argv);
  if (addresses) {
    std::printf("addresses=%p,%p\n", static_cast<void*>(&traffic),
                static_cast<void*>(new int));
  }
  const int result =
      magpie::rma::launch({.heap_bytes = magpie::sim_test::kTrafficHeapBytes},
                          &magpie::sim_test::run_traffic, &traffic);
  std::printf("checksum=%016lx\n", traffic.checksum);
  return result;
}
