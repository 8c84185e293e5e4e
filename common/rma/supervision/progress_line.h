// A line on a terminal that tells how far a long run is, and is renewed.
//
//   ProgressLine line(3);
//   while (...) {
//     if (line.is_due()) line.show("123 of 1000 seeds");
//   }
//   line.erase();
//
// Thread safety: one thread. Invariants:
//   1. Where standard error is no terminal nothing is written.
//   2. While a line is shown, the cursor stands at its beginning, and the words
//      of crash.cc erase it first.

#ifndef MAGPIE_COMMON_RMA_SUPERVISION_PROGRESS_LINE_H_
#define MAGPIE_COMMON_RMA_SUPERVISION_PROGRESS_LINE_H_

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>

namespace magpie::rma::internal {

class ProgressLine {
 public:
  // No line is shown before `after` real seconds have passed.
  explicit ProgressLine(double after)
      : is_terminal_(isatty(STDERR_FILENO) != 0),
        period_(std::min(after, 0.5)),
        due_(after) {}
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Whether it is time to show the line, or to renew it.
  bool is_due() const { return is_terminal_ && seconds() >= due_; }
  // Shows `line` in the place of what is shown.
  void show(std::string_view line) {
    std::fprintf(stderr, "%smagpie: %.*s\r", kEraseLine,
                 static_cast<int>(line.size()), line.data());
    std::fflush(stderr);
    shown_ = true;
    due_ = seconds() + period_;
  }
  // Real seconds since the construction.
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start_)
        .count();
  }
  // Erases the line, so that what others write does not stand beside it. It is
  // shown again when it is due.
  void erase() {
    if (!shown_) return;
    shown_ = false;
    std::fputs(kEraseLine, stderr);
    std::fflush(stderr);
  }

 private:
  // Moves the cursor to the beginning of its line, and erases the line.
  static constexpr char kEraseLine[] = "\r\x1b[K";

  const bool is_terminal_;
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
  // Seconds between two renewals, and from the start to the next.
  const double period_;
  double due_;
  bool shown_ = false;
};

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_SUPERVISION_PROGRESS_LINE_H_
