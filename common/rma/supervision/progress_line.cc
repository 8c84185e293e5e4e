#include "common/rma/supervision/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "common/rma/supervision/crash.h"

namespace magpie::rma::internal {

ProgressLine::ProgressLine(double after)
    : is_terminal_(isatty(STDERR_FILENO) != 0),
      period_(std::min(after, 0.5)),
      due_(after) {}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                       start_)
      .count();
}

void ProgressLine::show(std::string_view line) {
  std::fprintf(stderr, "%smagpie: %.*s\r", kEraseLine,
               static_cast<int>(line.size()), line.data());
  std::fflush(stderr);
  shown_ = true;
  begin_words_with(kEraseLine);
  due_ = seconds() + period_;
}

void ProgressLine::erase() {
  if (!shown_) return;
  shown_ = false;
  begin_words_with("");
  std::fputs(kEraseLine, stderr);
  std::fflush(stderr);
}

}  // namespace magpie::rma::internal
