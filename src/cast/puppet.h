#pragma once
// What built-in characters are posed with: a plan of joints at rest, poses as turns about the character's own axes,
// two-bone limbs that reach a target, and clips baked from a pose over time.

#include "rigspace/anim/animation.h"
#include "rigspace/base/types.h"

#include <functional>
#include <initializer_list>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace::puppet {

struct Joint {
  std::string name;
  int parent = -1;
  Vec3 position;  ///< at rest, in the character's space
  Quat axes;      ///< at rest, to the character's space: y along the bone, x as near as can be to the hinge
};

class Skeleton {
 public:
  /// A joint whose bone runs from `position` to `end`; its local x leans to `hinge`. Returns its index.
  int add(std::string name, std::string_view parent, const Vec3& position, const Vec3& end, const Vec3& hinge);
  /// Asserts that the joint exists.
  int find(std::string_view name) const;
  const std::vector<Joint>& joints() const { return joints_; }
  const Joint& operator[](int j) const { return joints_[j]; }
  int size() const { return static_cast<int>(joints_.size()); }

  /// From the parent's axes (the character's for a root) to the joint, at rest.
  Vec3 local_translation(int j, const Vec3& shift = Vec3::Zero()) const;
  Quat local_rotation(int j, const Quat& turn = Quat::Identity()) const;

 private:
  std::vector<Joint> joints_;
};

/// Deviations from rest, about and along the *character's* axes carried along by the parent: with G the total turn of a
/// joint from rest,  G_j = G_parent turn_j,  x_j = x_parent + G_parent (x_j,rest - x_parent,rest + shift_j).
struct Pose {
  std::vector<Quat> turn;
  std::vector<Vec3> shift;

  explicit Pose(const Skeleton& skeleton)
      : turn(skeleton.size(), Quat::Identity()), shift(skeleton.size(), Vec3::Zero()) {}
};

/// Where a joint is: total turn from rest and position, in the character's space.
struct Placement {
  Quat turn = Quat::Identity();
  Vec3 position = Vec3::Zero();
};

Placement placement(const Skeleton& skeleton, const Pose& pose, int joint);

/// Bends the two bones from `upper` over `lower` to the joint `end`, so that `end` comes to target.position (or as near
/// as the bones reach) with total turn target.turn, and the middle joint points to `pole`, all in the character's
/// space.
struct Limb {
  int upper, lower, end;
};
void reach(const Skeleton& skeleton, const Limb& limb, const Placement& target, const Vec3& pole, Pose& pose);

inline constexpr double kTurn = 2 * std::numbers::pi;  ///< radians

/// Rotations about x, y, z of the character by degrees.
Quat about_x(double degrees);
Quat about_y(double degrees);
Quat about_z(double degrees);

struct ScalarKeys {
  std::string control;
  std::function<double(double)> value;  ///< over time, seconds
};

struct ClipPlan {
  std::string name;
  double duration = 1;                                ///< seconds
  double rate = 30;                                   ///< keys per second
  std::function<Pose(const Skeleton&, double)> pose;  ///< over time, seconds
  std::vector<ScalarKeys> scalars = {};               ///< other controls, on the same keys
};

/// Linear keys for every joint that turns or shifts at some key; the others stay free.
std::vector<Animation> bake(const Skeleton& skeleton, std::initializer_list<ClipPlan> plans);

}  // namespace rigspace::puppet
