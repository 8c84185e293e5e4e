#include "common/rma/sim/engine/words.h"

#include <cstddef>
#include <optional>

#include "absl/strings/str_cat.h"

namespace magpie::rma::sim {

uint64_t Words::load(const Rank& rank, const uint64_t* word) {
  if (log_.prints())
    log_.detail(
        rank.clock, rank.self.rank,
        absl::StrCat("loads ", *word, " from its ", name_of(rank, word)));
  return *word;
}

void Words::store(Rank& rank, uint64_t* word, uint64_t value,
                  StoreOrder order) {
  if (log_.prints())
    log_.detail(
        rank.clock, rank.self.rank,
        absl::StrCat("stores ", value, " to its ", name_of(rank, word)));
  if (model_ == MemoryModel::kSc || !in_heap(rank, word)) {
    *word = value;
    return;
  }
  const Time due =
      rank.stores.due(word, model_, order, rank.clock + chance_.unseen());
  const uint64_t ticket = agenda_.schedule(
      due, EventKind::kStore, static_cast<uint32_t>(rank.self.rank));
  rank.stores.store(word, value, due, ticket);
}

void Words::let_all_out(Rank& rank, Time now) {
  while (!rank.stores.empty())
    log_.seen(now, rank.self.rank, rank.stores.let_out_oldest());
}

void Words::let_out(Rank& rank, uint64_t ticket, Time now) {
  if (const std::optional<uint64_t> value = rank.stores.let_out(ticket))
    log_.seen(now, rank.self.rank, *value);
}

bool Words::in_heap(const Rank& rank, const void* address) const {
  const auto* const a = static_cast<const std::byte*>(address);
  const std::byte* const heap = rank.self.heap_origin + memory_.region_bytes();
  return a >= heap && a < heap + memory_.heap_bytes();
}

std::string Words::name_of(const Rank& rank, const void* address) const {
  if (!in_heap(rank, address)) return "stack";
  const auto* const heap = rank.self.heap_origin + memory_.region_bytes();
  const auto offset =
      static_cast<uint64_t>(static_cast<const std::byte*>(address) - heap);
  return absl::StrCat("heap+0x", absl::Hex(offset));
}

}  // namespace magpie::rma::sim
