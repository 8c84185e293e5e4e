#include "common/rma/supervision/progress_line.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace magpie::rma::internal {
namespace {

// Moves the cursor to the beginning of its line, and erases the line.
constexpr char kEraseLine[] = "\r\x1b[K";

}  // namespace

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
  due_ = seconds() + period_;
}

void ProgressLine::erase() {
  if (!shown_) return;
  shown_ = false;
  std::fputs(kEraseLine, stderr);
  std::fflush(stderr);
}

}  // namespace magpie::rma::internal
