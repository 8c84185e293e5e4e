// Failures of a loop, told as one failure.
//
//   spmd::Once once("a torn item");
//   for (...) once.expect(is_whole(item), [&] { return StrCat("item ", n); });
//
// When it ends, "a torn item: item 17, and 3 more like it" fails the test.
//
// Thread safety: belongs to one rank.

#ifndef MAGPIE_COMMON_TESTING_ONCE_H_
#define MAGPIE_COMMON_TESTING_ONCE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

namespace magpie::spmd {

class Once {
 public:
  // `what` says in a few words what goes wrong; it must live as long.
  explicit Once(const char* what) : what_(what) {}
  Once(const Once&) = delete;
  Once& operator=(const Once&) = delete;
  ~Once() { tell(); }

  // Counts a failure unless is_well. Calls words() for the first failure only.
  template <typename Words>
  bool expect(bool is_well, const Words& words) {
    if (!is_well) [[unlikely]] {
      if (failures_++ == 0) first_ = words();
    }
    return is_well;
  }

  // Fails the test now instead of at the end.
  void tell() {
    const uint64_t failures = std::exchange(failures_, 0);
    if (failures == 0) return;
    ADD_FAILURE() << what_ << ": " << first_
                  << (failures > 1 ? ", and " + std::to_string(failures - 1) +
                                         " more like it"
                                   : "");
  }

 private:
  const char* const what_;
  std::string first_;
  uint64_t failures_ = 0;
};

}  // namespace magpie::spmd

#endif  // MAGPIE_COMMON_TESTING_ONCE_H_
