// Types of tasks whose spawns have nothing to be asked any more. What is asked
// of each spawn else (is its type new, does its frame fit, is it charged for,
// does a test hook it) is asked once for each type then, and later one word is
// compared.
//
// Thread safety: an instance belongs to one rank.

#ifndef MAGPIE_COMMON_FORK_JOIN_PLAIN_TYPES_H_
#define MAGPIE_COMMON_FORK_JOIN_PLAIN_TYPES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/task/type_info.h"

namespace magpie {

class PlainTypes {
 public:
  // Whether the type was added, and none since that took its place.
  [[gnu::always_inline]] bool has(const TypeInfo& type) const {
    return types_[place_of(type)] == &type;
  }
  void add(const TypeInfo& type) { types_[place_of(type)] = &type; }

 private:
  // As many types of tasks as most programs have.
  static constexpr size_t kPlaces = 8;

  static size_t place_of(const TypeInfo& type) {
    return reinterpret_cast<uintptr_t>(&type) / sizeof(TypeInfo) % kPlaces;
  }

  std::array<const TypeInfo*, kPlaces> types_ = {};
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_PLAIN_TYPES_H_
