// GoogleTest's output with one failure for each line of a test, so that a loop
// that fails a million times fills no log.

#ifndef MAGPIE_COMMON_TESTING_ONCE_PER_LINE_H_
#define MAGPIE_COMMON_TESTING_ONCE_PER_LINE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace magpie::spmd {

// The failures of one test, by the lines of the program where they are.
class FailuresByLine {
 public:
  void clear() { failures_.clear(); }
  // Whether the failure counts as the first of its line. A fatal one always
  // does: it is the last.
  bool is_first(const testing::TestPartResult& part);
  // "file:17: and 4 more failures here" for each line with several, in lines.
  std::string others() const;

 private:
  std::map<std::pair<std::string, int>, uint64_t> failures_;
};

// Passes everything on to the default printer, except failures after a line's
// first, which it counts.
class OncePerLine : public testing::TestEventListener {
 public:
  // Replaces GoogleTest's default printer, which it takes over.
  static void install();

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
  void OnTestEnd(const testing::TestInfo& test) override;

 private:
  explicit OncePerLine(testing::TestEventListener* printer)
      : printer_(printer) {}

  const std::unique_ptr<testing::TestEventListener> printer_;
  FailuresByLine failures_;
};

}  // namespace magpie::spmd

#endif  // MAGPIE_COMMON_TESTING_ONCE_PER_LINE_H_
