// A program that fails under some seeds, for seeds_test.py, or late, for
// progress_test.py: two ranks add to a word by get and put, at about the same
// time. Where they meet, an addition is lost, and the program ends as --how
// says.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/flags/flags.h"
#include "common/rma/rma.h"

namespace magpie {
namespace {

struct Options {
  std::string how = "fatal";
  uint64_t apart = 500;
  uint64_t looks = 0;
};

int lost(const Options& options, rma::Word* never) {
  if (options.how == "fatal") rma::fatal("an addition is lost");
  if (options.how == "exit") std::exit(7);
  if (options.how == "abort") std::abort();
  if (options.how == "segv") std::raise(SIGSEGV);
  if (options.how == "livelock") {
    while (never->load() == 0) rma::idle();
  }
  volatile bool spin = options.how == "spin";
  while (spin) {
  }
  std::puts("1 additions");
  return options.how == "wrong" ? 0 : 3;
}

int rank_main(void* arg) {
  const Options& options = *static_cast<const Options*>(arg);
  const auto sum = rma::allocate<rma::Word>().at(0);
  const auto never = rma::allocate<rma::Word>();
  if (rma::rank() == 0) std::puts("adding");
  rma::barrier();
  for (uint64_t i = 0; i < options.looks; ++i) rma::get_word(sum);
  rma::barrier();
  if (rma::rank() < 2) {
    // The two never meet, except by what a seed draws.
    rma::compute(options.apart * static_cast<uint64_t>(rma::rank()));
    rma::put_word(sum, rma::get_word(sum) + 1);
    rma::flush(0);
  }
  rma::barrier();
  if (rma::rank() != 0) return 0;
  const uint64_t additions = sum.local()->load();
  if (additions != 2) return lost(options, never.local());
  std::puts("2 additions");
  return 0;
}

}  // namespace
}  // namespace magpie

int main(int argc, char** argv) {
  magpie::Options options;
  magpie::flags::App app("Fails under some seeds.");
  magpie::flags::add_text(app, "--how", options.how,
                          "fatal exit abort segv livelock spin result wrong");
  magpie::flags::add_integer(app, "--apart", options.apart,
                             "nanoseconds between the two additions");
  magpie::flags::add_integer(app, "--looks", options.looks,
                             "at the word before");
  magpie::rma::add_options(app);
  magpie::flags::parse_or_exit(app, argc, argv);
  return magpie::rma::launch({.heap_bytes = 4096}, magpie::rank_main, &options);
}
