// Types of tasks whose spawns have nothing to be asked any more. What is else
// asked of each spawn (is its type new, is it small, is it charged for, does a
// test hook it) is then asked once for each type; later spawns look at one
// byte, at an address that the compiler knows: the type's own.
//
// Thread safety: an instance belongs to one rank, and is the only one of its
// process that has types.

#ifndef MAGPIE_COMMON_FORK_JOIN_PLAIN_TYPES_H_
#define MAGPIE_COMMON_FORK_JOIN_PLAIN_TYPES_H_

#include <vector>

#include "common/fork_join/runtime.h"

namespace magpie {

class PlainTypes {
 public:
  PlainTypes() = default;
  PlainTypes(const PlainTypes&) = delete;
  PlainTypes& operator=(const PlainTypes&) = delete;
  // Forgets the types: the next run asks anew.
  ~PlainTypes() {
    for (bool* const type : types_) *type = false;
  }

  [[gnu::always_inline]] static bool has(const SpawnedType& type) {
    return *type.is_plain;
  }
  // Adds a type, unless it was added before. REQUIRES: no other rank is in the
  // process.
  void add(const SpawnedType& type) {
    if (has(type)) return;
    *type.is_plain = true;
    types_.push_back(type.is_plain);
  }

 private:
  std::vector<bool*> types_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_PLAIN_TYPES_H_
