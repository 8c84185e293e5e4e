#include "common/run/invoke.h"

#include <unistd.h>

#include <exception>

#include "absl/strings/str_cat.h"
#include "common/flags/launcher.h"
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

void internal::no_place_for_the_result(const char* function) {
  // Where a launcher has started many processes, all come here.
  if (rma::rank() < 0 && !flags::speaks_for_all()) sleep(1);
  rma::fatal(absl::StrCat(
      function,
      " was given a null pointer for the result: it needs the address of a "
      "variable (a null report is allowed, and means none)"));
}

}  // namespace magpie
