// Reads another rank's memory without asking the shim. With --shm_guard this
// must fault, and the fault must say why; without, it goes unnoticed.

#include <cstddef>

#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/rma/shm/job.h"

namespace magpie {
namespace {

int rank_main(void*) {
  const rma::RemotePtr<rma::Word> word = rma::allocate<rma::Word>();
  rma::barrier();
  // Through the shim it works in both modes.
  if (rma::rank() == 0) rma::put_word(word.at(1), 7);
  rma::barrier();
  if (rma::get_word(word.at(1)) != 7) return 1;
  rma::barrier();
  if (rma::rank() == 0) {
    const auto* stray = reinterpret_cast<const volatile std::byte*>(
        rma::shm::peer_address(1, word.offset));
    return *stray == std::byte{7} ? 0 : 1;
  }
  return 0;
}

}  // namespace
}  // namespace magpie

int main(int argc, char** argv) {
  magpie::flags::App app;
  magpie::rma::add_options(app);
  magpie::flags::parse_or_exit(app, argc, argv);
  return magpie::rma::launch({.heap_bytes = 1 << 16}, magpie::rank_main,
                             nullptr);
}
