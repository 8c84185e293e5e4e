// Starts with a heap of a size of one's choice, and ends.

#include <cstdint>

#include "common/flags/flags.h"
#include "common/rma/rma.h"

namespace {

int rank_main(void*) {
  magpie::rma::barrier();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t heap_bytes = 1 << 20;
  CLI::App app("Starts with a heap of the given size, and ends.");
  magpie::flags::add_bytes(app, "--heap_bytes", heap_bytes, "of each rank", 0,
                           uint64_t{1} << 50);
  magpie::rma::add_options(app);
  magpie::flags::parse_or_exit(app, argc, argv);
  return magpie::rma::launch(
      {.region_bytes = 1 << 20, .heap_bytes = heap_bytes}, rank_main, nullptr);
}
