#pragma once
// Surfaces of built-in characters on their way to a rig: points, triangles, colours, and how the points hang on joints.

#include "rigspace/base/types.h"
#include "rigspace/geometry/signed_distance.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/deformer.h"

#include <array>
#include <functional>
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

/// A ring of a turned shape: at height `along` the axis, with its normal (outward, along) in the section.
struct Ring {
  double along, radius;
  std::array<double, 2> normal;
  Eigen::Vector4f color;
};
/// A closed shape turned about the third column of `axes`, rings from top to bottom.
struct TurnedShape {
  Vec3 center;
  Mat3 axes = Mat3::Identity();
  std::vector<Ring> rings;
  int segments = 24;
  double top, bottom;  ///< along the axis, where it closes
  Eigen::Vector4f top_color, bottom_color;
};
void add_turned(const TurnedShape& shape, int joint, Flesh& flesh);

/// Weights of the bones of a chain for the point p: a partition of unity along the chain, bone k from joint k to joint
/// k + 1, changing smoothly within `width` before and after each joint. `chain` has one point more than bones.
std::vector<double> chain_weights(const Vec3& p, std::span<const Vec3> chain, double width);

using WeightRow = Eigen::Ref<Eigen::RowVectorXd, 0, Eigen::InnerStride<>>;  ///< of one point, over all joints
/// Adds `share` of a point, divided among the joints of a part, to the point's row.
using ShareOut = std::function<void(const Vec3& p, double share, WeightRow row)>;

/// Shares out along a chain, see chain_weights.
struct ChainWeights {
  std::vector<int> joints;
  std::vector<Vec3> points;  ///< one more than joints
  double width;              ///< metres

  void operator()(const Vec3& p, double share, WeightRow row) const;
};

/// A part of a body, as it claims skin: all of what is within `softness` nearer to it than to other parts is nearly its
/// own, by exp(-distance / softness).
struct Part {
  ScalarField distance;  ///< as if the part were alone
  double softness;       ///< metres
  ShareOut weigh;
  std::function<double(const Vec3&)> mask;  ///< a factor on the claim, 0 to 1; empty: 1
};

/// How much of a point each part holds, summing to one.
std::vector<double> shares(std::span<const Part> parts, const Vec3& p);

/// The weights of one point, summing to one. A left leg never pulls at the right one however close they are in space,
/// if each is a part of its own.
void weigh(std::span<const Part> parts, const Vec3& p, WeightRow row);

/// A skin in the making: the surface of a body, coloured and hung on `joints` joints by its parts, four to a point.
struct BodyPlan {
  std::string name = "body";
  int material = 0;
  ScalarField solid;
  std::function<Eigen::Vector4f(const Vec3&)> color;  ///< linear
  std::span<const Part> parts;
  int joints;
  int smoothing;  ///< rounds of smooth_weights
};
Flesh make_body(const TriMesh& surface, const BodyPlan& plan);

/// Dense weights (points x joints) spread along the edges of a mesh, each round half-way to the mean of the neighbours.
void smooth_weights(std::span<const std::array<int, 3>> triangles, int rounds, Mat& weights);

/// The `most` largest weights of each point above `least`, normalised, largest first.
std::vector<std::vector<Influence>> strongest(const Mat& weights, int most, double least);

}  // namespace rigspace::flesh
