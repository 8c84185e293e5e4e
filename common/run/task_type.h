// Facts that a type of closures tells a runtime. For facades, whose programs
// make these closures.

#ifndef MAGPIE_COMMON_RUN_TASK_TYPE_H_
#define MAGPIE_COMMON_RUN_TASK_TYPE_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <typeinfo>

#include "common/run/type_info.h"

namespace magpie::internal {

// Clears an object's padding, in which anything may be left that looks like an
// address; does nothing where the compiler cannot do it, or not without harm:
// address_scan.h looks then only at types that have none. Clang 14 cannot. GCC
// 12 cannot in objects of more than 64 bytes: behind an array of structs that
// has as many it clears bytes of values (run_test.cc).
#if __has_builtin(__builtin_clear_padding)
template <typename T>
inline constexpr bool kClearsPadding = sizeof(T) <= 64;
template <typename T>
void clear_padding(T* object) {
  if constexpr (kClearsPadding<T>) __builtin_clear_padding(object);
}
#else
template <typename T>
inline constexpr bool kClearsPadding = false;
template <typename T>
void clear_padding(T*) {}
#endif

template <typename T>
inline constexpr bool kHasCleanBytes =
    kClearsPadding<T> || std::has_unique_object_representations_v<T>;
template <>
inline constexpr bool kHasCleanBytes<void> = true;

// Calls f() and constructs what it returns at `result`.
template <typename T, typename F>
[[gnu::always_inline]] inline void call(F& f, [[maybe_unused]] void* result) {
  if constexpr (std::is_void_v<T>) {
    f();
  } else {
    [[maybe_unused]] T* const value = new (result) T(f());
#ifndef NDEBUG
    clear_padding(value);
#endif
  }
}

template <typename F, typename T>
void invoke_closure(const void* closure, void* result) {
  // A copy, since F's call operator may be mutable. Costs nothing where it is
  // not.
  F f = *static_cast<const F*>(closure);
  call<T>(f, result);
}

// The shape and the type of what a task returns; of nothing, null.
template <typename T>
struct ResultOf {
  static constexpr uint32_t kSize = sizeof(T), kAlign = alignof(T);
  static constexpr const std::type_info* kType = &typeid(T);
};
template <>
struct ResultOf<void> {
  static constexpr uint32_t kSize = 0, kAlign = 1;
  static constexpr const std::type_info* kType = nullptr;
};

// Whether F can be a task. Where it cannot, the compiler has said why, and what
// would say so again is to be left out by `if constexpr`.
template <typename F>
consteval bool is_task() {
  constexpr bool kIsCalled = std::is_object_v<F> && std::is_invocable_v<F>;
  static_assert(kIsCalled,
                "a task is an object that is called without arguments, such as "
                "[=] { f(n); }: it captures its data, or has them as members");
  if constexpr (kIsCalled) {
    using Result = std::invoke_result_t<F>;
    constexpr bool kTravels = std::is_trivially_copyable_v<F>;
    constexpr bool kResultTravels =
        std::is_void_v<Result> || std::is_trivially_copyable_v<Result>;
    static_assert(kTravels,
                  "a task's closure must be trivially copyable, since it may "
                  "go to another process: no std::vector, std::string, "
                  "std::function (use a lambda), std::pair (use a struct)");
    static_assert(!kTravels || kResultTravels,
                  "a task's result must be trivially copyable, since it may "
                  "come from another process: no std::vector, std::string, "
                  "std::pair (use a struct)");
    return kTravels && kResultTravels;
  } else {
    return false;
  }
}

template <typename F, uint32_t kConsumers>
struct TaskType {
  using Result = std::invoke_result_t<F>;
  static constexpr TypeInfo kInfo = {
      invoke_closure<F, Result>,
      sizeof(F),
      alignof(F),
      ResultOf<Result>::kSize,
      ResultOf<Result>::kAlign,
      kConsumers,
      kHasCleanBytes<F>&& kHasCleanBytes<Result>};
};

// A root task may have these members (see run).
template <typename F>
concept HasPrepare = requires(F& f) {
  f.prepare();
};
template <typename F>
concept HasHeapBytes = requires(const F& f) {
  { f.heap_bytes() } -> std::convertible_to<size_t>;
};

// Members of F by name, whatever they are: in a class that inherits the name
// twice it means nothing any more.
struct NamedAsRootsMembers {
  int prepare, heap_bytes, result_count;
};
template <typename F>
struct NamedTwice : F, NamedAsRootsMembers {};

template <typename F>
concept HasSomePrepare =
    std::is_class_v<F> && !std::is_final_v<F> && !requires {
  &NamedTwice<F>::prepare;
};
template <typename F>
concept HasSomeHeapBytes =
    std::is_class_v<F> && !std::is_final_v<F> && !requires {
  &NamedTwice<F>::heap_bytes;
};
template <typename F>
concept HasSomeResultCount =
    std::is_class_v<F> && !std::is_final_v<F> && !requires {
  &NamedTwice<F>::result_count;
};

// Whether F can be the root of a run; as is_task().
template <typename F>
consteval bool is_root() {
  constexpr bool kPrepares = HasPrepare<F> || !HasSomePrepare<F>;
  constexpr bool kSays = HasHeapBytes<F> || !HasSomeHeapBytes<F>;
  constexpr bool kHasBoth = HasPrepare<F> || !HasHeapBytes<F>;
  static_assert(kPrepares,
                "prepare() of a root task is public and called without "
                "arguments: its data are members of the root");
  static_assert(kSays,
                "heap_bytes() of a root task is public and const, is called "
                "without arguments, and returns a size_t");
  static_assert(!kPrepares || !kSays || kHasBoth,
                "heap_bytes() says how much of the symmetric heap prepare() "
                "takes: a root task has both or neither");
  return is_task<F>() && kPrepares && kSays && kHasBoth;
}

// The type of a root; T is that of what the run results in.
template <typename F, typename T = std::invoke_result_t<F>>
struct RootType {
  static constexpr auto heap_bytes() {
    size_t (*f)(const void*) = nullptr;
    if constexpr (HasHeapBytes<F>) {
      f = [](const void* closure) -> size_t {
        return static_cast<const F*>(closure)->heap_bytes();
      };
    }
    return f;
  }
  static constexpr auto prepare() {
    void (*f)(void*) = nullptr;
    if constexpr (HasPrepare<F>) {
      f = [](void* closure) { static_cast<F*>(closure)->prepare(); };
    }
    return f;
  }
  static constexpr RootInfo kInfo = {
      TaskType<F, 1>::kInfo, ResultOf<T>::kSize, ResultOf<T>::kAlign,
      heap_bytes(),          prepare(),          &typeid(F),
      ResultOf<T>::kType};
};

}  // namespace magpie::internal

#endif  // MAGPIE_COMMON_RUN_TASK_TYPE_H_
