// A run's report as JSON and as text. The fields have the same names in all
// programs, runtimes and networks.

#ifndef MAGPIE_COMMON_RUN_DESCRIBE_H_
#define MAGPIE_COMMON_RUN_DESCRIBE_H_

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "common/run/report.h"

namespace magpie {

// Members of a JSON object, in their order. (A JSON library's header would take
// each program seconds to compile.)
struct Field;
using Fields = std::vector<Field>;

// A name and a value.
struct Field {
  using Value = std::variant<bool, int64_t, uint64_t, double, std::string,
                             std::vector<uint64_t>, Fields>;

  template <typename T>
  Field(std::string name, const T& value)
      : name(std::move(name)), value(as_value(value)) {}

  template <typename T>
  static Value as_value(const T& value) {
    if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>)
      return uint64_t{value};
    else
      return value;
  }

  std::string name;
  Value value;
};

// The report as a JSON object in one line: `before`, runtime, backend, machine
// (where one is simulated), ranks, seconds, and metrics, of which `more` are
// the last. README.md has the fields and their units.
std::string in_json(const Fields& before, const RunReport& report,
                    const Fields& more = {});

// An object in one line: "n=34 sha=auto"; numbers have six digits.
std::string in_line(const Fields& object);

// The metrics as a table, a line for each that is not 0, and `more` of them.
std::string in_rows(const RunReport& report, const Fields& more = {});

// Prints the report on standard error, since standard output is the program's
// own. The format: "line", "json", or nothing, and then nothing is printed.
void print_stats(const std::string& format, const RunReport& report);

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_DESCRIBE_H_
