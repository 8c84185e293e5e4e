#include "common/testing/spmd.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "common/flags/flags.h"

namespace magpie::spmd {

[[gnu::weak]] rma::SegmentLayout layout() {
  return {.region_bytes = 1 << 20, .heap_bytes = 64 << 20};
}

namespace {

constexpr char kFailedElsewhere[] = "failed on another rank";

// So many failures of one test end the job: a loop that fails a million times
// fills no log.
constexpr int kMostFailures = 100;

// Counts the failures of each test and, on every rank but the first, prints
// them, in one write each, so that ranks' lines do not mix. GoogleTest holds
// its lock in these calls: nothing here may ask it for the current test.
class Failures : public testing::EmptyTestEventListener {
 public:
  explicit Failures(bool prints) : prints_(prints) {}

 private:
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = absl::StrCat(test.test_suite_name(), ".", test.name());
    failures_ = 0;
  }

  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (!part.failed() || absl::StrContains(part.message(), kFailedElsewhere))
      return;
    if (prints_) {
      const char* const file = part.file_name();
      print(absl::StrCat(test_, "\n", file == nullptr ? "unknown file" : file,
                         ":", part.line_number(), ": Failure\n",
                         part.message()));
    }
    if (++failures_ == kMostFailures)
      rma::fatal(absl::StrCat("a test has failed ", failures_, " times"));
  }

  static void print(const std::string& text) {
    const std::string prefix = absl::StrCat("[rank ", rma::rank(), "] ");
    const std::string lines = absl::StrReplaceAll(
        absl::StripSuffix(text, "\n"), {{"\n", absl::StrCat("\n", prefix)}});
    std::fputs(absl::StrCat(prefix, lines, "\n").c_str(), stdout);
    std::fflush(stdout);
  }

  const bool prints_;
  // The current test's name, and its failures on this rank.
  std::string test_;
  int failures_ = 0;
};

void count_failures(bool prints = false) {
  // Owned by GoogleTest.
  testing::UnitTest::GetInstance()->listeners().Append(new Failures(prints));
}

// Leaves only rank 0 with GoogleTest's own output: terminal, report file,
// premature-exit file.
void silence() {
  testing::TestEventListeners& listeners =
      testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  delete listeners.Release(listeners.default_xml_generator());
  unsetenv("TEST_PREMATURE_EXIT_FILE");
}

int run_all_tests(void*) {
  if (rma::rank() != 0) silence();
  count_failures(/*prints=*/rma::rank() != 0);
  return RUN_ALL_TESTS();
}

void run_body(void (*body)()) {
  rma::barrier();
  body();
  if (testing::Test::HasFatalFailure()) {
    std::fflush(stdout);
    rma::fatal(
        "a failed ASSERT, see above, ends the job: other ranks may wait for "
        "this one");
  }
  const bool failed_here = testing::Test::HasFailure();
  uint64_t failed = failed_here;
  rma::reduce(&failed, 1, rma::Reduction::kMax);
  // A test that fails on one rank fails on all, so that all obey
  // --gtest_fail_fast alike.
  if (failed != 0 && !failed_here) ADD_FAILURE() << kFailedElsewhere;
}

int run_body_as_rank(void* body) {
  run_body(*static_cast<void (**)()>(body));
  return testing::Test::HasFailure();
}

}  // namespace

void run_test(void (*body)()) {
  if (!rma::is_simulated()) return run_body(body);
  const int result = rma::launch(layout(), run_body_as_rank, &body);
  if (result != 0 && !testing::Test::HasFailure())
    ADD_FAILURE() << "the job ended with " << result;
}

}  // namespace magpie::spmd

int main(int argc, char** argv) {
  using namespace magpie;
  testing::InitGoogleTest(&argc, argv);
  // Caught on one rank, an exception would leave the others waiting.
  GTEST_FLAG_SET(catch_exceptions, false);
  // Shuffled tests need the same seed everywhere; GoogleTest would take each
  // process's clock.
  if (GTEST_FLAG_GET(random_seed) == 0) GTEST_FLAG_SET(random_seed, 1);
  flags::App app(
      "Tests that every rank runs. GoogleTest's flags (--gtest_...) hold too.");
  rma::add_options(app);
  flags::parse_or_exit(app, argc, argv);
  if (rma::is_simulated()) spmd::count_failures();
  if (rma::is_simulated() || GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  return rma::launch(spmd::layout(), spmd::run_all_tests, nullptr);
}
