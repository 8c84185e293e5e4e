// The RMA shim: what every mechanism of this repository asks of a network.
//
//   int rank_main(void*) {
//     // At the same offset on every rank.
//     rma::RemotePtr<rma::Word> counter = rma::allocate<rma::Word>();
//     rma::barrier();
//     rma::fetch_add(counter.at(0), 1);
//     rma::barrier();
//     if (rma::rank() == 0)
//       std::printf("%lu\n", counter.local()->load());  // rma::size()
//     return 0;
//   }
//   int main(int argc, char** argv) {
//     flags::App app;
//     rma::add_options(app);
//     flags::parse_or_exit(app, argc, argv);
//     return rma::launch({.heap_bytes = 1 << 20}, rank_main, nullptr);
//   }
//
// SPMD: size() ranks run the same program. Each owns one *segment* of remotely
// accessible memory, which has two parts: a *region*, at the same virtual
// address on every rank (for stacks that migrate), and a *heap*, whose objects
// are allocated symmetrically: at the same offset on every rank. A remote
// object is named by a RemotePtr, a rank and an offset.
//
// Thread safety: a rank is one thread of control. Its functions are called by
// that thread only.
//
// Ordering: when a blocking operation returns, its result is there and its
// buffer is free. When its effect is seen at the target is another matter:
// between two operations of one rank, even to the same target, *only flush
// orders the earlier before the later*. For the owner's side of words that
// others touch see word.h.
//
// Migration: whoever may change rank in the middle (a task across spawn and
// join) reads self() again after every such point. A reference kept across it
// belongs to the old rank.
//
// Cost is given in operations: each counts once in self().counters. Flushes,
// which move no data, are left out, except where a rank waits for others by
// one.

#ifndef MAGPIE_COMMON_RMA_RMA_H_
#define MAGPIE_COMMON_RMA_RMA_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "common/rma/addresses.h"
#include "common/rma/backend.h"
#include "common/rma/charge.h"
#include "common/rma/check.h"
#include "common/rma/counters.h"
#include "common/rma/launch.h"
#include "common/rma/self.h"
#include "common/rma/word.h"

namespace magpie::rma {

// -------------------------------------------------------------------- the rank

inline Self& self() { return *backend::current; }
// Outside a run the rank is -1 and the size 0, or, while a SizeIsKnown lives,
// that of the next launch.
inline int rank() { return self().rank; }
inline int size() { return self().size; }

// Whether this is a simulated network's rank, whose every access to a Word is
// an event. The compiler knows the answer in the code after a call.
inline bool is_simulated() { return kBackend.sim != nullptr; }
// Tells the compiler so, without asking. REQUIRES: !is_simulated().
[[gnu::always_inline]] inline void assume_not_simulated() {
  if (is_simulated()) __builtin_unreachable();
}

// The name of the simulated machine; empty on real networks.
inline const char* machine() {
  return kBackend.sim == nullptr ? "" : kBackend.sim->machine();
}

// Whether a put of one word is atomic with respect to the atomics on that word:
// it takes effect once, and not in the middle of one. Real networks do not
// promise it; simulated ones do where --net has writes=atomic.
inline bool writes_are_atomic() {
  return kBackend.sim != nullptr && kBackend.sim->writes_are_atomic();
}

// The node of a rank: ranks with equal nodes share memory.
// 0 <= node_of(r) < size().
int node_of(int rank);

// ------------------------------------------------------------------- addresses

// A T at `offset` in the segment of `rank`. Trivially copyable; null when it is
// default-constructed.
template <typename T>
struct RemotePtr {
  int32_t rank = -1;
  uint64_t offset = 0;

  explicit operator bool() const { return rank >= 0; }
  bool operator==(const RemotePtr&) const = default;

  // The same offset on another rank.
  RemotePtr at(int other_rank) const { return {other_rank, offset}; }
  // The i-th element after this one.
  RemotePtr operator+(uint64_t i) const {
    return {rank, offset + i * sizeof(T)};
  }
  operator RemotePtr<const T>() const requires(!std::is_const_v<T>) {
    return {rank, offset};
  }

  // A member of the object, in rank's memory: p.field(&S::member).
  // REQUIRES: T is a standard-layout type.
  template <typename S, typename M>
  RemotePtr<M> field(M S::*member) const {
    static_assert(std::is_same_v<S, T>, "a member of another type");
    alignas(S) static constexpr std::byte kStorage[sizeof(S)] = {};
    const S* s = reinterpret_cast<const S*>(kStorage);
    const auto* const m = reinterpret_cast<const std::byte*>(&(s->*member));
    return {rank, offset + static_cast<uint64_t>(m - kStorage)};
  }

  // The object as its owner sees it.
  // REQUIRES: rank == rma::rank(), and the object is in the heap.
  [[gnu::always_inline]] T* local() const {
    check(rank == rma::rank(),
          "an object of another rank is used as an own one");
    return reinterpret_cast<T*>(self().heap_origin + offset);
  }
};

// Place of an address of the calling rank's region in `rank`'s segment.
// REQUIRES: address is in [self().region, self().region + self().region_bytes].
inline RemotePtr<std::byte> region_ptr(int rank, const void* address) {
  const auto offset = static_cast<uint64_t>(
      static_cast<const std::byte*>(address) - self().region);
  check(offset <= self().region_bytes, "an address that is not in the region");
  return {rank, offset};
}

// Place of an object of the calling rank's heap, for everybody.
template <typename T>
RemotePtr<T> heap_ptr(T* object) {
  return {rank(),
          static_cast<uint64_t>(reinterpret_cast<const std::byte*>(object) -
                                self().heap_origin)};
}

// Says that the caller uses [low, high) of its region from now on, and what is
// below that down to its stack pointer, if that lies in the region; what the
// rest held is lost. A rank must call it before it touches its region, runs
// there, or lets others access it; others' operations stay within what is in
// use. At first nothing is in use.
// REQUIRES: the caller's stack is not in the part that is given up.
// Cost: no operation. A simulator, whose ranks share one region, copies what is
// in use when it runs another rank.
inline void use_region(std::byte* low, std::byte* high) {
  if (const SimHooks* sim = kBackend.sim) [[unlikely]]
    sim->use_region(low, high);
}
// Says that the caller uses nothing of its region any more.
// REQUIRES: the caller's stack is not there.
inline void leave_region() {
  if (const SimHooks* sim = kBackend.sim) [[unlikely]]
    sim->use_region(nullptr, nullptr);
}

// Allocates `bytes` of every rank's heap, zeroed, at the same offset.
// Collective: all ranks call it in the same order with the same arguments, and
// no task calls it, which prints an error and ends the job. Never freed. Prints
// an error and ends the job when the heap (SegmentLayout::heap_bytes) is full.
// Returns the calling rank's copy.
// With a name, which is a literal, the log of a simulation (--log) speaks of
// these bytes by it.
RemotePtr<std::byte> allocate_bytes(size_t bytes, size_t align,
                                    const char* name = nullptr);

// Prints an error and ends the job unless all ranks have allocated the same so
// far, in the same order. `who` is the beginning of the message: "prepare()".
// Collective. Cost: a reduction.
void require_symmetry(const char* who);

// While a HeapShare lives, the calling rank may allocate `bytes` more; an
// allocation beyond them ends the job with words that begin with `words`, which
// must live as long. Shares do not nest.
class HeapShare {
 public:
  HeapShare(size_t bytes, const char* words);
  ~HeapShare();
  HeapShare(const HeapShare&) = delete;
  HeapShare& operator=(const HeapShare&) = delete;
};

// A size of more bytes than any machine has. Sums of a few such do not wrap.
inline constexpr size_t kTooManyBytes = size_t{1} << 60;

// Returns count * size, at most kTooManyBytes.
constexpr size_t bytes_of(size_t count, size_t size) {
  return count < kTooManyBytes / size ? count * size : kTooManyBytes;
}

// Names `count` objects of `bytes` each, one behind the other, from an offset
// on, for the log of a simulation. To be called on every rank. Where names
// overlap, the one of fewer bytes is the more exact one; of names of equal
// bytes the earlier one is told. Cost: no operation, no virtual time.
inline void name_bytes(uint64_t offset, size_t bytes, size_t count,
                       const char* name) {
  if (kBackend.sim != nullptr) [[unlikely]]
    kBackend.sim->name_bytes(offset, bytes, count, name);
}
template <typename T>
void name_word(RemotePtr<T> word, const char* name) {
  name_bytes(word.offset, sizeof(T), 1, name);
}

// Does what allocate_bytes does, for `count` objects, each of which gets the
// name.
template <typename T>
RemotePtr<T> allocate(size_t count = 1, const char* name = nullptr) {
  RemotePtr<std::byte> p =
      allocate_bytes(bytes_of(count, sizeof(T)), alignof(T));
  if (name != nullptr) name_bytes(p.offset, sizeof(T), count, name);
  return {p.rank, p.offset};
}

// Most bytes of the heap that such an allocation takes, wherever it falls: for
// SegmentLayout::heap_bytes. A negative number of objects takes kTooManyBytes
// or more.
constexpr size_t allocated_bytes(size_t bytes, size_t align) {
  return bytes < kTooManyBytes ? bytes + align - 1 : kTooManyBytes;
}
template <typename T>
constexpr size_t allocated_bytes(size_t count = 1) {
  return allocated_bytes(bytes_of(count, sizeof(T)), alignof(T));
}

// --------------------------------------------------------- blocking operations

// Copies `bytes` from a remote object. Any alignment, 1 byte and up; 0 bytes do
// nothing. Where remote offset and size are multiples of 8, no 8-byte word of
// it is torn; between words there is no order.
inline void get(void* to, RemotePtr<const std::byte> from, size_t bytes) {
  self().counters.count(Op::kGet, bytes);
  backend::get(from.rank, from.offset, to, bytes);
}
template <typename T>
T get(RemotePtr<T> from) {
  T value;
  get(&value, {from.rank, from.offset}, sizeof(T));
  return value;
}
// Words are read by get_word.
template <>
inline Word get(RemotePtr<Word> from) = delete;

inline uint64_t get_word(RemotePtr<Word> from) {
  uint64_t value;
  get(&value, {from.rank, from.offset}, sizeof(value));
  return value;
}

// Copies `bytes` to a remote object, under the same rules as get. A flush of
// the target orders it before what comes later. Until then each word may be
// written more than once, even a single one (MPI copies by memcpy, and glibc's
// makes two stores of 8 bytes). So a word that tells others that they may
// overwrite it is changed by a fetch_add: MPI may copy for a swap likewise.
inline void put(RemotePtr<std::byte> to, const void* from, size_t bytes) {
  self().counters.count(Op::kPut, bytes);
  backend::put(to.rank, to.offset, from, bytes);
}
template <typename T>
void put(RemotePtr<T> to, const T& value) {
  put({to.rank, to.offset}, &value, sizeof(T));
}
inline void put_word(RemotePtr<Word> to, uint64_t value) {
  put({to.rank, to.offset}, &value, sizeof(value));
}

// The atomics: atomic with respect to each other, whatever the kind, and to the
// owner's own use of these functions. They return the previous value. There is
// no compare-and-swap, which MPI components get wrong.
inline uint64_t fetch_add(RemotePtr<Word> word, uint64_t value) {
  self().counters.count(Op::kFetchAdd, sizeof(value));
  return backend::fetch_add(word.rank, word.offset, value);
}
inline uint64_t swap(RemotePtr<Word> word, uint64_t value) {
  self().counters.count(Op::kSwap, sizeof(value));
  return backend::swap(word.rank, word.offset, value);
}

// ----------------------------------------------------- non-blocking operations

// Non-blocking operations complete, in any order, by the next flush of the
// target (or flush_all). `from` is read at some time before that flush returns,
// so it must stay unchanged until then; `to` holds the bytes from then on. A
// get_nb is counted as a get.
inline void get_nb(void* to, RemotePtr<const std::byte> from, size_t bytes) {
  self().counters.count(Op::kGet, bytes);
  backend::get_nb(from.rank, from.offset, to, bytes);
}
inline void put_nb(RemotePtr<std::byte> to, const void* from, size_t bytes) {
  self().counters.count(Op::kPutNb, bytes);
  backend::put_nb(to.rank, to.offset, from, bytes);
}

// Adds to the word; *result holds the previous value once the flush has
// returned. `result` may be null.
inline void fetch_add_nb(RemotePtr<Word> word, uint64_t value,
                         uint64_t* result) {
  self().counters.count(Op::kFetchAddNb, sizeof(value));
  backend::fetch_add_nb(word.rank, word.offset, value, result);
}

// Completes all operations of this rank to `rank` (to all ranks): they are done
// there when it returns, and before every operation that this rank issues
// later.
inline void flush(int rank) {
  self().counters.count(Op::kFlush, 0);
  backend::flush(rank);
}
inline void flush_all() {
  self().counters.count(Op::kFlush, 0);
  backend::flush(kAllRanks);
}

// Puts a value into the word of that location on every rank, and waits until it
// is there. Cost: a put_nb to each rank, and a flush of all.
inline void put_word_to_all(RemotePtr<Word> word, uint64_t value) {
  for (int rank = 0; rank < size(); ++rank)
    put_nb({rank, word.offset}, &value, sizeof(value));
  flush_all();
}

// ----------------------------------------------------------------- collectives
//
// All ranks call collectives in the same order. REQUIRES: the caller has
// nothing unflushed, puts included: a barrier orders no operation, and two
// ranks could wait for each other's completion. And the caller is no task: a
// task's call prints an error and ends the job, since nobody knows which ranks
// would come.

void barrier();
// Copies `bytes` at `data` from `root` to all other ranks.
void broadcast(void* data, size_t bytes, int root);

enum class Reduction : uint8_t { kSum, kMin, kMax };
// Combines values[0..count) element by element over all ranks; every rank gets
// the result.
void reduce(uint64_t* values, size_t count, Reduction reduction);

// ----------------------------------------------------------- time and progress

// Nanoseconds on this rank's steady clock. Comparable between the ranks of a
// node only.
uint64_t now();

// Must be called in every loop that waits for another rank: yields the core
// where cores are short, lets the network make progress, lets simulated time
// pass. Returns soon. `times` stands for so many calls, of a caller that has
// nothing to look at between: a simulated network then takes one step.
void idle(int times = 1);

// Gives the core back for at most `nanoseconds`, in which the calling rank has
// nothing to do except to look at words that others change. Returns then or
// sooner; on real networks later, as far as timers are coarse (on Linux 50 us).
// Others' operations on the rank go on meanwhile, as while it idles. For
// callers that may be late by that much, instead of idle() and under the same
// rule: what is unflushed is flushed before. Resting is no work, so a simulator
// counts ranks that do nothing else as polling.
// A wake() ends it.
// REQUIRES: nanoseconds > 0.
// Cost: no operation. Where the network needs the target's help, the core is
// taken for an instant every 50 us to give it.
void rest(uint64_t nanoseconds);

// Ends the rest of `rank` that is under way, or else its next one at once. No
// wake is lost: each rank counts its wakes, and a rest returns as soon as there
// are more than when the rank returned from its last rest; so several may be
// seen as one. What the caller has flushed before, and its blocking atomics,
// the rank sees when its rest returns. A rank may wake itself, or a rank that
// never rests.
// Cost: 1 fetch_add.
inline void wake(int rank) {
  self().counters.count(Op::kFetchAdd, sizeof(uint64_t));
  backend::wake(rank);
}

// Lets the network make progress, without yielding. Called where
// self().poll_at_spawn asks for it.
void poll();

// Takes `nanoseconds` of this rank's time, as work: on real networks, it spins.
void compute(uint64_t nanoseconds);

// --------------------------------------------------------------------- the end

// Ends the job, from any rank: prints "magpie: rank R: message" and exits with
// the status, 2 for bad input. Outside a run it ends the process, and names no
// rank.
[[noreturn]] void fatal(std::string_view message, int status = 1);

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_RMA_H_
