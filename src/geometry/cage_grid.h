#pragma once
// A regular grid inside a cage, for coordinates that solve an equation there. Between a node and its neighbour along an
// axis there may be the cage: such a link ends on it, at a share theta of the spacing, where the coordinates are known,
// barycentric in the face. So the surface is met exactly, whatever it cuts off: thin walls, sharp edges, cavities.

#include "cage_family.h"

#include <array>
#include <vector>

namespace rigspace {

struct GridLink {
  int node = -1;     ///< the neighbour; -1: the link ends on the cage
  int cut = -1;      ///< else: which cut
  double theta = 1;  ///< its length, in spacings
};

/// A place on the cage.
struct GridCut {
  Triangle corners;
  Vec3 weights;
};

class CageGrid {
 public:
  /// About this many nodes inside.
  CageGrid(const PreparedCage& cage, int nodes);

  int count() const { return static_cast<int>(links_.size()); }
  double spacing() const { return spacing_; }
  /// -x, +x, -y, +y, -z, +z
  const std::array<GridLink, 6>& links(int node) const { return links_[static_cast<std::size_t>(node)]; }
  Vec3 place_of(int node) const { return place(at_[static_cast<std::size_t>(node)]); }
  const GridCut& cut(int k) const { return cuts_[static_cast<std::size_t>(k)]; }

  /// Adds the value at x, inside, of the coordinates W (nodes x cage points) at the nodes. Interpolates linearly along
  /// x between the planes of the grid, or the cage if it is nearer; within a plane along y likewise, and then along z:
  /// each step keeps signs, sums and linear functions.
  using Values = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  void interpolate(const Values& W, const Vec3& x, double* w) const;

 private:
  int node_at(const std::array<int, 3>& at) const;
  Vec3 place(const std::array<int, 3>& at) const { return low_ + spacing_ * Vec3(at[0], at[1], at[2]); }
  GridCut cut_at(const Vec3& x) const;
  void add(const Values& W, int axis, const Vec3& x, std::array<int, 3> at, double share, double* w) const;

  const PreparedCage& cage_;
  double spacing_ = 1;
  Vec3 low_ = Vec3::Zero();
  std::array<int, 3> size_{};
  std::vector<int> number_;  // of all nodes of the box: which of those inside, or -1
  std::vector<std::array<int, 3>> at_;
  std::vector<std::array<GridLink, 6>> links_;
  std::vector<GridCut> cuts_;
};

/// The solution of a problem on the grid as a family of coordinates.
class GridBasis final : public CageBasis {
 public:
  GridBasis(const PreparedCage& cage, CageGrid grid, CageGrid::Values values, bool reproduces)
      : CageBasis(cage), grid_(std::move(grid)), values_(std::move(values)), reproduces_(reproduces) {}

  void evaluate(const Vec3& x, double* w) const override { grid_.interpolate(values_, x, w); }
  bool reproduces_places() const override { return reproduces_; }
  double step() const override { return 0.5 * grid_.spacing(); }

 private:
  CageGrid grid_;
  CageGrid::Values values_;
  bool reproduces_;
};

}  // namespace rigspace
