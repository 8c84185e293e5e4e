// Fork-join programs over whichever runtime is linked.
//
//   long fib(long n) {
//     if (n < 2) return n;
//     auto a = magpie::spawn([=] { return fib(n - 1); });   // Future<long>
//     long b = fib(n - 2);
//     return a.join() + b;
//   }
//   int main(int argc, char** argv) {
//     return magpie::run(argc, argv, [] { std::printf("%ld\n", fib(30)); });
//   }
//
// A task may go on on another rank, in another process, after every spawn and
// every join. README.md has what follows from that: what closures and results
// hold, and what tasks share. Closures are looked through for addresses
// (address_scan.h), and debug builds warn of globals that tasks have written
// (common/run/globals.h).
//
// An exception that leaves a task ends the job with its what(). A future is
// used up by one join() or discard(): a second one prints an error and ends the
// job, and at the end of a run each must have had one. Tasks are spawned by
// tasks: not outside run(), nor in prepare(), nor by threads of the program's
// own.
//
// Simulated time passes for what a task says that it costs: rma::compute(ns) or
// rma::charge(cost, amount) of common/rma/rma.h. Real networks ignore
// rma::charge.

#ifndef MAGPIE_COMMON_FORK_JOIN_FORK_JOIN_H_
#define MAGPIE_COMMON_FORK_JOIN_FORK_JOIN_H_

#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "common/context/compiled.h"
#include "common/fork_join/runtime.h"
#include "common/run/invoke.h"
#include "common/run/report.h"
#include "common/run/task_type.h"

namespace magpie {
namespace internal {

template <typename T>
union Uninitialized {
  Uninitialized() {}
  T value;
};
template <>
union Uninitialized<void> {};

template <typename T>
T join(const Handle& task, uint32_t consumer) {
  if constexpr (std::is_void_v<T>) {
    seam::join(&task, consumer, nullptr, 0);
  } else {
    Uninitialized<T> result;
    seam::join(&task, consumer, &result, sizeof(result));
    return result.value;
  }
}

template <typename F, uint32_t kConsumers>
struct TypeOfSpawn {
  using Result = typename TaskType<F, kConsumers>::Result;

  static void run_below(context::Context* parent, const void* closure,
                        Handle* out) {
    F f = *static_cast<const F*>(closure);
    Handle task;
    seam::begin_task(&kInfo, parent, closure, out, &task);
    Uninitialized<Result> result;
    try {
      call<Result>(f, &result);
    } catch (...) {
      an_exception_left("a task");
    }
    seam::end_task(&kInfo, &task, parent, &result);
  }
  static inline bool is_plain = false;
  static constexpr SpawnedType kInfo = {TaskType<F, kConsumers>::kInfo,
                                        run_below, &is_plain};
};

// Tag of a future whose handle the runtime writes.
struct OfASpawn {};

// Runs a root for which is_root() holds.
template <typename F>
int run(const std::vector<std::string>& arguments, F root, void* result,
        RunReport* report) {
  clear_padding(&root);
  report->runtime = kRuntime.name;
  return seam::run(arguments, &RootType<F>::kInfo, &root, result, report);
}

}  // namespace internal

// The result of a task for kConsumers consumers, 0 to kConsumers - 1, each of
// which joins or discards it exactly once, wherever and whenever (the future of
// cluster22 §V-D). A consumer is the task that spawned it, or any other that
// got it in its closure or result. Trivially copyable; copies stand for the
// same task. A default-constructed one stands for none. Joining or discarding
// that, or twice as the same consumer, prints an error and ends the job.
template <typename T, uint32_t kConsumers = 1>
class Future {
  static_assert(kConsumers >= 1 && kConsumers <= TypeInfo::kMostConsumers,
                "a shared future has 1 to 16 consumers");

 public:
  Future() : handle_(kNoTask) {}

  // Waits for the task and returns its result, for the consumer. May be left on
  // another rank. Cost: no atomics and no operation where the task has ended
  // and was spawned on this rank; else a get of the state, a get of the result
  // and what freeing it costs, and where the task still runs a put and a
  // fetch_add; with several consumers a fetch_add more. (So for continuation
  // stealing; none of it with //:serial.)
  T join(uint32_t consumer) const {
    return internal::join<T>(handle_, slot_of(consumer));
  }
  T join() const requires(kConsumers == 1) { return join(0); }

  // Says that the consumer does not want the result.
  void discard(uint32_t consumer) const {
    seam::discard(&handle_, slot_of(consumer), internal::ResultOf<T>::kSize);
  }
  void discard() const requires(kConsumers == 1) { discard(0); }

 private:
  template <uint32_t kConsumersOfIt, typename F>
  friend auto spawn(F f);

  // The consumer as the seam numbers it.
  static uint32_t slot_of(uint32_t consumer) {
    if (consumer >= kConsumers) [[unlikely]]
      internal::no_such_consumer(consumer, kConsumers);
    return kConsumers == 1 ? 0 : consumer + 1;
  }

  explicit Future(internal::OfASpawn) {}

  Handle handle_;
};

// Future under the name that says that it has several consumers.
template <typename T, uint32_t kConsumers>
using SharedFuture = Future<T, kConsumers>;

// Runs f() as a task, in parallel with the caller's continuation, which may go
// on on another rank. Continuation-stealing runtimes run f at once and leave
// the continuation to thieves; child-stealing ones go on, and offer f.
// spawn<3>(f) returns a SharedFuture<T, 3>.
template <uint32_t kConsumers = 1, typename F>
[[nodiscard("a future is to be joined or discarded")]] auto spawn(F f) {
  if constexpr (internal::is_task<F>()) {
    using Type = internal::TypeOfSpawn<F, kConsumers>;
    Future<typename Type::Result, kConsumers> future{internal::OfASpawn()};
    internal::clear_padding(&f);
    seam::spawn(&Type::kInfo, &f, &future.handle_);
    return future;
  } else {
    return Future<void, kConsumers>();
  }
}

// Runs f() as the root task, with the flags in argv[1..argc) (all of them the
// runtime's and the network's), and returns the process's exit status on rank
// 0: f's own result where that is an int. May be called again, and not from a
// task.
//
// A root task with memory of its own is a struct:
//
//   struct Fill {
//     long n;
//     rma::RemotePtr<long> part;   // of each rank: at the same offset
//
//     size_t heap_bytes() const { return rma::allocated_bytes<long>(n); }
//     void prepare() { part = rma::allocate<long>(n); }
//     void operator()() const { ... tasks use root_task<Fill>().part ... }
//   };
//
// prepare() is called on every rank, collectively, on the rank's own copy,
// before the run starts: there it may allocate symmetric memory, as much as
// heap_bytes() says, put into other ranks', and build tables; all ranks
// allocate the same. Both may ask for rma::size(). Tasks reach the copy of the
// rank that they are on by root_task<F>(). operator() itself runs on a copy
// from before, since it may move.
template <typename F>
int run(int argc, char** argv, F f) {
  int status = 0;
  int run_status = 0;
  if constexpr (internal::is_root<F>()) {
    using Result = std::invoke_result_t<F>;
    static_assert(
        std::is_void_v<Result> || std::is_same_v<Result, int>,
        "the root task returns nothing or an exit status; see run_with_result");
    RunReport report;
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    run_status = internal::run<F>(arguments, f, &status, &report);
  }
  return run_status != 0 ? run_status : status;
}

// Does what run does, for programs with flags of their own (`arguments` is what
// they left over) that want the root's result and the report. Both are set
// where 0 is returned. A null report means none; a null result prints an error
// and ends the process, with status 1, before anything starts.
template <typename F, typename T>
int run_with_result(const std::vector<std::string>& arguments, F f, T* result,
                    RunReport* report) {
  if constexpr (internal::is_root<F>()) {
    static_assert(std::is_same_v<std::invoke_result_t<F>, T>,
                  "the result's type must be what the root task returns");
    if (result == nullptr) internal::no_place_for_the_result("run_with_result");
    RunReport unread;
    return internal::run<F>(arguments, f, result,
                            report == nullptr ? &unread : report);
  } else {
    return 1;
  }
}

// Ends the run early: "found it". The run's result is the value, of the type
// that the root task returns (another prints an error and ends the job); of
// several calls the first one's value. Without a value it is what the root
// returns. Spawned tasks are run all the same, and joins get what they return:
// tasks are asked to come to an end soon, and do so where they ask
// run_is_ending(). To be called by a task. Cost: with a value a fetch_add and,
// for the first, a put to rank 0; besides, where the calling rank does not know
// of the end, a fetch_add and, for the first, a put_nb to every rank.
template <typename T>
void end_run(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>,
                "a run's result must be trivially copyable");
  seam::end_run(&typeid(T), &value);
}
inline void end_run() { seam::end_run(nullptr, nullptr); }

// Whether end_run was called, as far as the calling rank knows:
//
//   long search(Node node) {
//     if (run_is_ending()) return 0;   // nobody looks at that
//     ...
//
// To be called by a task. Cost: no operation.
inline bool run_is_ending() { return seam::is_ending(); }

// The root task that was handed to run(), as the calling rank has it and has
// prepared it: what it holds (parameters, tables, symmetric memory) need not
// travel in closures. F is its type, a struct with a name and an `operator()`.
// A task asks for it again after each spawn and join: on another rank it may
// lie elsewhere. Another type prints an error and ends the job. REQUIRES:
// called from a task.
template <typename F>
const F& root_task() {
  return *static_cast<const F*>(seam::root_closure(typeid(F)));
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_FORK_JOIN_H_
