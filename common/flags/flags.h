// Command lines in the style of all programs here, over CLI11.
//
//   flags::App app("Counts the nodes of a tree.");
//   uint64_t bytes = 1 << 20;
//   flags::add_bytes(app, "--buffer_bytes", bytes, "size of the buffer",
//                    4096, 1ull << 40);
//   flags::parse_or_exit(app, argc, argv);
//
// Bad input ends with exit status 2 and one line that names the flag, the value
// and what is allowed. `--help` prints the flags with their defaults and units,
// `--version` what the app has been told to say, and both end with 0.

#ifndef MAGPIE_COMMON_FLAGS_FLAGS_H_
#define MAGPIE_COMMON_FLAGS_FLAGS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// <CLI/CLI.hpp> takes long to compile: code that makes an App, or adds the
// flags below to one, does not need it.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace magpie::flags {

// A command line with its description, and a name where it is one of several in
// a program. Can be passed as a CLI::App&.
class App {
 public:
  explicit App(const std::string& description = "",
               const std::string& name = "");
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  operator CLI::App&() { return *app_; }

  void remove_help();

 private:
  const std::unique_ptr<CLI::App> app_;
};

// Prints "magpie: message" to stderr and exits with status 2.
[[noreturn]] void die(std::string_view message);

// Prints the text of --help or a similar flag, once, however many processes a
// launcher has started, and exits with status 0.
[[noreturn]] void print_and_exit(const std::string& text);

// Parses all of argv; does not return on bad input or --help.
void parse_or_exit(CLI::App& app, int argc, char** argv);

// Parses what `app` knows and returns the other arguments in their order, for
// the next layer. `more_help` is that layer's flags_of, printed after app's own
// help. A flag that neither knows is among them: parse_rest_or_exit refuses it,
// so a program that ends before its run takes it silently.
std::vector<std::string> parse_known_or_exit(CLI::App& app, int argc,
                                             char** argv,
                                             const std::string& more_help);

// Parses arguments that an outer layer left over.
void parse_rest_or_exit(CLI::App& app, std::vector<std::string> arguments);

// Ends the parse, and says why the value of `flag` is refused. For code that
// reads a flag's value while it is parsed.
[[noreturn]] void refuse(const std::string& flag, const std::string& why);

// The flags of `app` in their groups, as --help shows them.
std::string flags_of(const CLI::App& app);

// Adds a flag for a size in bytes: "4096", "64K", "16M", "2G" (powers of 1024),
// rounded up to a multiple of `unit`. Refused outside [min, max].
CLI::Option* add_bytes(CLI::App& app, const std::string& name, uint64_t& value,
                       const std::string& description, uint64_t min,
                       uint64_t max, uint64_t unit = 1);

// A size as such a flag takes it, with the largest unit that divides it: "16M".
std::string in_units(uint64_t bytes);

// Adds a flag for a number in [min, max]. T: int, long, unsigned or not, or
// double.
template <typename T>
CLI::Option* add_number(CLI::App& app, const std::string& name, T& value,
                        const std::string& description,
                        std::type_identity_t<T> min,
                        std::type_identity_t<T> max);

template <typename T>
CLI::Option* add_integer(
    CLI::App& app, const std::string& name, T& value,
    const std::string& description, std::type_identity_t<T> min = 0,
    std::type_identity_t<T> max = std::numeric_limits<T>::max()) {
  static_assert(std::is_integral_v<T>);
  return add_number(app, name, value, description, min, max);
}

// Adds a flag for one of `names`, which are constants; choose(index) is called
// with its index, and `chosen` is that of the default.
CLI::Option* add_choice(CLI::App& app, const std::string& name,
                        std::function<void(size_t)> choose, size_t chosen,
                        const std::string& description,
                        std::span<const char* const> names);

// The same, but stores the index to `value`, as its type T.
template <typename T>
CLI::Option* add_choice(CLI::App& app, const std::string& name, T& value,
                        const std::string& description,
                        std::span<const char* const> names) {
  return add_choice(
      app, name, [&value](size_t index) { value = static_cast<T>(index); },
      static_cast<size_t>(value), description, names);
}

// Adds a flag without a value; `value` is true where it is given.
void add_switch(CLI::App& app, const std::string& name, bool& value,
                const std::string& description);

// Adds a flag for any text. --help calls the value `kind`, and its default
// `otherwise`.
void add_text(CLI::App& app, const std::string& name, std::string& value,
              const std::string& description, const std::string& kind = "TEXT",
              const std::string& otherwise = "");

// The same for text that `read` stores, or refuses.
void add_read(CLI::App& app, const std::string& name,
              std::function<void(const std::string&)> read,
              const std::string& description, const std::string& kind,
              const std::string& otherwise = "");

// The same for text that may be left out, and then is `implied`. Where there
// are `names`, which are constants, it must be one of them.
void add_optional(CLI::App& app, const std::string& name, std::string& value,
                  const std::string& implied, const std::string& description,
                  const std::string& kind, const std::string& otherwise = "",
                  std::span<const char* const> names = {});

// Adds a flag for a number of seconds in [min, 10^6].
CLI::Option* add_seconds(CLI::App& app, const std::string& name, double& value,
                         const std::string& description, double min = 0);

// Sets what --help calls a default that is no value: "all of them".
void describe_default(CLI::Option* option, const std::string& words);

// Refuses the command line with the words that wrong() returns, if any, after
// all flags have been read. Once for an app.
void check_all(CLI::App& app, std::function<std::string()> wrong);

// Makes `value` the default of an integer's flag, and refuses others: it is all
// that `who` takes.
void allow_only(CLI::App& app, const std::string& flag, int value,
                const std::string& who);

// Refuses `flag` beside one of `others`, if the app has it.
void exclude(CLI::App& app, const std::string& flag,
             std::initializer_list<const char*> others);

// Adds --version, which prints `version`, in one group with --help.
void add_version(CLI::App& app, const std::string& version);

// Begins the group of --help in which later flags stand; returns the group
// before.
std::string begin_group(CLI::App& app, const std::string& name);

}  // namespace magpie::flags

#endif  // MAGPIE_COMMON_FLAGS_FLAGS_H_
