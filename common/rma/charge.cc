#include "common/rma/charge.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace magpie::rma {
namespace {

// The list grows only while the program's objects of static storage are
// initialized, by one thread: before main(), and so before there are ranks. For
// ranks it is constant, and the same in all processes of a job, which run one
// program.
std::vector<const char*>& all_names() {
  static auto* const kNames = new std::vector<const char*>;
  return *kNames;
}

size_t index_of(std::string_view name) {
  const std::vector<const char*>& names = all_names();
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) -
                             names.begin());
}

}  // namespace

Cost::Cost(const char* name) : index_(index_of(name)) {
  if (index_ == all_names().size()) all_names().push_back(name);
}

std::span<const char* const> Cost::names() { return all_names(); }

}  // namespace magpie::rma
