#include "common/task_pool/words.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"
#include "common/task/invoke.h"
#include "common/task/names.h"

namespace magpie {

void an_exception_left_task(const PoolTask& task) {
  an_exception_left(absl::StrCat("a task, ", name_of(*task.name)).c_str());
}

void too_large(const PoolTask& task, const PoolInfo& root) {
  const std::string most =
      root.kept_to_bytes != 0
          ? absl::StrCat("and the root's kTaskBytes is ", root.kept_to_bytes)
          : absl::StrCat(
                "and the largest task that was known before main() has ",
                largest_task, ": state kTaskBytes in the root");
  rma::fatal(absl::StrCat("a task, ", name_of(*task.name), ", has ",
                          task.type.closure_size, " bytes, ", most));
}

void require_rank(int rank) {
  if (rma::size() == 0) rma::fatal("add_at was called outside run_pool");
  if (rank >= 0 && rank < rma::size()) return;
  rma::fatal(absl::StrCat("add_at(", rank, "): there are ranks 0 to ",
                          rma::size() - 1));
}

void refuse_end_of_finishes() {
  rma::fatal(
      "end_pool() was called in a program of run_any, whose root goes on after "
      "each finish: cancel_all_cancelable_async_any() ends a finish early");
}

void refuse_thread(const char* function) {
  rma::fatal(absl::StrCat(function,
                          " was called by a thread of the program's own: it is "
                          "for the root and for tasks"));
}

void refuse_in_place() {
  rma::fatal(
      "partial() was called in a program whose results reduce_async_any() "
      "reads "
      "while tasks change them: hand values to merge()");
}

}  // namespace magpie
