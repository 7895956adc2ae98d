#pragma once
// Belts: a ring of the skin that a bone carries, drawn tight.

#include "rigspace/geometry/cover_lattice.h"
#include "rigspace/optimize/projected_cg.h"
#include "rigspace/optimize/sparse_system.h"

#include <Eigen/Core>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

struct ForceBody;

/// Where a belt lies at rest, and how tight it is.
struct BeltPlan {
  std::string name;
  std::string bone;    ///< of a joint
  double along = 0.5;  ///< 0 at the start of the bone, 1 at its end
  double width = 0;    ///< scene units; 0: half an edge of a cell
  double tight = 0.9;  ///< the ring's distances from the bone are this share of what they are at rest
};

/// Points of the skin x_k = sum_i E_ki y_i are to be at C_b t_k. With E = L S V^T this is  V^T y = S^-1 L^T t,
/// orthonormal rows, those left out whose singular values are below a fiftieth of the largest: the lattice cannot
/// follow every point. The right side is linear in the transforms of the bone and of joints that hold vertices beside
/// the ring.
struct Belt {
  BeltPlan plan;
  std::vector<int> points;    ///< of the skin
  std::vector<int> vertices;  ///< free ones of the lattice that move the points
  Mat V;                      ///< a row a vertex, a column a constraint
  struct Moment {
    int joint;
    Eigen::Matrix<double, -1, 4> rows;  ///< one a constraint
  };
  std::vector<Moment> moments;

  /// Right sides V^T y, a row a constraint: sum over joints of  rows C^T. Linear: of changes dC, too.
  Eigen::Matrix<double, -1, 3> places(std::span<const Affine> joints) const;
  /// y <- y + V (places - V^T y).
  void satisfy(const Eigen::Matrix<double, -1, 3>& places, Vec& y) const;
  /// Adds to g_C what a gradient by y is by the transforms, y = V places.
  void add_transform_gradient(In g_y, std::vector<Affine>& g_C) const;
};

/// Throws Error for a joint without a bone in the body, numbers out of range and a ring without points of the skin.
Belt make_belt(const ForceBody& body, const BeltPlan& plan);
/// Throws Error where two belts hold the same flesh.
void check_belts(const ForceBody& body);

/// V^T x = 0 of all belts: what changes within them fulfil.
ConstraintBasis basis_of_belts(const ForceBody& body);
/// Solves A u = g within the belts; `system` is factored.
void solve_within_belts(SparseSystem& system, const ConstraintBasis& belts, In g, Vec& u);

}  // namespace rigspace
