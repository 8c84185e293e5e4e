#include "common/rma/check.h"

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"

namespace magpie::internal {

void check_failed(const char* words, const char* file, int line) {
  rma::fatal(absl::StrCat("broken rule: ", words, " (", file, ":", line, ")"));
}

}  // namespace magpie::internal
