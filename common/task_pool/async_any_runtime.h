// The seam between programs (async_any.h) and a pool that offers the constructs
// of hybrid_glb_apgas18 §3.
//
// For authors of pools; programs include async_any.h. Such a pool has the seam
// of all pools too (runtime.h): run() gets a root whose info says
// opens_finishes, add() and add_at() add tasks to the finish that is open. A
// program of run_pool is one finish from its beginning to its end, in which
// tasks may use all constructs but those of the root.
//
// A pool is a class as constructs.h asks for; the macro at the end makes the
// functions of it.

#ifndef MAGPIE_COMMON_TASK_POOL_ASYNC_ANY_RUNTIME_H_
#define MAGPIE_COMMON_TASK_POOL_ASYNC_ANY_RUNTIME_H_

#include <cstddef>
#include <cstdint>
#include <typeinfo>

#include "common/task_pool/runtime.h"

namespace magpie {

// The largest alignment of static data.
inline constexpr uint32_t kMaxStaticAlign = 64;

// What a pool knows of a type of static data. It lies at the same address on
// all ranks, so that the address names the type everywhere.
struct StaticType {
  uint32_t size;
  // For messages.
  const std::type_info* name;
};

namespace any_seam {

// Defined by pools that have the constructs. Its symbol says what to do when it
// is missing.
extern const char kHasConstructs asm(
    "magpie_asyncAny_needs_pool_glb_or_pool_glb_hybrid_or_pool_serial");

// Begins a finish, calls call(body), and returns when all tasks that came of it
// have been processed. Prints an error and ends the job unless the caller is
// the root, outside of any finish, and where an exception leaves the body.
void finish(void (*call)(void* body), void* body);

// Adds a cancelable task to the calling rank's bag. False: the finish was
// cancelled, and nothing was added.
bool add_cancelable(const PoolTask* type, const void* closure);
// Adds `count` tasks of one type, whose closures lie one after the other, at a
// place. Prints an error and ends the job where there is no such place. False:
// they are cancelable, the finish was cancelled, and nothing was added.
bool add_at_place(int place, const PoolTask* type, const void* closures,
                  size_t count, bool is_cancelable);

// Cancels the open finish. When it returns no cancelable task starts any more.
void cancel_all();
// Whether the finish that is open, or was open last, has been cancelled.
bool cancelled();

// Stores what the partial results merge to now.
void reduce(const PartialType* type, void* result);

// Sets what every rank has from the start of the next finish on; returns the
// calling rank's copy, which is of this type, or the job ends with an error.
void static_init(const StaticType* type, const void* data);
const void* static_data(const StaticType* type);

// The calling rank's place, how many there are, and how many workers its place
// has.
int here();
int places();
int workers();

}  // namespace any_seam
}  // namespace magpie

// Defines the functions of the seam by the static functions of the class `P`,
// which have the same names (ConstructsOfRank has them). Stands in namespace
// magpie, after MAGPIE_TASK_POOL_SEAM(P).
#define MAGPIE_ASYNC_ANY_SEAM(P)                                           \
  namespace any_seam {                                                     \
  const char kHasConstructs = 1;                                           \
  void finish(void (*call)(void*), void* body) { P::finish(call, body); }  \
  bool add_cancelable(const PoolTask* type, const void* closure) {         \
    return P::add_cancelable(type, closure);                               \
  }                                                                        \
  bool add_at_place(int place, const PoolTask* type, const void* closures, \
                    size_t count, bool is_cancelable) {                    \
    return P::add_at_place(place, type, closures, count, is_cancelable);   \
  }                                                                        \
  void cancel_all() { P::cancel_all(); }                                   \
  bool cancelled() { return P::cancelled(); }                              \
  void reduce(const PartialType* type, void* result) {                     \
    P::reduce(type, result);                                               \
  }                                                                        \
  void static_init(const StaticType* type, const void* data) {             \
    P::static_init(type, data);                                            \
  }                                                                        \
  const void* static_data(const StaticType* type) {                        \
    return P::static_data(type);                                           \
  }                                                                        \
  int here() { return P::here(); }                                         \
  int places() { return P::places(); }                                     \
  int workers() { return P::workers(); }                                   \
  }  // namespace any_seam

#endif  // MAGPIE_COMMON_TASK_POOL_ASYNC_ANY_RUNTIME_H_
