#include "common/run/names.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace magpie {

std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : type.name();
}

}  // namespace magpie
