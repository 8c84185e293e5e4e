// Requests to random victims that answer themselves: the cooperative form, of
// places whose tasks nobody else can take.
//
// Each manager has one word, for one request at a time. A thief adds an
// attempt; who has made the first one adds its number, and is answered with a
// load, maybe an empty one. All others know at once that they got nothing.
//
// Source: hybrid_glb_apgas18 §2.2 ("rejects"); GLB's victims have a queue of
// requests, ours is as long as one.
//
// Thread safety: an instance belongs to a place's manager; `request` is added
// to by others. Invariants:
//   1. The low half of `request` counts attempts, the high half is the thief
//      that waits, plus one. It is changed by atomics only.
//   2. The high half is added to by the one whose attempt was the first since
//      the owner cleared the word; the owner does so when both are there.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_REQUESTS_H_
#define MAGPIE_IMPL_GLB_LIFELINE_REQUESTS_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/names.h"
#include "common/rma/rma.h"

namespace magpie::glb {

class Requests {
 public:
  // Collective.
  Requests() : request_(rma::allocate<rma::Word>()), own_(request_.local()) {
    rma::name_words(request_, "request");
  }

  static size_t heap_bytes() { return rma::allocated_bytes<rma::Word>(); }

  // Asks the manager `victim`, which then sends a load. False: it answers
  // somebody else. Cost: fetch_add; one more where it is true.
  // REQUIRES: !awaits_answer().
  bool ask(int victim) {
    if (rma::fetch_add(request_.at(victim), 1) != 0) return false;
    awaits_answer_ = true;
    rma::fetch_add(request_.at(victim), (static_cast<uint64_t>(rma::rank()) + 1)
                                            << kShift);
    return true;
  }

  // Whether the caller was not answered yet; answered() says that it was.
  bool awaits_answer() const { return awaits_answer_; }
  void answered() { awaits_answer_ = false; }

  // The manager that waits for an answer; -1: none. Cost: none.
  int thief() const { return static_cast<int>(own_->load() >> kShift) - 1; }
  // Says that the thief is answered: the next may ask. Cost: 1 swap.
  void clear() const { rma::swap(request_, 0); }

 private:
  static constexpr int kShift = 32;

  const rma::RemotePtr<rma::Word> request_;
  const rma::Word* const own_;
  bool awaits_answer_ = false;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_REQUESTS_H_
