// Other victims than the papers', which are chosen at random
// (victim_selection.h).

#ifndef MAGPIE_COMMON_STEALING_OTHER_VICTIMS_H_
#define MAGPIE_COMMON_STEALING_OTHER_VICTIMS_H_

#include <cstdint>

#include "common/stealing/group.h"

namespace magpie {

// Round robin, from the next member on.
class NextVictim {
 public:
  NextVictim(const Group& group, int rank, uint64_t /*seed*/)
      : group_(group),
        member_(group.member(rank)),
        victim_(group.member(rank)) {}

  int next() {
    do {
      victim_ = (victim_ + 1) % group_.size;
    } while (victim_ == member_);
    return group_.rank(victim_);
  }

 private:
  Group group_;
  // Numbers in the group: of the rank, and of the last victim.
  int member_;
  int victim_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_OTHER_VICTIMS_H_
