#pragma once
// A curve that carries a chain of joints: spines, tails, trunks, tentacles.

#include "rigspace/rig/graph.h"
#include "rigspace/rig/source.h"

#include <string>
#include <vector>

namespace rigspace {

enum class SplineKind {
  b_spline,     ///< cubic, uniform, ends clamped: passes through the first and last point only
  bezier,       ///< cubic pieces that share end points: 4, 7, 10 .. points
  catmull_rom,  ///< passes through all points
};

/// Joints sit at fixed lengths along the curve and carry frames that do not twist about it (double reflection, Wang et
/// al. 2008), counted from an up direction at its start. With all controls at rest every joint is at its given rest
/// transform, whether or not that lies on the curve.
struct SplineChain {
  std::string name;
  std::vector<int> point_slots;  ///< control points of the curve, points or transforms; at least 2, of Bezier 4
  SplineKind kind = SplineKind::b_spline;
  std::vector<Affine> joints_rest;  ///< scene space, in order along the curve
  int up_slot = -1;                 ///< a transform whose axis gives the up direction at the start; -1: the scene's
  Vec3 up_axis = Vec3::UnitY();     ///< in its space; at rest not along the curve's first tangent
  /// 0: joints keep their distances along the curve, and leave its end straight ahead if it gets too short; 1: they
  /// keep their shares of its length.
  Source stretch = Source::constant(0);
  Source start_twist, end_twist;  ///< radians about the curve, linear in length between
};

/// One transform slot per joint.
std::vector<int> add_spline_chain(ControlGraph&, const SplineChain&);

}  // namespace rigspace
