#pragma once
// Which elements of a surface may meet: point-triangle and edge-edge pairs of the surface with itself and with another
// whose motion is given, found by trees of the boxes that moving elements sweep.

#include "rigspace/geometry/bvh.h"
#include "rigspace/geometry/element_distance.h"

#include <span>
#include <vector>

namespace rigspace {

/// Points of the pair as in PairKind; points of the obstacle are numbered after those of the surface.
struct CollisionPair {
  PairKind kind = PairKind::point_triangle;
  std::array<int, 4> points = {0, 0, 0, 0};

  bool operator==(const CollisionPair&) const = default;
};

/// The straight motions of a surface and an obstacle over the same time. Refers to the points, which must outlive it.
struct SurfaceMotion {
  Eigen::Ref<const Vec> from, to;
  Eigen::Ref<const Vec> obstacle_from, obstacle_to;
};

/// Trees are built once and refitted. Pairs come in the same order on any number of threads.
class CollisionPairFinder {
 public:
  /// self: pairs of the surface with itself too.
  CollisionPairFinder(const TriMesh& surface, const TriMesh& obstacle, bool self = true);

  /// Triangles of the obstacle that take no part (non-zero entries; empty for none), with the edges and points that
  /// only such triangles have.
  void set_absent(std::span<const char> triangles);

  /// All pairs that may come within `reach` m of each other at any time of this motion, or of another that it covers:
  /// one of which each point stays within `margin` m, along each axis, of the box that the point sweeps here, seen from
  /// the surface's mean motion. Pairs that share a point, and those of two elements of the obstacle, are left out.
  void find(const SurfaceMotion& motion, double reach, std::vector<CollisionPair>& pairs, double margin = 0);
  /// Whether the pairs of the last find are also those of this motion.
  bool covers(const SurfaceMotion& motion) const;

  int points() const { return points_; }
  const TriMesh& obstacle() const { return obstacle_; }
  const std::vector<std::array<int, 2>>& edges() const { return edges_; }

 private:
  // Elements under one node of a tree, their boxes side by side to be compared at once, and rounded outward.
  static constexpr int kLeaf = 8;
  struct Leaf {
    alignas(32) float low[3][kLeaf], high[3][kLeaf];
    int first, count;  // into items()
  };
  // Elements of one kind, the boxes that they sweep, and a tree over these. Absent ones have empty boxes.
  struct Layer {
    Bvh tree;
    std::vector<Box> boxes;
    std::vector<Leaf> leaves;
    std::vector<int> leaf_of;  // of each node; -1: none, it is gone down from
    bool built = false;

    void find_leaves();
    void fit();
  };
  struct Layers {
    Layer points, edges, triangles;
    Vec from, to;            // what they were fitted to, with
    Vec3 shared;             // that motion taken off, and
    double margin = 0;       // so much added
    std::vector<Box> swept;  // of each point
    bool fits = false;
  };
  using Found = std::vector<CollisionPair>;
  void fit(Layers&, bool obstacle, In from, In to, double margin);
  bool holds(In x, In obstacle) const;
  template <class Visit>
  void meet(const Layer& a, const Layer& b, double reach, Found& pairs, Visit&& visit) const;

  int points_;
  bool self_;
  std::vector<Triangle> triangles_;
  std::vector<std::array<int, 2>> edges_, obstacle_edges_;
  TriMesh obstacle_;
  std::vector<int> surface_points_, obstacle_points_;  // those that triangles use
  std::vector<char> given_, absent_triangles_, absent_edges_, absent_points_;
  Layers surface_layers_, obstacle_layers_;
  Vec3 shared_ = Vec3::Zero();  // mean motion of the surface in the last find, m
};

}  // namespace rigspace
