#pragma once
// Private to clothing: planes through the body's surface, one for each point of a garment near it: the body as a solve
// in few directions feels it.

#include "rigspace/energy/half_spaces.h"
#include "rigspace/geometry/closest_point.h"

#include <functional>
#include <span>
#include <vector>

namespace rigspace {

/// The nearest place of the body to a point of a garment.
struct BodyPlace {
  int triangle = -1;           ///< -1: none within reach
  Vec3 now, next;              ///< m: where the place is, and where the body carries it in a step
  Vec3 normal = Vec3::Zero();  ///< unit, outward, at the end of the step; smooth over the surface
  double gap = 0;              ///< m: of the point, along the triangle's side now; negative inside
};

/// tree: of the body as it is now. normals: vertex_normals of body_next.
BodyPlace nearest_body(const TriangleTree& tree, In body_next, In normals, const Vec3& x, double reach);

/// A plane through the body's surface for each of the points x that has a place of the body within `reach(i)` m, as
/// `make(i, place, plane)` sets it; the others, and those that it leaves as they are, are without force. The tree is
/// refitted to body_now.
using PlaneReach = std::function<double(int point)>;
using PlaneMaker = std::function<void(int point, const BodyPlace&, HalfSpaces::Plane&)>;
std::vector<HalfSpaces::Plane> planes_of_body(TriangleTree& tree, In body_now, In body_next, In x,
                                              const PlaneReach& reach, const PlaneMaker& make);

/// Keeps a point `height` m above its place of the body, which carries it along.
void lay_plane(HalfSpaces::Plane& plane, const BodyPlace& place, const Vec3& x, double height, double stiffness);

/// Non-zero for triangles of the body, at body_points, within a few centimetres of the cloth: those in cells of a grid
/// around its points. Large triangles always count.
std::vector<char> triangles_near(const TriMesh& cloth, In body_points, std::span<const Triangle> triangles);

struct BodyPlanesOptions {
  double distance = 0.002;  ///< m: from the body, where the planes are
  double reach = 0.04;      ///< m: points farther from the body have none
  double friction = 0.3;    ///< Coulomb's mu
  double slip = 1e-4;       ///< m: what is held by friction creeps by less in a step
};

class BodyPlanes {
 public:
  using Options = BodyPlanesOptions;
  explicit BodyPlanes(const TriMesh& body, const Options& options = {});

  /// For points at x, where the body is now, carried on to where it will be. `absent`: triangles that take no part.
  /// `stiffness`: N/m of each point.
  const HalfSpaces& find(In x, In body_now, In body_next, std::span<const char> absent, In stiffness);
  /// The end of a step: where a solve with these planes went, and where contact put the points then. What contact still
  /// had to push is no business of points alone (coarse edges cut into a round body), so their planes rise by it, and
  /// sink again slowly; friction of the next step follows both forces. inertia: N/m of each point.
  void keep(In proposed, In safe, In inertia);
  void restart() { forces_.resize(0), lifts_.resize(0); }

 private:
  Options options_;
  TriangleTree tree_;
  HalfSpaces planes_;
  Vec forces_, lifts_;  // N and m, of each point's plane after the last step; empty: none
};

}  // namespace rigspace
