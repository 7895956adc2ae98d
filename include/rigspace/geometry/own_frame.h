#pragma once
// A frame that turns about the vertical, shifts and scales with a shape: what is computed in it is the same wherever
// the shape stands, whichever way it faces and whatever its units are.

#include "rigspace/geometry/tri_mesh.h"

#include <vector>

namespace rigspace {

/// Scene space is y up; so is the frame. Lengths in the frame are shares of `size`.
struct OwnFrame {
  Mat3 turn = Mat3::Identity();  ///< directions, from the scene to the frame: its rows are the frame's axes
  Vec3 origin = Vec3::Zero();    ///< scene: the middle of the shape's box
  Vec3 sides = Vec3::Zero();     ///< scene units: of the shape's box along the frame's axes
  double size = 1;               ///< scene units: the diagonal of that box, or 1 where it has none

  /// From the scene to the frame.
  Vec3 inward(const Vec3& x) const { return turn * (x - origin) / size; }
  Affine inward(const Affine& A) const;
  /// `inward`, rounded to a grid of 2^-24, below what 32-bit floats resolve: two scenes that differ by a turn, a shift
  /// or a unit differ in the last bits of a double, and what is computed from rounded places does not.
  Vec3 place(const Vec3& x) const;
  Vec places(In points) const;
  /// From the frame to the scene.
  Vec3 outward(const Vec3& x) const { return origin + size * (turn.transpose() * x); }
  Vec outward_points(In points) const;

  /// Scene units: the largest side.
  double extent() const { return sides.maxCoeff(); }
  /// The frame's axes as columns, scene: by a quarter turn, or two, as near to x, y and z as they get.
  Mat3 axes_near_scene() const;
};

/// The frame of some points whose axes are known.
OwnFrame own_frame(In points, const Mat3& turn);

/// Axes of a shape that nothing else gives axes to, as rows: the horizontal principal axes of its area. Of a square bar
/// the normals of its sides; of a round shape the direction to the triangle farthest from its axis.
Mat3 principal_turn(const TriMesh& mesh);

/// The axes, as rows, of a frame turned about the vertical so that its x is the horizontal part of v.
Mat3 turn_along(const Vec3& v);

/// A mesh whose points and triangles are in an order that depends on their places alone, so that results that depend on
/// the order in the last bits, or by first come, do not depend on how a file lists them.
struct PlaceOrder {
  TriMesh mesh;
  std::vector<int> point;  ///< of each new point, the old number
};
PlaceOrder in_place_order(const TriMesh& mesh);

}  // namespace rigspace
