// Memory in cells: size classes, lists of free cells, and a list of all cells.
// Heaps whose objects any rank may free (remote_heap.h) are made of them: when
// the owner looks for what others have freed is up to the heap.
//
// A cell is cut from fresh memory. It never moves or changes its class, and
// serves many objects. So what a rank allocates and frees by itself, which is
// nearly everything, costs a pop and a push of a free list. Only where the
// memory would be exhausted, since all of it was cut for objects of other
// sizes, is the largest gap between cells in use fresh memory again.
//
// Thread safety: an instance belongs to one rank. free() of an object of
// another rank's touches only the word `freed` of its cell, which is in use.
//
// Invariants:
//   1. The cells are those of `cells_`. They do not overlap, and none lies in
//      [fresh_, fresh_end_).
//   2. A cell is in use, or in the free list of its class; in there its `freed`
//      is 0.
//   3. `freed` of a cell in use is added to at most once, by its last user on
//      another rank; the owner clears it when it recycles the cell (an
//      exclusive phase: nobody knows the object then). An object that its owner
//      frees is never marked: it has one last user.

#ifndef MAGPIE_COMMON_REMOTE_HEAP_CELLS_H_
#define MAGPIE_COMMON_REMOTE_HEAP_CELLS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/remote_heap/remote_heap.h"
#include "common/rma/check.h"
#include "common/rma/rma.h"

namespace magpie {

// The start of a cell, directly in front of the object.
struct Cell {
  uint64_t size_class;
  // 0 while the object lives; how often other ranks have freed it.
  rma::Word freed;

  static constexpr size_t kAlign = 16;
  // Added to the size class of free cells where checks are active.
  static constexpr uint64_t kFree = uint64_t{1} << 63;

  // REQUIRES: `object` is what Cells::allocate returned.
  static Cell* of(std::byte* object) {
    return reinterpret_cast<Cell*>(object) - 1;
  }
  // The word `freed` of an object's cell, from anywhere.
  static rma::RemotePtr<rma::Word> freed_of(rma::RemotePtr<std::byte> object) {
    return {object.rank, object.offset - sizeof(Cell) + offsetof(Cell, freed)};
  }
};
static_assert(sizeof(Cell) == Cell::kAlign);

class Cells {
 public:
  // Size of the smallest cells.
  static constexpr size_t kLeastBytes = 32;

  // The memory has at most 64 GiB. Collective.
  explicit Cells(const HeapOptions& options);
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;

  static size_t heap_bytes(const HeapOptions& options) {
    return rma::allocated_bytes(options.bytes, Cell::kAlign);
  }

  // Allocates as RemoteHeap's does. Cost: no operation; usually a pop of a free
  // list; else that of want().
  [[gnu::always_inline]] std::byte* allocate(size_t bytes) {
    if (bytes <= kSmallBytes) [[likely]] {
      if (std::byte* const object = pop(small_class(bytes + sizeof(Cell))))
        return object;
    }
    return allocate_slowly(bytes);
  }

  // Whether the next allocate() of `bytes` takes a cell that lies ready.
  [[gnu::always_inline]] bool has_ready(size_t bytes) const {
    return free_[small_class(bytes + sizeof(Cell))] != nullptr;
  }

  // Makes a cell free whose object is of no more use. REQUIRES: `freed` is 0.
  [[gnu::always_inline]] void recycle(Cell* used) {
    check((used->size_class & Cell::kFree) == 0, options_.freed_twice);
    FreeCell* const cell = reinterpret_cast<FreeCell*>(used + 1);
    cell->next = free_[used->size_class];
    free_[used->size_class] = cell;
    if (checks_are_active()) [[unlikely]]
      used->size_class |= Cell::kFree;
  }

  // Frees an object of any rank. Another's is marked: its owner finds that when
  // it looks. Cost: 1 fetch_add_nb; no operation where the object lies here.
  [[gnu::always_inline]] void free(rma::RemotePtr<std::byte> object) {
    if (object.rank == rma::rank()) [[likely]]
      free_own(object.local());
    else
      mark(object);
  }
  // Frees an object of the owner's. REQUIRES: allocate() returned it.
  [[gnu::always_inline]] void free_own(std::byte* object) {
    Cell* const cell = Cell::of(object);
    if (cell->freed.own_value() != 0) [[unlikely]]
      freed_twice();
    recycle(cell);
  }

  // Frees what other ranks have marked. Cost: no operation; time in the number
  // of cells.
  void recycle_marked() {
    for (auto cell = cells_.rbegin(); cell != cells_.rend(); ++cell) {
      const uint64_t marks = (*cell)->freed.load();
      if (marks == 0) continue;
      if (marks > 1) freed_twice();
      (*cell)->freed = rma::Word(0);  // invariant 3
      recycle(*cell);
    }
  }

  // All cells, free ones too.
  const std::vector<Cell*>& cells() const { return cells_; }

  // Number of cells in use. Takes time in proportion to the number of cells.
  uint64_t in_use() const;
  // RemoteHeap's: collects first.
  uint64_t live_objects() {
    collect();
    return in_use();
  }

  // Memory that is cut into cells: does not grow while objects are recycled.
  uint64_t cut_bytes() const { return cut_bytes_; }

  // Prints an error and ends the job; called where the heap sees that an object
  // is freed again.
  [[noreturn, gnu::noinline]] void freed_twice() const;

 protected:
  ~Cells() = default;

  [[gnu::noinline]] static void mark(rma::RemotePtr<std::byte> object) {
    rma::fetch_add_nb(Cell::freed_of(object), 1, nullptr);
  }

  // Frees what other ranks have freed.
  virtual void collect() { recycle_marked(); }
  // Called where there is no free cell of the right class: before a cell of
  // `more` bytes is cut, and with kNoneLeft when there is no room for that. May
  // recycle cells.
  static constexpr uint64_t kNoneLeft = uint64_t{1} << 62;
  virtual void want(uint64_t more) = 0;

 private:
  // A free cell, in the object's place.
  struct FreeCell {
    FreeCell* next;
  };

  // Size classes, `Cell` included: up to 2048 bytes in steps of 32, beyond in
  // steps of 2^k and 1.5 * 2^k, where at most a third is wasted.
  static constexpr size_t kSmallCell = 2048;
  static constexpr size_t kSmallBytes = kSmallCell - sizeof(Cell);
  static constexpr unsigned kSmallClasses = kSmallCell / 32;
  static constexpr unsigned kClasses = kSmallClasses + 2 * 27;
  static unsigned small_class(size_t bytes) {
    return static_cast<unsigned>((bytes + 31) / 32) - 1;
  }
  static unsigned class_of(size_t bytes);
  static size_t class_bytes(uint64_t c);

  // Takes an object's place from the free list of the class; null: there is
  // none.
  [[gnu::always_inline]] std::byte* pop(unsigned c) {
    FreeCell* const cell = free_[c];
    if (cell == nullptr) return nullptr;
    free_[c] = cell->next;
    if (checks_are_active()) [[unlikely]]
      (reinterpret_cast<Cell*>(cell) - 1)->size_class &= ~Cell::kFree;
    return reinterpret_cast<std::byte*>(cell);
  }
  // The rest of allocate(), where no small cell lies ready.
  [[gnu::noinline]] std::byte* allocate_slowly(size_t bytes);
  void uncut();
  std::vector<Cell*> free_cells() const;
  std::byte* cut(unsigned c);
  void add(Cell* cell);
  [[noreturn]] void exhausted(size_t bytes) const;
  size_t fresh_bytes() const {
    return static_cast<size_t>(fresh_end_ - fresh_);
  }

  const HeapOptions options_;
  std::byte* const begin_;
  std::byte* const end_;
  // Memory of no cell: [fresh_, fresh_end_).
  std::byte* fresh_;
  std::byte* fresh_end_;
  uint64_t cut_bytes_ = 0;
  // In the order in which they were cut.
  std::vector<Cell*> cells_;
  std::array<FreeCell*, kClasses> free_ = {};
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_REMOTE_HEAP_CELLS_H_
