// Ranks that are next to each other. And a tree over them, by which all learn
// something, or are asked, without anybody having to do with all.

#ifndef MAGPIE_COMMON_STEALING_GROUP_H_
#define MAGPIE_COMMON_STEALING_GROUP_H_

#include <cstdint>

#include "common/rma/check.h"
#include "common/rma/rma.h"

namespace magpie {

// A group of ranks, whose members are numbered from 0. A value, the same on all
// of them.
struct Group {
  static Group of_all() { return {.first = 0, .size = rma::size()}; }

  int first = 0;
  int size = 1;

  // REQUIRES: 0 <= member < size.
  int rank(int member) const { return first + member; }
  bool has(int rank) const { return rank >= first && rank - first < size; }
  // REQUIRES: has(rank).
  int member(int rank) const { return rank - first; }

  bool operator==(const Group&) const = default;
};

// The calling rank's place in a binary tree over a group, whose root is member
// 0. REQUIRES: the rank is a member.
class GroupTree {
 public:
  explicit GroupTree(const Group& group)
      : group_(group), member_(group.member(rma::rank())) {
    check(group.has(rma::rank()), "a tree over a group of other ranks");
  }

  bool is_root() const { return member_ == 0; }
  int root() const { return group_.rank(0); }
  // REQUIRES: !is_root().
  int parent() const { return group_.rank((member_ - 1) / 2); }
  // Which of its parent's children the rank is: 0 or 1. REQUIRES: !is_root().
  int number() const { return (member_ - 1) % 2; }

  // Number of children, from 0 to 2.
  int children() const {
    const int64_t behind = int64_t{group_.size} - 1 - 2 * int64_t{member_};
    return behind <= 0 ? 0 : behind == 1 ? 1 : 2;
  }
  // REQUIRES: 0 <= i < children().
  int child(int i) const { return group_.rank(2 * member_ + 1 + i); }

 private:
  Group group_;
  int member_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_GROUP_H_
