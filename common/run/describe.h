// A run's report as JSON and as text. The fields have the same names in all
// programs, runtimes and networks.

#ifndef MAGPIE_COMMON_RUN_DESCRIBE_H_
#define MAGPIE_COMMON_RUN_DESCRIBE_H_

#include <nlohmann/json.hpp>
#include <string>

#include "common/run/report.h"

namespace magpie {

using Json = nlohmann::ordered_json;

// The report as an object: runtime, backend, machine (where one is simulated),
// ranks, seconds, metrics. README.md has the fields and their units.
Json describe(const RunReport& report);

// A value as people read it: text without quotes, numbers with six digits.
std::string in_words(const Json& value);

// An object in one line: "n=34 sha=auto"; of objects in it, the members that
// are not 0: "rma.get.bytes=48".
std::string in_line(const Json& object);

// The metrics of such an object as a table, a line for each that is not 0.
std::string in_rows(const Json& metrics);

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_DESCRIBE_H_
