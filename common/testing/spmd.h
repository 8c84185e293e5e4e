// Tests that every rank of a job runs.
//
//   SPMD_TEST(Counter, CountsEveryRank) {
//     auto counter = rma::allocate<rma::Word>();
//     rma::fetch_add(counter.at(0), 1);
//     rma::barrier();
//     EXPECT_EQ(rma::get_word(counter.at(0)),
//               static_cast<uint64_t>(rma::size()));
//   }
//
// The body is one rank's part. EXPECT, ASSERT and GTEST_SKIP work in it, on any
// rank; a test is skipped by all ranks or by none. Flags: those of GoogleTest
// and of the linked backend.
//
// One job runs all tests where ranks are processes: every rank runs the same
// ones in the same order, with a barrier before each and a reduction of "did it
// fail" after it. What a test allocates stays allocated, so the heap must hold
// all tests together. Where ranks share a process, each test is a job of its
// own.
//
// Failures:
//   1. A failed EXPECT on any rank fails the test on all ranks; the job goes on
//      with the next test.
//   2. A failed ASSERT ends the job with status 1, after its message: the rank
//      has left the body and others may wait for it there.
//   3. An exception that leaves the body ends the rank, and so the job.
//   4. A rank that waits in vain hangs until the test's own time limit.
//
// Rank 0 prints what a GoogleTest program prints; the others print failures
// only, with "[rank R] " before each line of them. A hundred failures of one
// test end the job; a loop that can say what it has lost uses Once (once.h).
// The job's exit status is non-zero when any test failed on any rank.

#ifndef MAGPIE_COMMON_TESTING_SPMD_H_
#define MAGPIE_COMMON_TESTING_SPMD_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/rma/rma.h"

namespace magpie::spmd {

// The segment of every rank: a region of 1 MiB and a heap of 64 MiB, where the
// program does not define another one.
rma::SegmentLayout layout();

// Runs one test's body on all ranks. For SPMD_TEST.
void run_test(void (*body)());

// Whether ranks are simulated: time is counted then, not spent.
inline bool simulated() { return rma::kBackend.sim != nullptr; }

// Number of rounds of a race: many where ranks run by themselves, few where
// their schedules are chosen.
inline uint64_t rounds(uint64_t real, uint64_t chosen) {
  return simulated() ? chosen : real;
}

// Makes a part of a runtime: returns T(args...), which may allocate `bytes` of
// the symmetric heap; more ends the job with a message that begins with T's
// `kind`, as in "the queue". Collective, as T's constructor is.
template <typename T, typename... Args>
T made_within(size_t bytes, const char* kind, Args&&... args) {
  const std::string words =
      std::string(kind) + " takes more of the symmetric heap than the " +
      std::to_string(bytes) +
      " bytes that it says (or than the heap of all tests leaves)";
  const rma::HeapShare share(bytes, words.c_str());
  return T(static_cast<Args&&>(args)...);
}

}  // namespace magpie::spmd

#define SPMD_TEST(suite, name)                                                 \
  static void spmd_body_##suite##_##name();                                    \
  TEST(suite, name) { ::magpie::spmd::run_test(&spmd_body_##suite##_##name); } \
  static void spmd_body_##suite##_##name()

// A test that is a call of a function in namespace magpie, for suites.
#define SPMD_CASE(suite, name, ...) \
  SPMD_TEST(suite, name) { ::magpie::__VA_ARGS__; }

#endif  // MAGPIE_COMMON_TESTING_SPMD_H_
