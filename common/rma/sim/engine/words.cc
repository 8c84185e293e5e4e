#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/rma/sim/engine/effects.h"

namespace magpie::rma::sim {

uint64_t Words::load(const Rank& rank, const uint64_t* word) {
  if (world_.log.prints()) [[unlikely]]
    print(rank, {.stores = false, .before = *word, .after = *word}, word);
  return *word;
}

void Words::store(Rank& rank, uint64_t* word, uint64_t value,
                  StoreOrder order) {
  if (world_.log.prints()) [[unlikely]]
    print(rank, {.stores = true, .before = *word, .after = value}, word);
  const MemoryModel model = world_.options.memory;
  if (model == MemoryModel::kSc || !heap_offset(rank, word)) {
    *word = value;
    return;
  }
  if (model == MemoryModel::kTso || order == StoreOrder::kRelease)
    rank.stores.let_plain_writes_out();
  const Time due =
      rank.stores.due(word, model, order, rank.clock + world_.chance.unseen());
  const uint64_t ticket = world_.agenda.schedule(
      due, EventKind::kStore, static_cast<uint32_t>(rank.self.rank));
  rank.stores.store(word, value, due, ticket);
}

void Words::write_plainly(Rank& rank, void* place, size_t bytes) {
  if (world_.options.memory == MemoryModel::kSc) return;
  const auto begin = reinterpret_cast<uintptr_t>(place);
  auto* const first = reinterpret_cast<uint64_t*>(begin & ~uintptr_t{7});
  const size_t words = (begin + bytes + 7) / 8 - begin / 8;
  const std::optional<uint64_t> offset = heap_offset(rank, first);
  if (!offset) return;
  if (world_.log.prints()) [[unlikely]]
    world_.log.detail(rank.clock, rank.self.rank,
                      absl::StrCat("writes ", bytes, " bytes at its heap+0x",
                                   absl::Hex(*offset), " plainly"));
  rank.stores.write_plainly({first, words});
}

void Words::let_all_out(Rank& rank, Time now) {
  rank.stores.let_plain_writes_out();
  while (!rank.stores.empty())
    world_.log.seen(now, rank.self.rank, rank.stores.let_out_oldest());
}

void Words::let_out(Rank& rank, uint64_t ticket, Time now) {
  if (const std::optional<uint64_t> value = rank.stores.let_out(ticket))
    world_.log.seen(now, rank.self.rank, *value);
}

std::optional<uint64_t> Words::heap_offset(const Rank& rank,
                                           const uint64_t* word) const {
  const auto offset = static_cast<uint64_t>(
      reinterpret_cast<const std::byte*>(word) - rank.self.heap_origin -
      static_cast<ptrdiff_t>(world_.memory.region_bytes()));
  return offset < world_.memory.heap_bytes() ? std::optional(offset)
                                             : std::nullopt;
}

void Words::print(const Rank& rank, const Log::Access& access,
                  const uint64_t* word) const {
  world_.log.accessed(rank.clock, rank.self.rank, access,
                      heap_offset(rank, word), rank.caller);
}

}  // namespace magpie::rma::sim
