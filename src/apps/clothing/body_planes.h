#pragma once
// Private to clothing: planes through the body's surface, one for each point of a garment near it: the body as a solve
// in few directions feels it.

#include "rigspace/energy/half_spaces.h"
#include "rigspace/geometry/closest_point.h"

#include <span>
#include <vector>

namespace rigspace {

struct BodyPlanesOptions {
  double distance = 0.002;  ///< m: from the body, where the planes are
  double reach = 0.04;      ///< m: points farther from the body have none
};

class BodyPlanes {
 public:
  using Options = BodyPlanesOptions;
  explicit BodyPlanes(const TriMesh& body, const Options& options = {});

  /// For points at x, where the body is now, carried on to where it will be. `absent`: triangles that take no part.
  /// `stiffness`: N/m of each point.
  const HalfSpaces& find(In x, In body_now, In body_next, std::span<const char> absent, In stiffness);

 private:
  Options options_;
  TriangleTree tree_;
  HalfSpaces planes_;
};

}  // namespace rigspace
