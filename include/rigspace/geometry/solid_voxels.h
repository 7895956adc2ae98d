#pragma once
// A surface as voxels: cubes inside it and cubes on it, and shortest paths through them. Works on any soup of
// triangles: the inside is where winding numbers say so, holes are closed, sheets are voxels of their own.

#include "rigspace/geometry/bvh.h"
#include "rigspace/geometry/tri_mesh.h"

#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace rigspace {

struct VoxelOptions {
  int across = 100;  ///< voxels along the longest side of the surface's box

  void validate() const;
};

class SolidVoxels {
 public:
  static constexpr double kFar = std::numeric_limits<double>::infinity();
  /// A way from one voxel to another.
  struct Link {
    int to;
    double length;  ///< scene units
  };

  /// Throws Error if the surface has no triangles or no size.
  explicit SolidVoxels(const TriMesh& surface, const VoxelOptions& options = {});

  int count() const { return static_cast<int>(cells_.size()); }
  double cell() const { return cell_; }  ///< edge of a voxel, scene units
  Vec3 center(int voxel) const;
  /// False for voxels that only the surface crosses.
  bool inside(int voxel) const { return inside_[voxel] != 0; }
  /// The voxel at a place, or -1.
  int at(const Vec3& x) const;
  /// The voxel whose centre is nearest.
  int nearest(const Vec3& x) const;
  /// Whether a straight way stays within voxels, the ends apart.
  bool sees(const Vec3& from, const Vec3& to) const;

  /// Up to 26 neighbours, and bridges: each island of voxels has one to its nearest neighbour, three times as long as
  /// the gap is wide, so that every voxel is reached from every other.
  std::span<const Link> links(int voxel) const {
    return {links_.data() + start_[voxel], links_.data() + start_[voxel + 1]};
  }
  int bridges() const { return bridges_; }

  /// Voxels along a segment, at most a cell apart, with the distance between segment and centre. Where the segment
  /// leaves the voxels it has none; a segment that never meets one has the one nearest to its middle.
  std::vector<std::pair<int, double>> along(const Vec3& from, const Vec3& to) const;

  /// Length of the shortest path from the seeds, each of which begins with a length of its own (Dijkstra). A path ends
  /// at voxels where it is longer than `limit`, if that is given; kFar where no path comes. `from`, unless null, gets
  /// the voxel before, -1 at seeds. `cost`, unless empty, multiplies the length of the links to a voxel.
  Vec distances(std::span<const std::pair<int, double>> seeds, const Vec* limit = nullptr,
                std::vector<int>* from = nullptr, std::span<const double> cost = {}) const;

 private:
  void lay_out(const TriMesh& surface, int across);
  std::vector<char> touched(const TriMesh& surface, double reach) const;
  void fill(const TriMesh& surface);
  void link();
  void bridge();
  std::array<int, 3> grid_of(const Vec3& x) const;
  bool holds(const std::array<int, 3>& g) const;
  int index_of(const std::array<int, 3>& g) const { return g[0] + size_[0] * (g[1] + size_[1] * g[2]); }

  Vec3 origin_ = Vec3::Zero();
  double cell_ = 0;
  std::array<int, 3> size_{};
  std::vector<int> voxel_of_;  // of each cell of the grid, or -1
  std::vector<int> cells_;     // of the grid, ascending
  std::vector<char> inside_;
  std::vector<int> start_;
  std::vector<Link> links_;
  Bvh tree_;
  int bridges_ = 0;
};

/// Distance of each voxel's centre from the surface, scene units; 0 for voxels that are not inside.
Vec voxel_depths(const SolidVoxels& voxels, const TriMesh& surface);

}  // namespace rigspace
