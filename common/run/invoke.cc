#include "common/run/invoke.h"

#include <cxxabi.h>

#include <cstdlib>
#include <exception>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"

namespace magpie {

std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : type.name();
}

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
  rma::fatal(absl::StrCat(
      function,
      " was given a null pointer for the result: it needs the address of a "
      "variable (a null report is allowed, and means none)"));
}

void internal::no_such_consumer(uint32_t consumer, uint32_t consumers) {
  rma::fatal(absl::StrCat("consumer ", consumer, " of a shared future with ",
                          consumers, " consumers, 0 to ", consumers - 1));
}

}  // namespace magpie
