#pragma once
// Shapes of the inside of a body, beside what its weights and its linear response make of it: few numbers that are
// solved for in every step, so that an inside whose controls deviate far finds its balance.

#include "rigspace/body/rig_body.h"
#include "rigspace/energy/material.h"
#include "rigspace/geometry/harmonic.h"
#include "rigspace/reduce/shaking.h"

#include <span>
#include <vector>

namespace rigspace {

/// x_n = x_key + W (x_s - x_s_key) + F (C (p - p_key) + S y), F the turn of the flesh in the keyed pose.
struct InsideShapes {
  Mat S;               ///< three rows a node, 0 at those of the skin; a column a shape, in the frame of the rest pose
  std::vector<Vec> y;  ///< of each example
  Vec typical;         ///< r.m.s. of y over the examples
  bool empty() const { return S.cols() == 0; }
};

/// The shapes in which insides in balance are most unlike C: the strongest directions of what C misses in the examples,
/// in the norm of the stiffness at rest (proper orthogonal decomposition; S^T K S = 1 at a Young's modulus of 1).
/// `response`: C. `stiffness`: factors on the material, one a tetrahedron; empty: 1. Examples of bodies whose rest
/// shape follows the animation.
InsideShapes inside_shapes(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                           const BlockJacobian& response, std::span<const ExamplePose> examples,
                           const Material& material, std::span<const double> stiffness, int most);

/// The rig with `count` controls more, which move nothing: for y beside p.
std::shared_ptr<const Rig> with_idle_controls(std::shared_ptr<const Rig> rig, const Vec& typical);
/// C and S beside each other: entries per node by the free controls, and then by y.
BlockJacobian response_with_shapes(const BlockJacobian& response, const Mat& S);

}  // namespace rigspace
