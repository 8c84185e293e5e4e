#include "common/rma/sim/engine/ahead.h"

namespace magpie::rma::sim {

[[gnu::noinline]] void Ahead::look() {
  const Agenda& agenda = world_.agenda;
  date_ = agenda.date();
  for (const Event& event : agenda.after(1)) touch_page_of(event);
  for (const Event& event : agenda.after(1)) fetch_lines_of(event);
  for (const Event& event : agenda.after(2)) fetch_first_lines_of(event);
}

// Touches the pages that lie far from others, as do their page table entries.
void Ahead::touch_page_of(const Event& event) {
  if (event.kind == EventKind::kOp) {
    transport_.touch_target(event.index);
  } else {
    world_.memory.touch(rank_of(event));
  }
}

void Ahead::fetch_lines_of(const Event& event) {
  if (event.kind == EventKind::kOp) return;
  const Rank& rank = rank_of(event);
  fetch(reinterpret_cast<const std::byte*>(&rank) + kFirstLines,
        sizeof(Rank) - kFirstLines);
  world_.memory.fetch_lines(rank);
}

// Fetches what says where all else is.
void Ahead::fetch_first_lines_of(const Event& event) {
  if (event.kind == EventKind::kOp) {
    transport_.fetch_op(event.index);
  } else {
    fetch(&rank_of(event), kFirstLines);
  }
}

}  // namespace magpie::rma::sim
