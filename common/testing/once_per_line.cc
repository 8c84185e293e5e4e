#include "common/testing/once_per_line.h"

#include <cstdio>

#include "absl/strings/str_cat.h"

namespace magpie::spmd {

bool FailuresByLine::is_first(const testing::TestPartResult& part) {
  if (!part.failed() || part.fatally_failed()) return true;
  const char* const file = part.file_name();
  return ++failures_[{file == nullptr ? "unknown file" : file,
                      part.line_number()}] == 1;
}

std::string FailuresByLine::others() const {
  std::string lines;
  for (const auto& [line, count] : failures_) {
    if (count == 1) continue;
    absl::StrAppend(
        &lines, line.first, ":", line.second, ": and ", count - 1,
        count == 2 ? " more failure here\n" : " more failures here\n");
  }
  return lines;
}

void OncePerLine::install() {
  testing::TestEventListeners& listeners =
      testing::UnitTest::GetInstance()->listeners();
  // Owned by GoogleTest.
  listeners.Append(
      new OncePerLine(listeners.Release(listeners.default_result_printer())));
}

void OncePerLine::OnTestEnd(const testing::TestInfo& test) {
  std::fputs(failures_.others().c_str(), stdout);
  std::fflush(stdout);
  printer_->OnTestEnd(test);
}

}  // namespace magpie::spmd
