// Freeing remote objects by local collection.
//
// Thread entries and evacuated threads are often freed by another rank than the
// one they lie on. Here the freeing rank only marks them, with one non-blocking
// operation; the owner keeps its objects in a list and looks through it for
// marks when it has allocated more than a limit.
//
// Source: cluster22 §III-B. In the paper an object enters the list when it is
// allocated and leaves it when its owner frees it. Here a *cell* enters it when
// it is cut from fresh memory, and stays: what the owner allocates and frees by
// itself, which is nearly everything, then costs a pop and a push of a free
// list. The list is as long as the most objects that ever lived at once. And
// the mark, in the paper a bit that is put, is added: a put may come once more
// when the owner has seen it and handed out the object again (rma.h).
//
// Thread safety: an instance belongs to one rank, which alone allocates and
// collects. free() of an object of another rank's instance touches only that
// object's `freed` word.
//
// Invariants:
//   1. Every cell that was ever cut is in the list `last_cut_`. Cells never
//      move or change their class.
//   2. A cell is in use, or in the free list of its class; in there its `freed`
//      is 0.
//   3. `freed` of a cell in use is added to at most once, by its last user on
//      another rank; the owner clears it when it puts the cell into its free
//      list (an exclusive phase: nobody knows the object then).
//   4. An object that its owner frees is never marked: it has one last user.

#ifndef MAGPIE_IMPL_GREEDY_JOIN_LOCAL_COLLECTION_H_
#define MAGPIE_IMPL_GREEDY_JOIN_LOCAL_COLLECTION_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/check.h"
#include "common/rma/rma.h"

namespace magpie::greedy_join {

class LocalCollection {
 public:
  // The memory has at most 64 GiB. Collective.
  explicit LocalCollection(const HeapOptions& options)
      : options_(options),
        begin_(rma::allocate_bytes(options.bytes, kAlign).local()),
        end_(begin_ + options.bytes),
        fresh_(begin_) {
    check(options.bytes <= uint64_t{64} << 30, "a heap of more than 64 GiB");
  }
  LocalCollection(const LocalCollection&) = delete;
  LocalCollection& operator=(const LocalCollection&) = delete;

  static size_t heap_bytes(const HeapOptions& options) {
    return rma::allocated_bytes(options.bytes, kAlign);
  }

  // Cost: no operation; usually a pop of a free list.
  [[gnu::always_inline]] std::byte* allocate(size_t bytes, size_t align,
                                             size_t prefix) {
    check(align != 0 && (align & (align - 1)) == 0,
          "an alignment that is no power of two");
    check(prefix % kAlign == 0, "a prefix that is no multiple of 16");
    if (bytes <= kSmallBytes && align <= kAlign) [[likely]] {
      if (FreeCell* const cell = pop(small_class(bytes + sizeof(Header))))
        return reinterpret_cast<std::byte*>(cell);
    }
    return allocate_slowly(bytes, align, prefix);
  }

  // Cost: 1 fetch_add_nb; no operation where the object lies here.
  [[gnu::always_inline]] void free(rma::RemotePtr<std::byte> object) {
    if (object.rank == rma::rank()) [[likely]] {
      Header* const cell = header_of(object.local());
      if (cell->freed.own_value() != 0) [[unlikely]]
        freed_twice();
      release(cell);
    } else {
      mark(object);
    }
  }

  // Frees what other ranks have marked. Cost: no operation; time in the number
  // of cells.
  void collect() {
    for (Header* cell = last_cut_; cell != nullptr; cell = cut_before(cell)) {
      if (cell->freed.load() == 0) continue;
      cell->freed = rma::Word(0);  // invariant 3
      release(cell);
    }
    // The next time comes when as much more was cut as was looked through now.
    limit_ = std::max(kFirstLimit, 2 * cut_bytes());
  }

  // How many objects nobody has freed yet. Collects first. Takes time in
  // proportion to the number of cells.
  uint64_t live_objects() {
    collect();
    uint64_t live = 0;
    for (Header* cell = last_cut_; cell != nullptr; cell = cut_before(cell))
      ++live;
    for (const FreeCell* cell : free_) {
      for (; cell != nullptr; cell = cell->next) --live;
    }
    return live;
  }

  // Memory that was ever handed out: does not grow while objects are recycled.
  uint64_t cut_bytes() const { return static_cast<uint64_t>(fresh_ - begin_); }

 private:
  // The start of a cell, directly in front of the object.
  struct Header {
    // The cell that was cut before this one: its offset / kAlign + 1; 0: none.
    uint32_t cut_before;
    uint32_t size_class;
    rma::Word freed;
    // Added to the size class of free cells where checks are active.
    static constexpr uint32_t kFree = uint32_t{1} << 31;
  };
  // A free cell, in the object's place.
  struct FreeCell {
    FreeCell* next;
  };

  static constexpr size_t kAlign = 16;
  static_assert(sizeof(Header) == kAlign);
  static constexpr uint64_t kFirstLimit = 64 << 10;

  // Size classes, header included: up to 2048 bytes in steps of 32, beyond in
  // steps of 2^k and 1.5 * 2^k, where at most a third is wasted. Over-aligned
  // cells have lists of their own.
  static constexpr size_t kSmallCell = 2048;
  static constexpr size_t kSmallBytes = kSmallCell - sizeof(Header);
  static constexpr unsigned kSmallClasses = kSmallCell / 32;
  static constexpr unsigned kClasses = kSmallClasses + 2 * 27;
  static unsigned small_class(size_t bytes) {
    return static_cast<unsigned>((bytes + 31) / 32) - 1;
  }
  static unsigned class_of(size_t bytes) {
    if (bytes <= kSmallCell) return small_class(bytes);
    const unsigned log =
        static_cast<unsigned>(std::bit_width(bytes - 1));  // 2^log >= bytes
    return kSmallClasses + 2 * (log - 11) -
           (bytes <= (size_t{3} << (log - 2)) ? 1 : 0);
  }
  static size_t class_bytes(unsigned c) {
    c %= kClasses;
    if (c < kSmallClasses) return (c + 1) * 32;
    const size_t power = kSmallCell << ((c - kSmallClasses) / 2);
    return (c - kSmallClasses) % 2 == 0 ? power : power + power / 2;
  }

  static Header* header_of(std::byte* object) {
    return reinterpret_cast<Header*>(object) - 1;
  }
  Header* cut_before(const Header* cell) const {
    if (cell->cut_before == 0) return nullptr;
    return reinterpret_cast<Header*>(begin_ +
                                     (cell->cut_before - uint64_t{1}) * kAlign);
  }

  uint32_t number_of(const Header* cell) const {
    if (cell == nullptr) return 0;
    const auto offset = reinterpret_cast<const std::byte*>(cell) - begin_;
    return static_cast<uint32_t>(static_cast<size_t>(offset) / kAlign + 1);
  }

  [[gnu::always_inline]] void release(Header* header) {
    check((header->size_class & Header::kFree) == 0, options_.freed_twice);
    FreeCell* const cell = reinterpret_cast<FreeCell*>(header + 1);
    cell->next = free_[header->size_class];
    free_[header->size_class] = cell;
    if (checks_are_active()) [[unlikely]]
      header->size_class |= Header::kFree;
  }

  // The cell at *link of a free list comes out of it.
  [[gnu::always_inline]] static FreeCell* unlink(FreeCell** link) {
    FreeCell* const cell = *link;
    *link = cell->next;
    if (checks_are_active()) [[unlikely]]
      (reinterpret_cast<Header*>(cell) - 1)->size_class &= ~Header::kFree;
    return cell;
  }
  [[gnu::always_inline]] FreeCell* pop(unsigned c) {
    return free_[c] == nullptr ? nullptr : unlink(&free_[c]);
  }

  // Tells the owner, who will collect it.
  [[gnu::noinline]] static void mark(rma::RemotePtr<std::byte> object) {
    rma::fetch_add_nb(
        {object.rank, object.offset - sizeof(Header) + offsetof(Header, freed)},
        1, nullptr);
  }

  // Allocates where no small cell lies ready.
  [[gnu::noinline]] std::byte* allocate_slowly(size_t bytes, size_t align,
                                               size_t prefix) {
    if (bytes > options_.bytes) exhausted(bytes);  // beyond all classes, maybe
    const unsigned c = class_of(bytes + sizeof(Header));
    return reinterpret_cast<std::byte*>(
        align > kAlign ? over_aligned(c, align, prefix) : any_cell(c));
  }

  // A free cell of the class, else what others have freed when there is much,
  // else fresh memory, else what others have freed, else a larger cell.
  FreeCell* any_cell(unsigned c) {
    if (FreeCell* cell = pop(c)) return cell;
    const size_t bytes = class_bytes(c);
    if (cut_bytes() + bytes > limit_) {
      collect();
      if (FreeCell* cell = pop(c)) return cell;
    }
    if (static_cast<size_t>(end_ - fresh_) >= bytes)
      return cut(fresh_, c, bytes);
    collect();
    for (; c < kClasses; ++c) {
      if (FreeCell* cell = pop(c)) return cell;
    }
    exhausted(bytes);
  }

  // Allocates where a cell's place matters, and takes the first that fits:
  // programs have few types of that kind.
  FreeCell* over_aligned(unsigned c, size_t align, size_t prefix) {
    const auto padding = [=](const void* object) {
      return -(reinterpret_cast<uintptr_t>(object) + prefix) & (align - 1);
    };
    if (cut_bytes() > limit_) collect();
    for (int round = 0; round < 2; ++round) {
      for (FreeCell** link = &free_[kClasses + c]; *link != nullptr;
           link = &(*link)->next) {
        if (padding(*link) == 0) return unlink(link);
      }
      std::byte* const place = fresh_ + padding(fresh_ + sizeof(Header));
      const size_t bytes = class_bytes(c);
      if (place < end_ && static_cast<size_t>(end_ - place) >= bytes)
        return cut(place, kClasses + c, bytes);
      collect();
    }
    exhausted(class_bytes(c) + align);
  }

  FreeCell* cut(std::byte* place, unsigned c, size_t bytes) {
    Header* const header = reinterpret_cast<Header*>(place);
    header->freed = rma::Word(0);
    header->size_class = c;
    header->cut_before = number_of(last_cut_);
    last_cut_ = header;
    fresh_ = place + bytes;
    return reinterpret_cast<FreeCell*>(header + 1);
  }

  [[noreturn, gnu::noinline]] void freed_twice() {
    rma::fatal(options_.freed_twice);
  }
  [[noreturn]] void exhausted(size_t bytes) {
    rma::fatal(absl::StrCat(options_.what, " is exhausted: ", bytes,
                            " bytes asked for, ", live_objects(),
                            " objects live in ", end_ - begin_,
                            " bytes; raise ", options_.flag));
  }

  const HeapOptions options_;
  std::byte* const begin_;
  std::byte* const end_;
  // [fresh_, end_) was never handed out.
  std::byte* fresh_;
  Header* last_cut_ = nullptr;
  uint64_t limit_ = kFirstLimit;
  std::array<FreeCell*, 2 * kClasses> free_ = {};
};

static_assert(RemoteHeap<LocalCollection>);

}  // namespace magpie::greedy_join

#endif  // MAGPIE_IMPL_GREEDY_JOIN_LOCAL_COLLECTION_H_
