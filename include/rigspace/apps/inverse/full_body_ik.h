#pragma once
// Posing a whole rig by a few effectors that are dragged (IRM 5.2, figure 4): they pull a copy of the skeleton, and the
// learned inverse brings the rig to where its joints end up.

#include "rigspace/apps/inverse/inverse_model.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct FullBodyIkOptions {
  int iterations = 12;       ///< of the skeleton, for each update
  double reach = 1;          ///< weight of an effector's distance, in shares of the size
  double posture = 5e-4;     ///< weight of each joint's turn from the posture that was set, radians
  double smoothness = 5e-4;  ///< weight of each joint's turn since the update before
  RefineOptions refine = {.max_iterations = 4};

  void validate() const;
};

/// A skeleton of its own: the bones that the model's features hang on, with those between. One thread at a time.
///
///   min  sum_e reach |x_e - target_e|^2 / size^2 + posture sum_k |log R_k R_k,posture^T|^2 + smoothness sum_k |d_k|^2
///
/// by damped Gauss-Newton steps over a rotation d_k for each joint and the place of the first; places of all joints
/// then go through InverseModel::solve, from the pose before. Of the model's answer the change since the posture
/// counts, y = y_posture + predicted(x) - predicted(x_posture), so that a posture stays as it is until an effector
/// moves.
class FullBodyIk {
 public:
  /// `effectors`: bones of the character that the model has as features. Character and model must outlive this. Throws
  /// Error for a bone that is not there, and for models of points.
  FullBodyIk(const Character& character, const InverseModel& model, std::span<const std::string> effectors,
             const FullBodyIkOptions& options = {});

  /// All controls: the posture from now on; targets are where the effectors are in it.
  void set_pose(In p);
  /// Scene units. Effectors that are not dragged are held where they are.
  void drag(int effector, const Vec3& target);
  /// Held no more, until it is dragged again.
  void release(int effector);
  /// Held where it is in the last pose of the skeleton.
  void hold(int effector);
  /// The pose that follows from the targets.
  const InversePose& update();

  int effector_count() const { return static_cast<int>(effectors_.size()); }
  Vec3 place(int effector) const;  ///< in the last pose of the skeleton
  bool held(int effector) const;
  /// Largest distance of a held effector from its target, of the skeleton, as a share of the size.
  double residual() const;

 private:
  struct Joint {
    int bone = -1, parent = -1;                                   // parent among joints_
    Vec3 offset = Vec3::Zero();                                   // from the parent, in its axes; of the first: unused
    Mat3 turn = Mat3::Identity(), posture = turn, before = turn;  // world
    Vec3 at = Vec3::Zero();
  };
  struct Effector {
    int joint = -1;
    Vec3 target;
    bool held = true;
  };
  void place_joints();
  void place_features();
  void step();

  const Character& character_;
  const InverseModel& model_;
  FullBodyIkOptions options_;
  std::vector<Joint> joints_;  // parents first
  std::vector<Effector> effectors_;
  std::vector<int> feature_joint_;    // of each feature
  std::vector<Vec3> feature_beside_;  // in the joint's axes
  Vec x_;                             // features of the skeleton
  InversePose pose_;
  bool posed_ = false;
};

/// The seven of a body on two legs: hips, last of the spine, head, hands and feet, as far as it has them.
std::vector<std::string> body_effectors(const Character& character);

}  // namespace rigspace
