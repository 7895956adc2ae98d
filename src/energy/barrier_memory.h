#pragma once
// What BarrierContact keeps between evaluations. Nothing here changes what it computes: pairs found once serve all
// paths that they cover.

#include "rigspace/energy/barrier_contact.h"

namespace rigspace {

struct BarrierContact::Memory final : State {
  struct Kept {
    CollisionPairFinder finder;
    double margin = 0.5;       // of `distance`: how far outside the path the pairs still serve
    std::vector<char> absent;  // when they were found
    std::vector<CollisionPair> pairs;
    std::uint64_t active_version = ~0ull;
    Vec active_x;
    std::vector<Active> active;
  };
  Memory(const TriMesh& surface, const TriMesh& obstacle, bool self)
      : kept(std::make_unique<Kept>(Kept{CollisionPairFinder(surface, obstacle, self)})) {}

  std::unique_ptr<Kept> kept;
};

}  // namespace rigspace
