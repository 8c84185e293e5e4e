#include "common/rma/check.h"

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"

namespace magpie::internal {

void check_failed(const char* words, std::source_location where) {
  rma::fatal(absl::StrCat("broken rule: ", words, " (", where.file_name(), ":",
                          where.line(), ")"));
}

}  // namespace magpie::internal
