#include "common/task_pool/words.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"
#include "common/task/invoke.h"

namespace magpie {

std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : type.name();
}

void an_exception_left_task(const PoolTask& task) {
  an_exception_left(absl::StrCat("a task, ", name_of(*task.name)).c_str());
}

void too_large(const PoolTask& task, uint32_t task_bytes) {
  rma::fatal(absl::StrCat("a task, ", name_of(*task.name), ", has ",
                          task.type.closure_size,
                          " bytes, and the root's kTaskBytes is ", task_bytes));
}

void require_rank(int rank) {
  if (rma::size() == 0) rma::fatal("add_at was called outside run_pool");
  if (rank >= 0 && rank < rma::size()) return;
  rma::fatal(absl::StrCat("add_at(", rank, "): there are ranks 0 to ",
                          rma::size() - 1));
}

void require_thread_of_tasks(std::thread::id thread) {
  if (std::this_thread::get_id() == thread) return;
  rma::fatal(
      "add was called by a thread of the program's own; tasks are added by "
      "tasks");
}

}  // namespace magpie
