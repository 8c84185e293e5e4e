// Looks for addresses where a task must not have any. For runtimes.
//
// A closure or a result may go to another process, where the sender's stack and
// heap do not exist. That it is trivially copyable does not say that it holds
// no pointers: a lambda that captures by reference passes. So its words are
// looked at: those of the root's closure; of other closures when a rank spawns
// the first task of a type; in debug builds (-c dbg) of all closures and
// results.
//
// What is surely an address of memory that other processes do not have prints
// an error and ends the job. What may as well be a number is warned of, once.
// Addresses of code, constants and globals, which are the same in all
// processes, pass; what tasks write to globals is found elsewhere
// (common/run/globals.h).

#ifndef MAGPIE_COMMON_TASK_ADDRESS_SCAN_H_
#define MAGPIE_COMMON_TASK_ADDRESS_SCAN_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>

#include "common/rma/rma.h"
#include "common/task/type_info.h"

namespace magpie {

// Prints an error that names the function called, and ends the job, unless the
// caller runs in the region or on self().task_stacks: as a task with a stack of
// its own does.
void require_task_stack(const char* function = "spawn");

// What --address_scan says: to stop where an address is found; to warn, and
// never end the job; or not to look.
enum class OnAddress : uint8_t { kStop, kWarn, kOff };

void add_options(CLI::App& app, OnAddress& on_address);

// The scan of one rank's tasks; one instance on each.
class AddressScan {
 public:
#ifdef NDEBUG
  static constexpr bool kLooksAtAll = false;
#else
  static constexpr bool kLooksAtAll = true;
#endif

  // Collective.
  explicit AddressScan(OnAddress on_address);
  static size_t heap_bytes() { return rma::allocated_bytes<rma::Word>(); }

  // Looks at the root's closure. To be called before a run, on the process's
  // own stack.
  void look_at_root(const TypeInfo& type, const void* closure);

  // Whether closures of the type are still to be looked at.
  bool is_new(const TypeInfo& type) const {
    return kLooksAtAll || last_[number_of(type)] != &type;
  }

  // Looks at the closure of a task whose type is_new(). To be called by the
  // task that creates it.
  void look_at_closure(const TypeInfo& type, const void* closure);

  // Looks at a task's result. To be called by that task at its end, and only
  // where kLooksAtAll.
  void look_at_result(const TypeInfo& type, const void* result);

 private:
  struct Object {
    // Name of the object in messages: "a task's closure".
    const char* what;
    const void* bytes;
    size_t size;
    // What lies above this in the region is in use.
    const std::byte* low;
  };

  // A number for a type, below kNumbers. Types may share one.
  static constexpr size_t kNumbers = 256;
  static size_t number_of(const TypeInfo& type) {
    return reinterpret_cast<uintptr_t>(&type) / alignof(TypeInfo) % kNumbers;
  }
  void look(const Object& object);
  void tell(const Object& object, size_t at, uint64_t value, const char* place,
            bool certain);

  const OnAddress on_address_;
  // Types whose first closure was looked at; of each number the last that
  // is_new() was asked about.
  std::set<const TypeInfo*> seen_;
  std::array<const TypeInfo*, kNumbers> last_ = {};
  // Whether this rank has warned, or knows that another one has.
  bool warned_ = false;
  // How many ranks would have warned. Lies on rank 0.
  const rma::RemotePtr<rma::Word> warnings_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_ADDRESS_SCAN_H_
