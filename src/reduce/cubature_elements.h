#pragma once
// Private to reduce: single tetrahedra of a body, their forces and Hessians, and what they are of the free controls.

#include "rigspace/energy/solid.h"
#include "rigspace/reduce/body_cubature.h"

#include <optional>
#include <span>
#include <vector>

namespace rigspace {

using Mat12 = Eigen::Matrix<double, 12, 12>;
using Vec12 = Eigen::Matrix<double, 12, 1>;

/// A Solid in which no two tetrahedra share a corner, so that forces and Hessians are those of single elements. x: all
/// nodes of the body, scene units.
class CubatureElements {
 public:
  /// `elements`: tetrahedra of the body, in this order.
  CubatureElements(const RigBody& body, std::span<const int> elements, const CubatureOptions& options);

  int count() const { return static_cast<int>(corners_.size()); }
  const Tet& corners(int k) const { return corners_[k]; }  ///< nodes of the body

  /// dE_e/dx_e, 12 numbers an element, less what it is at x_rest: that is not 0 of an element that x_rest inverts and
  /// whose shape without stress is that of the bind pose.
  Vec forces(In x, In x_rest);
  /// d^2 E_e/dx_e^2, projected to positive semi-definite.
  std::vector<Mat12> hessians(In x, In x_rest);

 private:
  Vec apart(In x) const;

  std::vector<Tet> corners_;
  std::optional<Solid> solid_;
};

/// Rows of dx/dp of the corners of one element, over the controls that move any of them.
struct ElementRows {
  std::vector<int> columns;  ///< of the free controls, ascending
  Eigen::Matrix<double, 12, Eigen::Dynamic> J;

  void gather(const BlockJacobian& of_nodes, const Tet& corners);
};

/// Tetrahedra with a corner that a free control moves, ascending.
std::vector<int> moved_elements(const RigBody& body, const BlockJacobian& J);

/// sum_e w_e J_e^T g_e, one number a free control; without weights w_e = 1. Node i has row places[i] of J, or row i if
/// `places` is empty.
Vec reduced_force(const BlockJacobian& J, const CubatureElements& elements, In g,
                  std::span<const WeightedElement> weights = {}, std::span<const int> places = {});

}  // namespace rigspace
