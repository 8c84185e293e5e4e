// Looks for addresses where a task must not have any. For runtimes.
//
// A closure or a result may go to another process, where the sender's stack and
// mappings do not exist. That it is trivially copyable does not say that it
// holds no pointers: a lambda that captures by reference passes. So its words
// are looked at: those of the root's closure; of other closures when a rank
// spawns the first task of a type, and again where another type has taken its
// number; of all closures and results in debug builds (-c dbg). An address of
// memory that other processes do not have prints an error and ends the job.
//
// Pass do addresses of code, constants and globals, which are the same in all
// processes (what tasks write to globals is found by common/run/globals.h); and
// of the heap below the process's break (sbrk), where small objects lie: such
// an address is as small as a number.

#ifndef MAGPIE_COMMON_RUN_ADDRESS_SCAN_H_
#define MAGPIE_COMMON_RUN_ADDRESS_SCAN_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/run/type_info.h"

namespace CLI {
class App;
}

namespace magpie {

// Prints an error that names the function called, and ends the job, unless the
// caller runs in the region or on self().task_stacks: as a task with a stack of
// its own does.
void require_task_stack(const char* function = "spawn");

// Setting of --address_scan: to stop where an address is found, or not to look.
enum class OnAddress : uint8_t { kStop, kOff };

void add_options(CLI::App& app, OnAddress& on_address);

// The scan of one rank's tasks; one instance on each.
class AddressScan {
 public:
#ifdef NDEBUG
  static constexpr bool kLooksAtAll = false;
#else
  static constexpr bool kLooksAtAll = true;
#endif

  explicit AddressScan(OnAddress on_address) : on_address_(on_address) {}

  // Whether closures of the type are still to be looked at.
  bool is_new(const TypeInfo& type) const {
    return kLooksAtAll || last_[number_of(type)] != &type;
  }

  void set_seen(const TypeInfo& type) { last_[number_of(type)] = &type; }

  // Looks at an object of the caller's, which messages call `what`, before it
  // may go to another process. Of the region, memory above `low` is in use;
  // none is before a run.
  void look(const char* what, const void* object, size_t bytes,
            const void* low) const;

 private:
  // A number for a type, below kNumbers. Types may share one.
  static constexpr size_t kNumbers = 256;
  static size_t number_of(const TypeInfo& type) {
    return reinterpret_cast<uintptr_t>(&type) / alignof(TypeInfo) % kNumbers;
  }

  const OnAddress on_address_;
  // Of each number the type that was seen last.
  std::array<const TypeInfo*, kNumbers> last_ = {};
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_ADDRESS_SCAN_H_
