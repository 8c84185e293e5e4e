// Call chains as libgcc's unwinder sees them, from the unwinding notes alone.

#ifndef MAGPIE_TESTS_CONTEXT_BACKTRACE_H_
#define MAGPIE_TESTS_CONTEXT_BACKTRACE_H_

#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tests/context/registers.h"

namespace magpie::context {

struct Frame {
  // The function's first instruction; null if unknown.
  const void* function = nullptr;
  // Callee-saved registers as the function has them, in kCalleeSaved's order.
  std::array<std::uint64_t, kCalleeSaved.size()> registers = {};
};

struct Backtrace {
  static constexpr std::size_t kMaxFrames = 200;

  // Innermost first.
  std::vector<Frame> frames = {};
  _Unwind_Reason_Code end = _URC_NO_REASON;

  const Frame* find(const void* function) const {
    const auto i =
        std::find_if(frames.begin(), frames.end(),
                     [=](const Frame& f) { return f.function == function; });
    return i == frames.end() ? nullptr : &*i;
  }

  // Whether these functions follow one another somewhere in the chain.
  bool has_run(const std::vector<const void*>& run) const {
    return std::search(frames.begin(), frames.end(), run.begin(), run.end(),
                       [](const Frame& f, const void* function) {
                         return f.function == function;
                       }) != frames.end();
  }
};

[[gnu::noinline]] inline Backtrace take_backtrace() {
  Backtrace trace;
  auto visit = [](_Unwind_Context* context, void* arg) {
    Backtrace* trace = static_cast<Backtrace*>(arg);
    if (trace->frames.size() == Backtrace::kMaxFrames) return _URC_END_OF_STACK;
    Frame frame;
    frame.function =
        reinterpret_cast<const void*>(_Unwind_GetRegionStart(context));
    for (std::size_t i = 0; i < kCalleeSaved.size(); ++i) {
      frame.registers[i] = _Unwind_GetGR(context, kCalleeSaved[i]);
    }
    trace->frames.push_back(frame);
    return _URC_NO_REASON;
  };
  trace.end = _Unwind_Backtrace(visit, &trace);
  return trace;
}

}  // namespace magpie::context

#endif  // MAGPIE_TESTS_CONTEXT_BACKTRACE_H_
