#pragma once
// Private to reduce: the velocities that the controls of a body can give its nodes, nearest to given ones.

#include "rigspace/body/rig_body.h"

#include <vector>

namespace rigspace {

/// A velocity field v = t + A (x - c) / r, of magnitude about 1. c: centre of the box around the points that the free
/// controls move; r: half its diagonal.
struct Impulse {
  Vec3 t = Vec3::Zero();
  Mat3 A = Mat3::Zero();
};

/// The kind repeats every eight numbers: along y, about z, along x, a random A, along z, about x, about y, a random A.
/// The sign of those along and about axes changes every eight. Random ones are seeded with the number.
Impulse impulse_of(int number);

/// The largest length among the 3-vectors of a flattened field.
double largest_distance(In x);

/// The free controls of a body at one pose p, linearised: which velocities they can produce.
class RigVelocities {
 public:
  RigVelocities() = default;
  RigVelocities(const RigBody& body, const std::vector<int>& free, In p, In masses);

  /// Scene units: the diagonal of the box around the points that free controls move; 0 if they move none.
  double size() const { return size_; }
  /// The largest distance that free control k moves any point, scene units per unit of the control.
  double reach_of(int k) const { return reach_[k]; }
  /// The velocity of all nodes for the dp that minimises |J dp - v|_M over the points of the rig, v that of the
  /// impulse; interior nodes follow the ties.
  Vec to(const Impulse& impulse) const;

 private:
  const RigBody* body_ = nullptr;
  BlockJacobian J_;
  Vec s_, masses_, diagonal_;  // points; their masses, kg; diagonal of J^T M J
  std::vector<double> reach_;
  Vec3 centre_ = Vec3::Zero();
  double size_ = 0;
};

}  // namespace rigspace
