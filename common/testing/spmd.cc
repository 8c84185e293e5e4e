#include "common/testing/spmd.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>

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

// The failures of one test, by the lines of the program where they are, so that
// a loop that fails a million times fills no log.
class FailuresByLine {
 public:
  void clear() { failures_.clear(); }
  // Whether the failure counts as the first of its line. A fatal one always
  // does: it is the last.
  bool is_first(const testing::TestPartResult& part) {
    if (!part.failed() || part.fatally_failed()) return true;
    const char* const file = part.file_name();
    return ++failures_[{file == nullptr ? "unknown file" : file,
                        part.line_number()}] == 1;
  }
  // "file:17: and 4 more failures here" for each line with several, in lines.
  std::string others() const {
    std::string lines;
    for (const auto& [line, count] : failures_) {
      if (count == 1) continue;
      absl::StrAppend(
          &lines, line.first, ":", line.second, ": and ", count - 1,
          count == 2 ? " more failure here\n" : " more failures here\n");
    }
    return lines;
  }

 private:
  std::map<std::pair<std::string, int>, uint64_t> failures_;
};

// Passes everything on to the default printer, except failures after a line's
// first, which it counts.
class OncePerLine : public testing::TestEventListener {
 public:
  // Replaces GoogleTest's default printer, which it takes over.
  static void install() {
    testing::TestEventListeners& listeners =
        testing::UnitTest::GetInstance()->listeners();
    // Owned by GoogleTest.
    listeners.Append(
        new OncePerLine(listeners.Release(listeners.default_result_printer())));
  }

#define MAGPIE_PASS_ON(Event, Argument)                 \
  void Event(const testing::Argument& about) override { \
    printer_->Event(about);                             \
  }
  MAGPIE_PASS_ON(OnTestProgramStart, UnitTest)
  MAGPIE_PASS_ON(OnEnvironmentsSetUpStart, UnitTest)
  MAGPIE_PASS_ON(OnEnvironmentsSetUpEnd, UnitTest)
  MAGPIE_PASS_ON(OnTestSuiteStart, TestSuite)
  MAGPIE_PASS_ON(OnTestDisabled, TestInfo)
  MAGPIE_PASS_ON(OnTestSuiteEnd, TestSuite)
  MAGPIE_PASS_ON(OnEnvironmentsTearDownStart, UnitTest)
  MAGPIE_PASS_ON(OnEnvironmentsTearDownEnd, UnitTest)
  MAGPIE_PASS_ON(OnTestProgramEnd, UnitTest)
#undef MAGPIE_PASS_ON
  void OnTestIterationStart(const testing::UnitTest& test, int i) override {
    printer_->OnTestIterationStart(test, i);
  }
  void OnTestIterationEnd(const testing::UnitTest& test, int i) override {
    printer_->OnTestIterationEnd(test, i);
  }
  void OnTestStart(const testing::TestInfo& test) override {
    failures_.clear();
    printer_->OnTestStart(test);
  }
  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (failures_.is_first(part)) printer_->OnTestPartResult(part);
  }
  void OnTestEnd(const testing::TestInfo& test) override {
    std::fputs(failures_.others().c_str(), stdout);
    std::fflush(stdout);
    printer_->OnTestEnd(test);
  }

 private:
  explicit OncePerLine(testing::TestEventListener* printer)
      : printer_(printer) {}

  const std::unique_ptr<testing::TestEventListener> printer_;
  FailuresByLine failures_;
};

// The output of every rank but the first: its own failures, in one write each,
// so that ranks' lines do not mix. GoogleTest holds its lock in these calls:
// nothing here may ask it for the current test.
class FailurePrinter : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override {
    test_ = absl::StrCat(test.test_suite_name(), ".", test.name());
    failures_.clear();
  }

  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (!part.failed() || absl::StrContains(part.message(), kFailedElsewhere) ||
        !failures_.is_first(part)) {
      return;
    }
    const char* const file = part.file_name();
    print(absl::StrCat(test_, "\n", file == nullptr ? "unknown file" : file,
                       ":", part.line_number(), ": Failure\n", part.message()));
  }

  void OnTestEnd(const testing::TestInfo&) override {
    const std::string others = failures_.others();
    if (!others.empty()) print(absl::StrCat(test_, "\n", others));
  }

  static void print(const std::string& text) {
    const std::string prefix = absl::StrCat("[rank ", rma::rank(), "] ");
    const std::string lines = absl::StrReplaceAll(
        absl::StripSuffix(text, "\n"), {{"\n", absl::StrCat("\n", prefix)}});
    std::fputs(absl::StrCat(prefix, lines, "\n").c_str(), stdout);
    std::fflush(stdout);
  }

  // The current test's name.
  std::string test_;
  FailuresByLine failures_;
};

// Leaves only rank 0 with GoogleTest's own output: terminal, report file,
// premature-exit file.
void silence() {
  testing::TestEventListeners& listeners =
      testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  delete listeners.Release(listeners.default_xml_generator());
  listeners.Append(new FailurePrinter);  // owned by GoogleTest
  unsetenv("TEST_PREMATURE_EXIT_FILE");
}

// Shuffled tests need the same seed everywhere; GoogleTest would take each
// process's clock.
void agree_on_seed() {
  uint64_t seed = static_cast<uint64_t>(GTEST_FLAG_GET(random_seed));
  if (GTEST_FLAG_GET(shuffle) && seed == 0)
    seed = std::random_device()() % 99999 + 1;
  rma::broadcast(&seed, sizeof(seed), 0);
  GTEST_FLAG_SET(random_seed, static_cast<int32_t>(seed));
}

int run_all_tests(void*) {
  if (rma::rank() != 0)
    silence();
  else
    OncePerLine::install();
  agree_on_seed();
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
  flags::App app(
      "Tests that every rank runs. GoogleTest's flags (--gtest_...) hold too.");
  rma::add_options(app);
  flags::parse_or_exit(app, argc, argv);
  if (rma::is_simulated()) spmd::OncePerLine::install();
  if (rma::is_simulated() || GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  return rma::launch(spmd::layout(), spmd::run_all_tests, nullptr);
}
