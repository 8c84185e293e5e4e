// Parts that the scenarios of async_any.h have in common: a root with words on
// all ranks, where tasks leave what they have done.

#ifndef MAGPIE_TESTS_ASYNC_ANY_SUITE_H_
#define MAGPIE_TESTS_ASYNC_ANY_SUITE_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/task_pool/async_any.h"
#include "tests/task_pool/scenario.h"

namespace magpie::pool_conformance {

// The next number after `number` in a sequence that looks random.
uint64_t scrambled(uint64_t number);

// A root, and its words. Each of n tasks has an id from 0 to n - 1.
struct Suite {
  static constexpr uint32_t kTaskBytes = 32;

  int64_t n;
  // The root's work.
  void (*deeds)(const Suite& suite);

  // Number of draws, on rank 0.
  rma::RemotePtr<rma::Word> drawn = {};
  // Number of runs of the task of each id; each rank has every size()-th id's.
  rma::RemotePtr<rma::Word> marks = {};
  // On each rank: the number of tasks that have noted that they began there;
  // then the number that each of them drew.
  rma::RemotePtr<rma::Word> begun = {};

  size_t words() const { return static_cast<size_t>(n) + 1; }
  size_t heap_bytes() const {
    return rma::allocated_bytes<rma::Word>() +
           2 * rma::allocated_bytes<rma::Word>(words());
  }
  void prepare();
  void operator()() const { deeds(*this); }
};

// The suite that the root has prepared on the calling rank.
inline const Suite& suite() { return pool_root<Suite>(); }

// Draws the next number: 0, 1, 2, ... over all ranks.
uint64_t draw();
// Notes that the task of this id was run.
void mark(int64_t id);
// Draws a number and notes that a task has begun with it. Returns the number.
// To be the first thing that a task does.
uint64_t note_begin();

// Returns the number of marked ids, none of which may be marked twice. Called
// by the root after a finish.
uint64_t marked();
// Calls f(number) for each note of a rank, oldest first.
template <typename F>
void for_each_note(int rank, F f) {
  const rma::RemotePtr<rma::Word> notes = suite().begun.at(rank);
  const uint64_t n = rma::get_word(notes);
  for (uint64_t i = 0; i < n; ++i) f(rma::get_word(notes + 1 + i));
}
// Forgets all numbers, marks and notes.
void forget();

// Runs the root, whose tasks merge values of type T; returns what the tasks of
// the last finish have merged. A mistake ends the process with an error
// message.
template <typename T = uint64_t>
T run_suite(const Parameters& p, void (*deeds)(const Suite& suite)) {
  return run<T>(p, Suite{p.n, deeds}).result;
}

}  // namespace magpie::pool_conformance

#endif  // MAGPIE_TESTS_ASYNC_ANY_SUITE_H_
