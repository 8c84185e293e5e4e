// The seam between the shim's inline layer (rma.h, word.h) and the one backend
// that is linked.
//
// For authors of backends; everybody else includes rma.h. A backend defines
// `kBackend`, the functions of namespace `backend`, and the extern functions of
// rma.h that are not inline.

#ifndef MAGPIE_COMMON_RMA_BACKEND_H_
#define MAGPIE_COMMON_RMA_BACKEND_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace magpie::rma {

struct Self;
class Cost;
struct Work;

// See Word::store and Word::store_relaxed.
enum class StoreOrder : uint8_t { kRelaxed, kRelease };

// Parts of its ranks' own execution that a simulated network takes over.
struct SimHooks {
  uint64_t (*load)(const uint64_t* word);
  void (*store)(uint64_t* word, uint64_t value, StoreOrder order);
  void (*order_stores)();
  void (*plain_write)(void* place, size_t bytes);
  void (*fence)();
  void (*charge)(const Cost& what, uint64_t amount);
  void (*charge_and_poll)(std::span<const Work> all, uint64_t polls);
  // Tells which part of its region a rank uses; nulls: it leaves the region.
  void (*use_region)(std::byte* low, std::byte* high);
  // Returns the name of the simulated machine.
  const char* (*machine)();
  // See rma.h.
  bool (*writes_are_atomic)();
  void (*name_bytes)(uint64_t offset, size_t bytes, size_t count,
                     const char* name);
  // See events.h.
  bool (*wants_events)();
  void (*tell_event)(const char* name, uint64_t begin, uint64_t end);
};

struct BackendTraits {
  // "shm", "mpi", "sim".
  const char* name;
  // The hooks of a simulated network, whose ranks live in one process, as
  // fibers; null on real ones.
  const SimHooks* sim;
};

// Defined by the backend. Its symbol says what to do when it is missing or
// there twice: link exactly one of //common/rma:shm, //common/rma:mpi,
// //common/rma:sim.
extern const BackendTraits kBackend asm(
    "magpie_link_exactly_one_rma_backend_shm_mpi_or_sim");

inline constexpr int kAllRanks = -1;

namespace backend {

// The calling rank; never null. Set by launch(), and by a simulator at each
// switch between ranks. Outside a run, internal::nobody (backends.h).
extern Self* current;

// The operations of rma.h, uncounted. Offsets are in the target's segment.
void get(int rank, uint64_t offset, void* to, size_t bytes);
void put(int rank, uint64_t offset, const void* from, size_t bytes);
uint64_t fetch_add(int rank, uint64_t offset, uint64_t value);
uint64_t swap(int rank, uint64_t offset, uint64_t value);
void get_nb(int rank, uint64_t offset, void* to, size_t bytes);
void put_nb(int rank, uint64_t offset, const void* from, size_t bytes);
void fetch_add_nb(int rank, uint64_t offset, uint64_t value, uint64_t* result);
void flush(int rank);  // or kAllRanks
// Adds 1 to a count that the rank keeps, which its rest() looks at.
void wake(int rank);

}  // namespace backend
}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_BACKEND_H_
