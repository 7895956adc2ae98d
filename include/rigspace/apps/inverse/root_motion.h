#pragma once
// How the coordinates of a pose change as the whole character is moved, or turned about the vertical: what makes
// controls in world space (the root, targets of IK) functions of a pose that is seen from the character itself.

#include "rigspace/apps/inverse/features.h"
#include "rigspace/apps/inverse/pose_coordinates.h"

namespace rigspace {

/// Where a character stands.
struct Placement {
  Vec3 origin = Vec3::Zero();  ///< scene units
  double heading = 0;          ///< radians about +Y from the rest pose
};

/// The turn about +Y.
Mat3 heading_rotation(double heading);

/// Law: x(moved(y, from, to)) = R (x(y) - from.origin) + to.origin, R the turn by to.heading - from.heading. It is
/// checked on random poses when this is made; where it does not hold, `moves` or `turns` is false and `moved` leaves
/// that part out.
class RootMotion {
 public:
  RootMotion(const Character& character, const FeatureRig& features, const PoseCoordinates& coordinates);

  bool moves() const { return moves_; }
  bool turns() const { return turn_[0] >= 0; }
  Vec moved(In y, const Placement& from, const Placement& to) const;

 private:
  /// The same of rigs known by points alone, with noise: the node that moves all features, and turns them.
  void measure(const Character& character, const FeatureRig& features, const PoseCoordinates& coordinates, const Mat& J,
               double size);
  /// The node of these places in y, of its translation and of its turn; sets M_ and turn_.
  void set_root(const std::array<int, 3>& moved, const std::array<int, 3>& turned);
  bool law_holds(const FeatureRig& features, const PoseCoordinates& coordinates, double size) const;

  Mat T_;  // y + T d moves all features by d; size of y by 3
  bool moves_ = false;
  double exact_ = 1e-6;                  // share of the size within which the law holds
  std::array<int, 3> turn_{-1, -1, -1};  // places in y of the root's rotation vector
  Mat3 axes_ = Mat3::Identity();         // in which that vector turns, world
  Mat M_;                                // d (position of the root) / dy, 3 by size of y
  Vec3 root_ = Vec3::Zero();             // its position at rest
  Vec typical_;
};

}  // namespace rigspace
