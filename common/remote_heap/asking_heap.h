// The simplest remote heap: whoever frees an object of another rank asks its
// owner to, by a word in the object; the owner looks at all its objects
// whenever it allocates.
//
// This one is to be read first, and other parts are tested with it. It is slow:
// each allocation takes time in proportion to the number of objects.
//
// Thread safety: an instance belongs to one rank; others add to `asked` of its
// objects only. Invariants:
//   1. objects_ holds the places of what was allocated and not freed; they do
//      not overlap.
//   2. `asked` of an object is 0 when it is handed out, and is added to once: a
//      put might come again when the memory has another use (rma.h).

#ifndef MAGPIE_COMMON_REMOTE_HEAP_ASKING_HEAP_H_
#define MAGPIE_COMMON_REMOTE_HEAP_ASKING_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <new>

#include "absl/strings/str_cat.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/check.h"
#include "common/rma/rma.h"

namespace magpie {

class AskingHeap {
 public:
  explicit AskingHeap(const HeapOptions& options)
      : options_(options),
        arena_(rma::allocate_bytes(options.bytes, alignof(Header)).local()) {}
  AskingHeap(const AskingHeap&) = delete;
  AskingHeap& operator=(const AskingHeap&) = delete;

  static size_t heap_bytes(const HeapOptions& options) {
    return rma::allocated_bytes(options.bytes, alignof(Header));
  }

  // Takes the first gap that is large enough. Cost: no operation.
  std::byte* allocate(size_t bytes, size_t align, size_t prefix) {
    check(align != 0 && (align & (align - 1)) == 0,
          "an alignment that is no power of two");
    check(prefix % 16 == 0, "a prefix that is no multiple of 16");
    free_what_was_asked();
    std::byte* gap = arena_;
    for (auto next = objects_.begin();; ++next) {
      std::byte* const object = first_place(gap, align, prefix);
      std::byte* const end =
          next == objects_.end() ? arena_ + options_.bytes : next->first;
      if (object <= end && static_cast<size_t>(end - object) >= bytes) {
        header_of(object)->asked = rma::Word(0);
        objects_.emplace_hint(next,
                              reinterpret_cast<std::byte*>(header_of(object)),
                              object + bytes);
        return object;
      }
      if (next == objects_.end()) exhausted(bytes);
      gap = next->second;
    }
  }

  // Cost: 1 fetch_add_nb; no operation where the object lies here.
  void free(rma::RemotePtr<std::byte> object) {
    if (object.rank == rma::rank()) return free_own(object.local());
    rma::fetch_add_nb({object.rank, object.offset - sizeof(rma::Word)}, 1,
                      nullptr);
  }
  void free_own(std::byte* object) {
    const auto place =
        objects_.find(reinterpret_cast<std::byte*>(header_of(object)));
    check(place != objects_.end(),
          "an object was freed that was not allocated");
    if (place == objects_.end()) return;
    take_back(place->first);
    objects_.erase(place);
  }

  uint64_t live_objects() {
    free_what_was_asked();
    return objects_.size();
  }

 private:
  // What lies directly in front of an object.
  struct alignas(16) Header {
    uint64_t unused;
    rma::Word asked;
  };
  static Header* header_of(std::byte* object) {
    return reinterpret_cast<Header*>(object) - 1;
  }

  // Where an object can lie at the earliest, with its header after `from`.
  static std::byte* first_place(std::byte* from, size_t align, size_t prefix) {
    const auto at =
        (reinterpret_cast<uintptr_t>(from) + sizeof(Header) + 15) & ~15ul;
    return reinterpret_cast<std::byte*>(at) + (-(at + prefix) & (align - 1));
  }

  void free_what_was_asked() {
    std::erase_if(objects_, [](const auto& object) {
      const bool asked =
          reinterpret_cast<Header*>(object.first)->asked.load() != 0;
      if (asked) take_back(object.first);
      return asked;
    });
  }
  static void take_back(std::byte* header) {
    *reinterpret_cast<uint64_t*>(header + sizeof(Header)) = 0;
  }

  [[noreturn]] void exhausted(size_t bytes) {
    rma::fatal(absl::StrCat(options_.what, " is exhausted: ", bytes,
                            " bytes asked for, ", objects_.size(),
                            " objects live in ", options_.bytes,
                            " bytes; raise ", options_.flag));
  }

  const HeapOptions options_;
  std::byte* const arena_;
  // The places of objects, each from its header to its end.
  std::map<std::byte*, std::byte*> objects_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_REMOTE_HEAP_ASKING_HEAP_H_
