#pragma once
// Skin weights that a hand changes: a round brush on the surface, which does not reach what is near through the air
// alone (the other leg, the arm beside the body).

#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/deformer.h"

#include <span>
#include <string_view>
#include <vector>

namespace rigspace {

enum class BrushMode {
  add,       ///< w_j <- w_j + t (1 - w_j), the others shrink in proportion
  subtract,  ///< w_j <- (1 - t) w_j, the others grow in proportion; alone, what joints of neighbours hold takes over
  smooth,    ///< every weight goes t of the way to the mean of the neighbours'
};
std::string_view name(BrushMode mode);
/// The mode of this name. Throws Error that lists them.
BrushMode brush_mode(std::string_view name);

/// One touch of the brush: t = strength (1 - d^2 / radius^2)^2 at a point whose distance from the middle is d.
struct Dab {
  BrushMode mode = BrushMode::add;
  int point = 0;          ///< of the mesh: the middle
  int joint = 0;          ///< as the lists of influences count joints; not used by smooth
  double radius = 1;      ///< scene units, above 0
  double strength = 0.5;  ///< 0 to 1
};

/// A point that a touch changed.
struct Repainted {
  int point;
  std::vector<Influence> before;
};

/// Laws: weights stay positive and sum to 1; points at the same place keep equal weights, if they had; only points
/// within the radius that the triangles join to the middle within it change; lists that are empty stay so.
class WeightBrush {
 public:
  /// The mesh in the pose in which the radius is meant, usually at rest. `most`: influences of a point; a list that is
  /// longer stays as long as it is.
  explicit WeightBrush(const TriMesh& mesh, int most = 4);

  /// Changes the lists, one per point of the mesh; returns what changed, by ascending points.
  std::vector<Repainted> apply(const Dab& dab, std::span<std::vector<Influence>> influences) const;

 private:
  struct Touched {
    int place;     // of the welded mesh
    double share;  // (1 - d^2 / r^2)^2
  };
  std::vector<Touched> touched(int point, double radius) const;

  std::vector<int> place_;                 // of each point, in the welded mesh
  std::vector<std::vector<int>> members_;  // points of each place
  std::vector<std::vector<int>> beside_;   // places joined by an edge
  std::vector<Vec3> at_;                   // of places
  int most_;
};

}  // namespace rigspace
