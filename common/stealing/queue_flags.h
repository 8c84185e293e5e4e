// The flag of all queues, for runtimes.

#ifndef MAGPIE_COMMON_STEALING_QUEUE_FLAGS_H_
#define MAGPIE_COMMON_STEALING_QUEUE_FLAGS_H_

#include <array>

#include "common/flags/flags.h"

namespace magpie {

// --empty_check: QueueOptions::empty_check.
inline void add_empty_check(CLI::App& app, bool& empty_check) {
  static constexpr std::array kWhether = {"false", "true"};
  flags::add_choice(
      app, "--empty_check", empty_check,
      "whether a thief looks into a victim's queue before it locks it",
      kWhether);
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_QUEUE_FLAGS_H_
