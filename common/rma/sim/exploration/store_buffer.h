// A rank's store buffer: stores that it has done and that others do not see
// yet.
//
// Memory itself is as its owner sees it. What others see of a word meanwhile
// stands in the buffer; operations on the rank's memory from outside are done
// by as_others_see().
//
//   const Time due = buffer.due(&word, model, order, now + unseen);
//   buffer.store(&word, 5, due, ticket);       // its owner sees 5 now
//   ...
//   buffer.as_others_see(act);                 // others see what was before
//   buffer.let_out(ticket);                    // at `due`: so do others
//
// Thread safety: one thread. Invariants:
//   1. Stores stand in the order in which they were done. No store is due
//      before an older one that it may not pass, nor together with it.
//   2. The oldest store to each word knows what others see of that word.
//   3. Outside as_others_see(), a word with stores in the buffer holds the
//      value of the youngest.
//   4. A word that is written plainly is not among the stores.

#ifndef MAGPIE_COMMON_RMA_SIM_EXPLORATION_STORE_BUFFER_H_
#define MAGPIE_COMMON_RMA_SIM_EXPLORATION_STORE_BUFFER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "common/rma/backend.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

// When other ranks see what a rank stores in its own words.
//   sc:  at once
//   tso: later, in the order of the stores (x86-64)
//   pso: later; relaxed stores to different words in any order (AArch64)
enum class MemoryModel : uint8_t { kSc, kTso, kPso };

class StoreBuffer {
 public:
  // Calls act() while memory is as others see it.
  template <typename Act>
  void as_others_see(Act act) {
    exchange_views();
    act();
    exchange_views();
  }

  bool empty() const { return stores_.empty(); }

  // Time when others see a store that is done now: `time`, or as soon after as
  // older stores in the buffer allow. REQUIRES: model is not kSc.
  Time due(const uint64_t* word, MemoryModel model, StoreOrder order,
           Time time) const {
    const bool passes_none =
        model == MemoryModel::kTso || order == StoreOrder::kRelease;
    for (const Store& older : stores_) {
      if (passes_none || older.word == word)
        time = std::max(time, older.due + 1);
    }
    return time;
  }

  // Does a store. REQUIRES: `ticket` is new; `due` is what due() returned.
  void store(uint64_t* word, uint64_t value, Time due, uint64_t ticket) {
    // Its plain write is seen a little earlier (invariant 4).
    plain_writes_.erase(word);
    stores_.push_back({word, value, std::exchange(*word, value), due, ticket});
  }

  // Keeps from others what the owner is about to write plainly to the words, in
  // which others see until then what stands there now.
  void write_plainly(std::span<uint64_t> words) {
    for (uint64_t& word : words) {
      const auto stores_it = [&](const Store& store) {
        return store.word == &word;
      };
      if (std::ranges::none_of(stores_, stores_it))
        plain_writes_.try_emplace(&word, word);
    }
  }
  // Makes others see all plain writes.
  void let_plain_writes_out() { plain_writes_.clear(); }

  // Makes others see the store with that ticket from now on. Returns its value;
  // nothing when it is not in the buffer any more.
  std::optional<uint64_t> let_out(uint64_t ticket) {
    for (size_t i = 0; i < stores_.size(); ++i) {
      if (stores_[i].ticket == ticket) return remove(i);
    }
    return std::nullopt;
  }
  // Does the same with the oldest store. REQUIRES: !empty().
  uint64_t let_out_oldest() { return remove(0); }

 private:
  struct Store {
    uint64_t* word;
    uint64_t value;
    // Value that others see of the word; only in the oldest store to it.
    uint64_t others;
    Time due;
    uint64_t ticket;
  };

  // The owner has seen the store all the time. Others see its value until
  // younger stores to the word, which stay unseen, are let out.
  uint64_t remove(size_t index) {
    const Store out = stores_[index];
    auto later = stores_.erase(stores_.begin() + static_cast<ptrdiff_t>(index));
    while (later != stores_.end() && later->word != out.word) ++later;
    if (later != stores_.end()) later->others = out.value;
    return out.value;
  }
  void exchange_views() {
    if (!stores_.empty() || !plain_writes_.empty()) [[unlikely]]
      exchange();
  }
  // Exchanges each word with what its oldest store in the buffer says of
  // others.
  void exchange() {
    for (auto it = stores_.begin(); it != stores_.end(); ++it) {
      const bool has_older = std::any_of(
          stores_.begin(), it,
          [&](const Store& store) { return store.word == it->word; });
      if (!has_older) std::swap(*it->word, it->others);
    }
    for (auto& [word, others] : plain_writes_) std::swap(*word, others);
  }

  std::vector<Store> stores_;
  // Values that others see of words that are written plainly.
  std::map<uint64_t*, uint64_t> plain_writes_;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_EXPLORATION_STORE_BUFFER_H_
