#include "absl/strings/str_cat.h"
#include "common/fork_join/fork_join.h"
#include "common/rma/rma.h"

namespace magpie::internal {

void no_such_consumer(uint32_t consumer, uint32_t consumers) {
  rma::fatal(absl::StrCat("consumer ", consumer, " of a shared future with ",
                          consumers, " consumers, 0 to ", consumers - 1));
}

}  // namespace magpie::internal
