// Parts of this backend that the seam knows. The library's first source, so
// that with two backends a linker first names the symbol that says to link one.

#include "common/rma/backend.h"

#include "common/rma/rma.h"
#include "common/rma/sim/engine/engine.h"
#include "common/rma/sim/options.h"

namespace magpie::rma {
namespace sim {
namespace {

const SimHooks kHooks = {
    .load =
        [](const uint64_t* word) {
          engine->called_from(__builtin_return_address(0));
          return engine->load(word);
        },
    .store =
        [](uint64_t* word, uint64_t value, StoreOrder order) {
          engine->called_from(__builtin_return_address(0));
          engine->store(word, value, order);
        },
    .order_stores = [] { engine->order_stores(); },
    .plain_write = [](void* place,
                      size_t bytes) { engine->plain_write(place, bytes); },
    .fence = [] { engine->fence(); },
    .charge = [](const Cost& what,
                 uint64_t amount) { engine->charge(what, amount); },
    .charge_and_poll =
        [](std::span<const Work> all, uint64_t polls) {
          engine->charge_and_poll(all, polls);
        },
    .use_region =
        [](std::byte* low, std::byte* high) {
          Memory& memory = engine->memory();
          if (low == nullptr) return memory.leave_region(engine->running());
          memory.use_region(engine->running(), low, high);
        },
    .machine = [] { return engine->net().name.c_str(); },
    .writes_are_atomic = [] { return engine->net().writes_are_atomic; },
    .name_bytes =
        [](uint64_t offset, size_t bytes, size_t count, const char* name) {
          engine->name_bytes(offset, bytes, count, name);
        },
    .wants_events = [] { return !options.log.empty(); },
    .tell_event = [](const char* name, uint64_t begin,
                     uint64_t end) { engine->tell_event(name, begin, end); },
};

}  // namespace
}  // namespace sim

const BackendTraits kBackend = {.name = "sim", .sim = &sim::kHooks};

}  // namespace magpie::rma
