#include "sheet_lattice.h"

#include <array>
#include <utility>

namespace rigspace {
namespace {

constexpr double kShallow = 0.2;  // of an edge: a gap no longer than this, at the bottom of a crease, is filled

/// The neighbours of a lattice point joined to each other (not through the point), as class numbers; 255 for others.
template <class Filled, class Joined>
std::array<std::uint8_t, kDirections> link_classes(Filled&& filled, Joined&& joined, int& count) {
  std::array<std::uint8_t, kDirections> result;
  result.fill(255);
  count = 0;
  std::array<int, kDirections> stack;
  for (int seed = 0; seed < kDirections; ++seed) {
    if (!filled(seed) || result[seed] != 255) continue;
    int top = 0;
    stack[top++] = seed;
    result[seed] = static_cast<std::uint8_t>(count);
    while (top > 0) {
      const int d = stack[--top];
      for (int e = 0; e < kDirections; ++e) {
        if (kLink.between[d][e] < 0 || result[e] != 255 || !filled(e) || !joined(d, kLink.between[d][e])) continue;
        result[e] = static_cast<std::uint8_t>(count);
        stack[top++] = e;
      }
    }
    ++count;
  }
  return result;
}

}  // namespace

SheetLattice::SheetLattice(LatticeField& field) : field_(field) {
  resolve();
  const std::size_t active = field_.active().size();
  base_.resize(active);
  class_.assign(active * kDirections, 0);
  for (std::size_t k = 0; k < active; ++k) classify(static_cast<int>(k));
}

bool SheetLattice::removable(int v, std::span<const std::int8_t> sign) const {
  const auto neighbour = [&](int d) { return field_.lattice().neighbour(v, d); };
  int count = 0;
  link_classes(
      [&](int d) {
        return joined(v, d) && (sign.empty() || sign[static_cast<std::size_t>(filled_node(neighbour(d)))] > 0);
      },
      [&](int d, int between) { return joined(neighbour(d), between); }, count);
  return count == 1;
}

// At the end of a gap there are triangles of filled points a, b, c with a gap between a and b but none between a and c
// or b and c. There the complex would not fit together. Filling the gap ab would only move the place on, and zip up the
// whole gap; so one of the three is given up, which makes the gap one cell longer. It is one without which its
// neighbours still hang together where there is one, and among those the nearest to the skin.
void SheetLattice::resolve() {
  unblock_shallow();
  const BccLattice& lattice = field_.lattice();
  for (const int a : field_.active()) {
    for (int d = 0; d < kForward; ++d) {
      const int b = lattice.neighbour(a, d);
      if (b < 0 || !field_.filled(a) || !field_.filled(b) || !field_.blocked(a, d)) continue;
      for (int e = 0; e < kDirections; ++e) {
        if (!field_.filled(a) || !field_.filled(b)) break;
        if (kLink.between[d][e] < 0 || !joined(a, e) || !joined(b, kLink.between[d][e])) continue;
        const std::array<int, 3> candidates{a, b, lattice.neighbour(a, e)};
        std::pair<bool, double> best{false, std::numeric_limits<double>::infinity()};
        int chosen = -1;
        for (const int v : candidates) {
          const bool safe = removable(v);
          if (chosen >= 0 && (safe != best.first ? !safe : field_.depth(v) >= best.second)) continue;
          best = {safe, field_.depth(v)}, chosen = v;
        }
        field_.give_up(chosen);
        ++given_up_;
      }
    }
  }
}

void SheetLattice::unblock_shallow() {
  const BccLattice& lattice = field_.lattice();
  std::vector<std::pair<int, int>> shallow;
  for (const int a : field_.active()) {
    for (int d = 0; d < kForward; ++d) {
      const int b = lattice.neighbour(a, d);
      if (b < 0 || !field_.filled(a) || !field_.filled(b) || !field_.blocked(a, d)) continue;
      if (1 - field_.exit(a, d) - field_.exit(b, opposite(d)) > kShallow) continue;
      for (int e = 0; e < kDirections; ++e)
        if (kLink.between[d][e] >= 0 && joined(a, e) && joined(b, kLink.between[d][e])) {
          shallow.push_back({a, d});
          break;
        }
    }
  }
  for (const auto& [a, d] : shallow) field_.unblock(a, d);
}

// The copies of lattice point v: two of its filled neighbours see the same copy if they are joined to each other around
// v. Those joined to v itself see its own flesh, which is number 0 where there is any.
void SheetLattice::classify(int k) {
  const int v = field_.active()[k];
  const auto neighbour = [&](int d) { return field_.lattice().neighbour(v, d); };
  const bool own = field_.filled(v);
  base_[k] = static_cast<int>(nodes_.size());
  if (own) nodes_.push_back({v, true});
  int count = 0;
  const auto others = link_classes(
      [&](int d) {
        const int u = neighbour(d);
        return u >= 0 && field_.filled(u) && !(own && !field_.blocked(v, d));
      },
      [&](int d, int between) { return joined(neighbour(d), between); }, count);
  for (int c = 0; c < count; ++c) nodes_.push_back({v, false});
  for (int d = 0; d < kDirections; ++d)
    if (others[d] != 255)
      class_[static_cast<std::size_t>(k) * kDirections + static_cast<std::size_t>(d)] =
          static_cast<std::uint8_t>(others[d] + (own ? 1 : 0));
}

}  // namespace rigspace
