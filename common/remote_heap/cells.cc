#include "common/remote_heap/cells.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace magpie {

Cells::Cells(const HeapOptions& options)
    : options_(options),
      begin_(rma::allocate_bytes(options.bytes, Cell::kAlign, options.what)
                 .local()),
      end_(begin_ + options.bytes),
      fresh_(begin_),
      fresh_end_(end_) {
  check(options.bytes <= uint64_t{64} << 30, "a heap of more than 64 GiB");
}

uint64_t Cells::in_use() const { return cells_.size() - free_cells().size(); }

void Cells::freed_twice() const { rma::fatal(options_.freed_twice); }

unsigned Cells::class_of(size_t bytes) {
  if (bytes <= kSmallCell) return small_class(bytes);
  const unsigned log =
      static_cast<unsigned>(std::bit_width(bytes - 1));  // 2^log >= bytes
  return kSmallClasses + 2 * (log - 11) -
         (bytes <= (size_t{3} << (log - 2)) ? 1 : 0);
}

size_t Cells::class_bytes(uint64_t c) {
  if (c < kSmallClasses) return (c + 1) * 32;
  const size_t power = kSmallCell << ((c - kSmallClasses) / 2);
  return (c - kSmallClasses) % 2 == 0 ? power : power + power / 2;
}

// Takes a free cell of the class; else fresh memory, a cell up to twice as
// large, or memory that is fresh again.
std::byte* Cells::allocate_slowly(size_t object_bytes) {
  // Beyond all classes, maybe.
  if (object_bytes > options_.bytes) exhausted(object_bytes);
  const unsigned c = class_of(object_bytes + sizeof(Cell));
  const size_t bytes = class_bytes(c);
  for (const uint64_t more : {uint64_t{bytes}, kNoneLeft}) {
    if (std::byte* const object = pop(c)) return object;
    want(more);
    if (std::byte* const object = pop(c)) return object;
    if (fresh_bytes() >= bytes) return cut(c);
  }
  for (unsigned larger = c + 1;
       larger < kClasses && class_bytes(larger) <= 2 * bytes; ++larger)
    if (std::byte* const object = pop(larger)) return object;
  uncut();
  if (fresh_bytes() < bytes) exhausted(bytes);
  return cut(c);
}

// Makes fresh memory of the largest gap between cells in use, and of the free
// cells in there. Makes all lists anew, of the other cells.
void Cells::uncut() {
  for (Cell* const cell : free_cells()) cell->size_class |= Cell::kFree;
  std::vector<Cell*> all = std::exchange(cells_, {});
  std::sort(all.begin(), all.end());
  std::byte* from = begin_;
  fresh_ = fresh_end_ = begin_;
  const auto look_at_gap = [&](std::byte* to) {
    if (to - from <= fresh_end_ - fresh_) return;
    fresh_ = from;
    fresh_end_ = to;
  };
  for (Cell* const cell : all) {
    if ((cell->size_class & Cell::kFree) != 0) continue;
    look_at_gap(reinterpret_cast<std::byte*>(cell));
    from = reinterpret_cast<std::byte*>(cell) + class_bytes(cell->size_class);
  }
  look_at_gap(end_);
  cut_bytes_ = 0;
  free_ = {};
  for (Cell* const cell : all) {
    const auto* const place = reinterpret_cast<std::byte*>(cell);
    if (place >= fresh_ && place < fresh_end_) continue;
    const bool is_free = (cell->size_class & Cell::kFree) != 0;
    cell->size_class &= ~Cell::kFree;
    add(cell);
    if (is_free) recycle(cell);
  }
}

std::vector<Cell*> Cells::free_cells() const {
  std::vector<Cell*> free;
  for (FreeCell* cell : free_) {
    for (; cell != nullptr; cell = cell->next)
      free.push_back(reinterpret_cast<Cell*>(cell) - 1);
  }
  return free;
}

// Makes a cell of fresh memory, and returns its object.
std::byte* Cells::cut(unsigned c) {
  Cell* const cell = reinterpret_cast<Cell*>(fresh_);
  new (&cell->freed) rma::Word(0);
  cell->size_class = c;
  add(cell);
  fresh_ += class_bytes(c);
  return reinterpret_cast<std::byte*>(cell + 1);
}

void Cells::add(Cell* cell) {
  cells_.push_back(cell);
  cut_bytes_ += class_bytes(cell->size_class);
}

void Cells::exhausted(size_t bytes) const {
  rma::fatal(absl::StrCat(options_.what, " is exhausted: ", bytes,
                          " bytes asked for, ", in_use(), " objects live in ",
                          end_ - begin_, " bytes with no larger gap than ",
                          fresh_bytes(), "; raise ", options_.flag));
}

}  // namespace magpie
