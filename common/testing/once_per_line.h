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

  void OnTestProgramStart(const testing::UnitTest& test) override {
    printer_->OnTestProgramStart(test);
  }
  void OnTestIterationStart(const testing::UnitTest& test, int i) override {
    printer_->OnTestIterationStart(test, i);
  }
  void OnEnvironmentsSetUpStart(const testing::UnitTest& test) override {
    printer_->OnEnvironmentsSetUpStart(test);
  }
  void OnEnvironmentsSetUpEnd(const testing::UnitTest& test) override {
    printer_->OnEnvironmentsSetUpEnd(test);
  }
  void OnTestSuiteStart(const testing::TestSuite& suite) override {
    printer_->OnTestSuiteStart(suite);
  }
  void OnTestStart(const testing::TestInfo& test) override {
    failures_.clear();
    printer_->OnTestStart(test);
  }
  void OnTestDisabled(const testing::TestInfo& test) override {
    printer_->OnTestDisabled(test);
  }
  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (failures_.is_first(part)) printer_->OnTestPartResult(part);
  }
  void OnTestEnd(const testing::TestInfo& test) override;
  void OnTestSuiteEnd(const testing::TestSuite& suite) override {
    printer_->OnTestSuiteEnd(suite);
  }
  void OnEnvironmentsTearDownStart(const testing::UnitTest& test) override {
    printer_->OnEnvironmentsTearDownStart(test);
  }
  void OnEnvironmentsTearDownEnd(const testing::UnitTest& test) override {
    printer_->OnEnvironmentsTearDownEnd(test);
  }
  void OnTestIterationEnd(const testing::UnitTest& test, int i) override {
    printer_->OnTestIterationEnd(test, i);
  }
  void OnTestProgramEnd(const testing::UnitTest& test) override {
    printer_->OnTestProgramEnd(test);
  }

 private:
  explicit OncePerLine(testing::TestEventListener* printer)
      : printer_(printer) {}

  const std::unique_ptr<testing::TestEventListener> printer_;
  FailuresByLine failures_;
};

}  // namespace magpie::spmd

#endif  // MAGPIE_COMMON_TESTING_ONCE_PER_LINE_H_
