#pragma once
// The map of rig-space physics (RSP 3): the surface of a body follows a rig, s(p); its interior is free.

#include "rigspace/body/choices.h"
#include "rigspace/body/point_ties.h"
#include "rigspace/optimize/mapping.h"
#include "rigspace/rig/rig.h"

#include <memory>
#include <vector>

namespace rigspace {

/// The role of each node of a body. Nodes in neither list are held: set_key places them.
struct RigSpaceDescription {
  std::shared_ptr<const Rig> rig;
  std::vector<int> free;  ///< controls to solve for, ascending; the others are keyed
  int node_count = 0;
  std::vector<int> interior;  ///< nodes that are unknowns themselves, ascending
  std::vector<int> bound;     ///< nodes that follow the rig's points, ascending
  /// Row k ties node bound[k] to points of the rig, so that b(p) = B s(p) and J_b = B J_s exactly.
  PointTies ties;
  /// Bound nodes follow the way from the keyed pose, b(p) = x_key + B (s(p) - s(p_key)), and so stay at x_key while no
  /// free control deviates (Thesis 4.9, in keyed form). False: b(p) = B s(p).
  bool relative = false;

  /// Throws Error if an index is out of range, a list not ascending, or a node in both lists.
  void validate() const;
};

class LinearRig;
class ElementProjection;

/// x = all nodes, flattened;  q = (interior nodes, free controls). The system is bordered: sparse in the interior,
/// dense in the controls (RSP 4); without interior nodes the same with an empty block.
class RigSpaceMapping final : public Mapping {
 public:
  explicit RigSpaceMapping(RigSpaceDescription description);
  ~RigSpaceMapping() override;

  /// The keyed pose: all controls, of which the free ones are ignored, and all nodes, of which the held ones are used.
  /// Between solves only.
  void set_key(In p_key, In x_key);
  /// The same with the rig's points at p_key given, which saves an evaluation.
  void set_key(In p_key, In x_key, In s_key);

  /// q at the given state, and the full set of controls at q.
  Vec coordinates(In x, In p) const;
  void controls_at(In q, Vec& p) const;

  /// From now on bound nodes are those of this linear rig (linear_rig.h) instead of the rig itself. Referred to; null:
  /// the rig. Between solves only.
  void set_linear(const LinearRig* linear) { linear_ = linear; }
  /// With a linear rig: reuses J^T M J over steps (ElementProjection::keep_inertia). Faster; the last bits depend on
  /// earlier steps.
  void keep_inertia(bool keep) { keep_inertia_ = keep; }
  /// Writes y = B s(p) of the bound nodes, in order, into x, all nodes; where they are relative, plus x_key - B
  /// s(p_key).
  void place(In y, Vec& x) const;
  /// All nodes; bound ones that are relative are at B s(p_key).
  const Vec& carried_key() const { return moved_; }

  void set_curvature(RigCurvature curvature) { curvature_ = curvature; }
  RigCurvature curvature() const { return curvature_; }

  int interior_size() const { return 3 * static_cast<int>(d_.interior.size()); }
  int control_size() const { return static_cast<int>(d_.free.size()); }
  const RigSpaceDescription& description() const { return d_; }

  int size_q() const override { return interior_size() + control_size(); }
  int size_x() const override { return 3 * d_.node_count; }
  std::unique_ptr<State> make_state() const override;
  std::unique_ptr<System> make_system(const State&) const override;
  Change refresh(State&, Vec& q, Phase) const override;
  void evaluate(State&, In q, Vec& x) const override;
  void linearize(State&, In q) const override;
  void push(const State&, In dq, Vec& dx) const override;
  void pull(const State&, In g, Vec& g_q) const override;
  void pull_each(const State&, std::span<const Vec> g, std::span<Vec> g_q) const override;
  BlockSink& sink(State&, System&) const override;
  void finish(State&, System&) const override;
  bool add_curvature(State&, In g, System&) const override;

  /// Evaluations of the rig so far over all states, those of differences included; and Jacobians.
  long rig_evaluations() const { return rig_evaluations_; }
  long rig_jacobians() const { return rig_jacobians_; }

 private:
  class Memory;
  void bind(In s, Vec& x) const;
  bool sparse_rows() const { return linear_ != nullptr && d_.interior.empty(); }
  void learn(Memory&, In g, const Mat& border) const;
  void second_derivatives(Memory&, In g, Mat& T) const;

  RigSpaceDescription d_;
  std::vector<int> role_;  // per node: k >= 0 interior k; -1 held; -2 - k bound k
  Vec key_points_, moved_;
  Vec p_key_, x_key_, shift_;  // shift: of the bound nodes, where they are relative
  std::unique_ptr<Workspace> key_workspace_;
  const LinearRig* linear_ = nullptr;
  bool keep_inertia_ = false;
  RigCurvature curvature_ = RigCurvature::none;
  mutable long rig_evaluations_ = 0, rig_jacobians_ = 0;
};

}  // namespace rigspace
