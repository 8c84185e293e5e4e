#include "common/run/program.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"
#include "common/run/invoke.h"

namespace magpie::internal {

void prepare(const RootInfo& info, void* closure) {
  const bool says_how_much = info.heap_bytes != nullptr;
  const std::string words = absl::StrCat(
      "prepare() of the root task, ", name_of(*info.name),
      says_how_much ? ", takes more of the symmetric heap than its "
                      "heap_bytes() says"
                    : ", takes memory of the symmetric heap, and the root task "
                      "has no heap_bytes(), which says how much");
  {
    const rma::HeapShare share(says_how_much ? info.heap_bytes(closure) : 0,
                               words.c_str());
    try {
      info.prepare(closure);
    } catch (...) {
      an_exception_left("prepare()");
    }
  }
  rma::flush_all();
  rma::require_symmetry("prepare() of the root task");
}

void require_type(const std::type_info& asked, const std::type_info& is) {
  if (asked == is) return;
  rma::fatal(absl::StrCat("the root task was asked for as a ", name_of(asked),
                          ", and is a ", name_of(is)));
}

void require_result_type(const std::type_info& given,
                         const std::type_info* is) {
  if (is != nullptr && given == *is) return;
  rma::fatal(absl::StrCat("end_run() of a value of type ", name_of(given),
                          ", where the root task returns ",
                          is == nullptr ? std::string("nothing: end_run() ends "
                                                      "it without one")
                                        : "a " + name_of(*is)));
}

}  // namespace magpie::internal
