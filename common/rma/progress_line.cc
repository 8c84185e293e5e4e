#include "common/rma/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/rma/crash.h"

namespace magpie::rma::internal {
namespace {

// Most seconds between two renewals.
constexpr double kPeriod = 0.5;

// Writes all of the text at once, before what comes later from other streams.
void write_to_terminal(std::string_view text) {
  std::fflush(stderr);
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) {
    // Nobody sees it.
  }
}

}  // namespace

ProgressLine::ProgressLine(double after)
    : is_terminal_(isatty(STDERR_FILENO) != 0),
      period_(std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(std::min(after, kPeriod)))),
      due_(start_ + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(after))) {}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void ProgressLine::show(std::string_view line) {
  write_to_terminal(absl::StrCat(
      kEraseLine, "magpie: ", absl::string_view(line.data(), line.size()),
      "\r"));
  shown_ = true;
  begin_words_with(kEraseLine);
  due_ = Clock::now() + period_;
}

void ProgressLine::erase() {
  if (!shown_) return;
  shown_ = false;
  begin_words_with("");
  write_to_terminal(kEraseLine);
}

}  // namespace magpie::rma::internal
