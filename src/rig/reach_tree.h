#pragma once
// A tree of joints in a pose, as the methods of effector_ik.h turn it.

#include "rigspace/rig/effector_ik.h"

#include <vector>

namespace rigspace {

class ReachTree {
 public:
  ReachTree(std::span<const ReachJoint> joints, std::span<const Mat3> start);

  int count() const { return static_cast<int>(joints_.size()); }
  const ReachJoint& joint(int j) const { return joints_[j]; }
  const Mat3& local(int j) const { return local_[j]; }
  const Mat3& world(int j) const { return world_[j]; }
  const Vec3& place(int j) const { return place_[j]; }
  bool is_above(int joint, int other) const;  ///< strictly
  double longest() const { return longest_; }

  /// Turns a joint by D, in scene axes, within its limits, and all below it. True if the limits took some of it.
  bool turn(int joint, const Mat3& D);
  void set_local(const std::vector<Mat3>& local);
  const std::vector<Mat3>& locals() const { return local_; }

 private:
  void update(int first);

  std::span<const ReachJoint> joints_;
  std::vector<Mat3> local_, world_;
  std::vector<Vec3> place_;
  double longest_ = 0;
};

/// One iteration each, for effectors of one priority; `may_turn`: joints that take part.
void fabrik_round(ReachTree& tree, std::span<const Effector> effectors, const std::vector<char>& may_turn);
void ccd_round(ReachTree& tree, std::span<const Effector> effectors, const std::vector<char>& may_turn);
/// One step for all priorities. `rests`: joints that a limit held in the step before.
void damped_round(ReachTree& tree, std::span<const std::vector<Effector>> levels, double damping,
                  std::vector<char>& rests);
/// See ReachMethod::graph.
ReachResult reach_by_graph(std::span<const ReachJoint> joints, const Effector& effector, const ReachOptions& options);

}  // namespace rigspace
