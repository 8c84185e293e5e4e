#include "common/rma/sim/exploration/store_buffer.h"

#include <algorithm>
#include <utility>

namespace magpie::rma::sim {

Time StoreBuffer::due(const uint64_t* word, MemoryModel model, StoreOrder order,
                      Time time) const {
  const bool passes_none =
      model == MemoryModel::kTso || order == StoreOrder::kRelease;
  for (const Store& older : stores_) {
    if (passes_none || older.word == word) time = std::max(time, older.due + 1);
  }
  return time;
}

void StoreBuffer::store(uint64_t* word, uint64_t value, Time due,
                        uint64_t ticket) {
  // Its plain write is seen a little earlier (invariant 4).
  plain_writes_.erase(word);
  stores_.push_back({word, value, std::exchange(*word, value), due, ticket});
}

void StoreBuffer::write_plainly(std::span<uint64_t> words) {
  for (uint64_t& word : words) {
    const auto stores_it = [&](const Store& store) {
      return store.word == &word;
    };
    if (std::ranges::none_of(stores_, stores_it))
      plain_writes_.try_emplace(&word, word);
  }
}

std::optional<uint64_t> StoreBuffer::let_out(uint64_t ticket) {
  for (size_t i = 0; i < stores_.size(); ++i) {
    if (stores_[i].ticket == ticket) return remove(i);
  }
  return std::nullopt;
}

// The owner has seen the store all the time. Others see its value until younger
// stores to the word, which stay unseen, are let out.
uint64_t StoreBuffer::remove(size_t index) {
  const Store out = stores_[index];
  auto later = stores_.erase(stores_.begin() + static_cast<ptrdiff_t>(index));
  while (later != stores_.end() && later->word != out.word) ++later;
  if (later != stores_.end()) later->others = out.value;
  return out.value;
}

// Exchanges each word with what its oldest store in the buffer says of others.
void StoreBuffer::exchange() {
  for (auto it = stores_.begin(); it != stores_.end(); ++it) {
    const bool has_older =
        std::any_of(stores_.begin(), it,
                    [&](const Store& store) { return store.word == it->word; });
    if (!has_older) std::swap(*it->word, it->others);
  }
  for (auto& [word, others] : plain_writes_) std::swap(*word, others);
}

}  // namespace magpie::rma::sim
