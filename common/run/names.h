// Names of types, for messages. For runtimes.

#ifndef MAGPIE_COMMON_RUN_NAMES_H_
#define MAGPIE_COMMON_RUN_NAMES_H_

#include <string>
#include <typeinfo>

namespace magpie {

// The name of a type as in the source: "Visit", "main::{lambda()#1}".
std::string name_of(const std::type_info& type);

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_NAMES_H_
