#pragma once
// Curves for sketch abstractions: along bones, and around limbs as they are seen from the front or from the side.

#include "assembly.h"

namespace rigspace {

/// `count` points at even distances along a line.
std::vector<Vec3> resampled(std::span<const Vec3> line, int count);

/// Along the joints (as they follow each other in the skeleton) to `end`; every point is rigid on its bone.
struct BoneCurve {
  std::string name;
  std::vector<std::string> joints;
  Vec3 end;
  int points;
};
CurveDraft along_bones(const puppet::Skeleton& skeleton, const BoneCurve& curve);

/// Points hung as the skin is.
CurveDraft on_skin(std::string name, std::vector<Vec3> points, std::span<const flesh::Part> parts, int joints);

/// Around a solid in the plane square to `view` through the chain's points: out along one side of the chain, round its
/// end and back, `count` points. `from`, `to`: the part of the chain's length that is followed, 0 to 1.
struct LimbOutline {
  ScalarField solid;
  std::vector<Vec3> chain;
  Vec3 view = Vec3::UnitZ();
  double from = 0, to = 1;
  int count = 48;
};
std::vector<Vec3> outline_of(const LimbOutline& limb);

/// Around a solid as seen along `view` from a point inside it: rays in the plane square to `view`, `count` points.
std::vector<Vec3> outline_around(const ScalarField& solid, const Vec3& center, const Vec3& view, int count);

}  // namespace rigspace
