#include "common/rma/sim/machine/topology.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace magpie::rma::sim {
namespace {

constexpr int kTofuSides = 3;
// Nodes of a unit along each side of the box.
constexpr std::array<int, kTofuSides> kTofuUnit = {2, 3, 2};
// Links around a side whose ends are no neighbours.
constexpr uint16_t kNoWayAround = std::numeric_limits<uint16_t>::max();

bool parse_number(absl::string_view text, int least, int* number) {
  int parsed = 0;
  if (!absl::SimpleAtoi(text, &parsed) || parsed < least || parsed > kMaxSide)
    return false;
  *number = parsed;
  return true;
}

// Parses "8x8x4".
bool parse_sides(absl::string_view text, std::vector<int>* sides) {
  for (absl::string_view side : absl::StrSplit(text, 'x'))
    if (!parse_number(side, 1, &sides->emplace_back())) return false;
  return sides->size() <= kMaxSides;
}

// Returns the unit in which place `at` of a box's side is, and the place in it.
// Every other unit is passed backwards.
std::array<int, 2> in_units(int at, int unit) {
  const int which = at / unit, in_it = at % unit;
  return {which, which % 2 == 0 ? in_it : unit - 1 - in_it};
}

}  // namespace

int64_t Topology::room() const {
  if (sides.empty()) return std::numeric_limits<int>::max();
  int64_t room = 1;
  for (int side : sides)
    room = std::min<int64_t>(room * side, std::numeric_limits<int>::max());
  return room;
}

bool parse_topology(absl::string_view text, Topology* topology) {
  using Kind = Topology::Kind;
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  const bool details = text.size() > parts.first.size();
  Topology parsed;
  if (parts.first == "none" && !details) {
    parsed.kind = Kind::kNone;
  } else if (parts.first == "torus" || parts.first == "tofu") {
    parsed.kind = parts.first == "torus" ? Kind::kTorus : Kind::kTofu;
    if (details && !parse_sides(parts.second, &parsed.sides)) return false;
    if (details && parsed.kind == Kind::kTofu &&
        parsed.sides.size() != kTofuSides) {
      return false;
    }
  } else if (parts.first == "tree" && details) {
    parsed.kind = Kind::kTree;
    if (!parse_number(parts.second, 2, &parsed.arity)) return false;
  } else {
    return false;
  }
  *topology = parsed;
  return true;
}

std::vector<int> near_cube(int nodes) {
  std::array<int64_t, 3> best = {1, 1, nodes};
  const auto score = [](const std::array<int64_t, 3>& sides) {
    const auto [a, b, c] = sides;
    return std::array<int64_t, 2>{a + b + c, a * b * c};
  };
  for (int64_t a = 1; (a - 1) * (a - 1) * (a - 1) < nodes; ++a) {
    for (int64_t b = a; a * (b - 1) * (b - 1) < nodes; ++b) {
      std::array<int64_t, 3> box = {a, b, (nodes + a * b - 1) / (a * b)};
      if (score(box) < score(best)) best = box;
    }
  }
  std::sort(best.begin(), best.end());
  return {static_cast<int>(best[1]), static_cast<int>(best[2]),
          static_cast<int>(best[0])};
}

Hops::Hops(const Topology& topology, int nodes)
    : nodes_(nodes), arity_(topology.arity) {
  const bool tofu = topology.kind == Topology::Kind::kTofu;
  if (!tofu && topology.kind != Topology::Kind::kTorus) return;
  const std::vector<int> sides =
      topology.sides.empty() ? near_cube(nodes) : topology.sides;
  for (size_t i = 0; i < sides.size(); ++i) {
    if (tofu) {
      around_[2 * i] = kNoWayAround;
      around_[2 * i + 1] = static_cast<uint16_t>(kTofuUnit[i]);
    } else {
      around_[i] = static_cast<uint16_t>(sides[i]);
    }
  }
  places_.resize(static_cast<size_t>(nodes));
  for (int node = 0; node < nodes; ++node) {
    Place& place = places_[static_cast<size_t>(node)];
    int rest = node;
    for (size_t i = sides.size(); i-- > 0; rest /= sides[i]) {
      const int at = rest % sides[i];
      if (!tofu) {
        place[i] = static_cast<uint16_t>(at);
        continue;
      }
      const auto [unit, in_it] = in_units(at, kTofuUnit[i]);
      place[2 * i] = static_cast<uint16_t>(unit);
      place[2 * i + 1] = static_cast<uint16_t>(in_it);
    }
  }
}

int Hops::links(const Place& a, const Place& b) const {
  int links = 0;
  for (size_t i = 0; i < kMaxSides; ++i) {
    const int straight = std::abs(a[i] - b[i]);
    links += std::min(straight, around_[i] - straight);
  }
  return links;
}

int Hops::switches(int a, int b) const {
  int switches = 0;
  for (; a != b; a /= arity_, b /= arity_) switches += 2;
  return std::max(switches - 1, 0);
}

double Hops::mean() const {
  if (nodes_ < 2) return 0;
  int64_t sum = 0;
  for (int a = 0; a < nodes_; ++a)
    for (int b = 0; b < a; ++b) sum += between(a, b);
  return static_cast<double>(2 * sum) /
         (static_cast<double>(nodes_) * (nodes_ - 1));
}

}  // namespace magpie::rma::sim
