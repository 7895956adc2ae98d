#pragma once
// Surfaces of built-in characters on their way to a rig: points, triangles, colours, and how the points hang on joints.

#include "rigspace/base/types.h"
#include "rigspace/rig/deformer.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace rigspace::flesh {

struct Flesh {
  std::string name;
  int material = 0;
  std::vector<Vec3> points;  ///< at rest, in the character's space
  std::vector<Vec3> normals;
  std::vector<Eigen::Vector4f> colors;  ///< linear
  std::vector<std::vector<Influence>> influences;
  std::vector<std::array<int, 3>> triangles;  ///< counted within the flesh

  int size() const { return static_cast<int>(points.size()); }
};

/// How a whole closed part is coloured and hung.
struct Attachment {
  int joint;
  Eigen::Vector4f color;
};

/// A closed ellipsoid with half axes `half` along the columns of `axes`; the poles lie on the third.
struct EllipsoidShape {
  Vec3 center;
  Mat3 axes = Mat3::Identity();
  Vec3 half;
  int rings = 8, segments = 14;
};
void add_ellipsoid(const EllipsoidShape& shape, const Attachment& attachment, Flesh& flesh);

/// A closed tube around a line of at least two points, its ends drawn to points; `up` is never along the line.
struct TubeShape {
  std::vector<Vec3> line;
  std::vector<double> radii;  ///< one per point of the line
  Vec3 up = Vec3::UnitZ();
  int segments = 8;
};
void add_tube(const TubeShape& shape, const Attachment& attachment, Flesh& flesh);

/// Weights of the bones of a chain for the point p: a partition of unity along the chain, bone k from joint k to joint
/// k + 1, changing smoothly within `width` before and after each joint. `chain` has one point more than bones.
std::vector<double> chain_weights(const Vec3& p, std::span<const Vec3> chain, double width);

/// Dense weights (points x joints) spread along the edges of a mesh, each round half-way to the mean of the neighbours.
void smooth_weights(std::span<const std::array<int, 3>> triangles, int rounds, Mat& weights);

/// The `most` largest weights of each point above `least`, normalised, largest first.
std::vector<std::vector<Influence>> strongest(const Mat& weights, int most, double least);

}  // namespace rigspace::flesh
