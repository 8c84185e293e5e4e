#include "tests/async_any/suite.h"

namespace magpie::pool_conformance {

uint64_t scrambled(uint64_t number) {
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27) * 0x94d049bb133111eb;
  return number ^ number >> 31;
}

void Suite::prepare() {
  drawn = rma::allocate<rma::Word>();
  marks = rma::allocate<rma::Word>(words());
  begun = rma::allocate<rma::Word>(words());
}

uint64_t draw() { return rma::fetch_add(suite().drawn.at(0), 1); }

void mark(int64_t id) {
  const auto rank = static_cast<int>(id % rma::size());
  const auto i = static_cast<uint64_t>(id / rma::size());
  expect_equal("runs before of a task",
               rma::fetch_add(suite().marks.at(rank) + i, 1), 0);
}

uint64_t note_begin() {
  const uint64_t number = draw();
  const rma::RemotePtr<rma::Word> notes = suite().begun.at(rma::rank());
  const uint64_t before = rma::fetch_add(notes, 1);
  rma::put_word(notes + 1 + before, number);
  rma::flush(rma::rank());
  return number;
}

uint64_t marked() {
  uint64_t sum = 0;
  for (int64_t id = 0; id < suite().n; ++id) {
    const auto rank = static_cast<int>(id % rma::size());
    const auto i = static_cast<uint64_t>(id / rma::size());
    const uint64_t runs = rma::get_word(suite().marks.at(rank) + i);
    expect_at_most("runs of a task", runs, 1);
    sum += runs;
  }
  return sum;
}

void forget() {
  // Atomics change these words, and this is an exclusive phase: no task runs.
  for (int rank = 0; rank < rma::size(); ++rank) {
    for (uint64_t i = 0; i < suite().words(); ++i)
      rma::put_word(suite().marks.at(rank) + i, 0);
    rma::put_word(suite().begun.at(rank), 0);
  }
  rma::put_word(suite().drawn.at(0), 0);
  rma::flush_all();
}

}  // namespace magpie::pool_conformance
