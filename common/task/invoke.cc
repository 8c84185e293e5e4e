#include "common/task/invoke.h"

#include <exception>

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"

namespace magpie {

void an_exception_left(const char* what) {
  try {
    throw;
  } catch (const std::exception& e) {
    rma::fatal(absl::StrCat("an exception left ", what, ": ", e.what()));
  } catch (...) {
    rma::fatal(
        absl::StrCat("an exception left ", what, "; it is no std::exception"));
  }
}

}  // namespace magpie
