// Tests what must hold before a program may run: data arrives where its owner
// sees it, and atomics of different kinds are atomic against each other, which
// MPI promises only for one kind at a time.

#include <string>

#include "absl/strings/str_cat.h"
#include "common/rma/mpi/job.h"

namespace magpie::rma::mpi {
namespace {

constexpr int kRounds = 64;

uint64_t offset_of(Word Scratch::*member) {
  Scratch* scratch = own_scratch();
  return scratch_offset() +
         static_cast<uint64_t>(
             reinterpret_cast<std::byte*>(&(scratch->*member)) -
             reinterpret_cast<std::byte*>(scratch));
}

// Every rank puts to the next one, and gets what that rank has stored itself.
// Returns what is wrong, in words, or "".
std::string wrong_data() {
  const int next = (rank() + 1) % size();
  const uint64_t offset = offset_of(&Scratch::seen);
  std::string words;
  const auto signature = [](int r) {
    return 0x9e3779b97f4a7c15 * static_cast<uint64_t>(r + 1);
  };

  own_scratch()->seen.store(signature(rank()));
  barrier();
  uint64_t got = 0;
  backend::get(next, offset, &got, sizeof(got));
  if (got != signature(next))
    words = absl::StrCat("a get from rank ", next, " did not see its memory");
  barrier();
  const uint64_t sent = ~signature(next);
  backend::put(next, offset, &sent, sizeof(sent));
  backend::flush_all();
  barrier();
  if (own_scratch()->seen.load() != ~signature(rank())) {
    words = absl::StrCat("rank ", rank(), " did not see a put into its memory");
  }
  return words;
}

}  // namespace

// Everybody adds to one word and takes its value away by swaps: nothing may
// get lost.
std::string wrong_atomics() {
  barrier();
  const uint64_t offset = offset_of(&Scratch::total);
  uint64_t found = 0;
  for (int i = 0; i < kRounds; ++i) {
    backend::fetch_add(0, offset, 2);
    if (i % 2 == 0) found += backend::swap(0, offset, 0);
    backend::fetch_or(0, offset, 0);
  }
  backend::flush_all();
  barrier();
  if (rank() == 0) found += backend::swap(0, offset, 0);
  reduce(&found, 1, Reduction::kSum);
  const uint64_t added = uint64_t{2} * kRounds * static_cast<uint64_t>(size());
  if (found == added) return {};
  return absl::StrCat(
      "atomics of different kinds on one word are not atomic against each "
      "other with this MPI: added ",
      added, ", found ", found);
}

void self_test() {
  refuse_if_any(wrong_data());
  refuse_if_any(wrong_atomics());
}

}  // namespace magpie::rma::mpi
