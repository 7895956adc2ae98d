#pragma once
// A map from the free controls of a rig to a few of its points, without a body: what posing, sketching and the inverse
// rig minimise over.

#include "rigspace/body/element_projection.h"
#include "rigspace/optimize/mapping.h"
#include "rigspace/rig/rig.h"

#include <memory>
#include <vector>

namespace rigspace {

/// x = the chosen points of the rig, flattened, in the given order;  q = the free controls, ascending. Only the chosen
/// points are evaluated. One solve at a time: its scratch memory is its own.
class ControlMapping final : public Mapping {
 public:
  /// `free`: controls, ascending. `points`: of the rig, no two the same. Throws Error for indices that are not there.
  ControlMapping(std::shared_ptr<const Rig> rig, std::vector<int> free, const std::vector<int>& points);

  /// All controls: the values of those that are not free. Between solves only. At first the rig's rest pose.
  void set_key(In p_key) { p_key_ = p_key; }
  /// q of a pose, and the pose of a q: all controls.
  Vec coordinates(In p) const;
  void controls_at(In q, Vec& p) const;

  const std::vector<int>& free() const { return free_; }
  const Rig& rig() const { return *rig_; }  ///< restricted to the chosen points, in ascending order
  int point_count() const { return static_cast<int>(place_.size()); }

  int size_q() const override { return static_cast<int>(free_.size()); }
  int size_x() const override { return 3 * point_count(); }
  std::unique_ptr<System> make_system(const State&) const override;
  void evaluate(State&, In q, Vec& x) const override;
  void linearize(State&, In q) const override;
  void push(const State&, In dq, Vec& dx) const override;
  void pull(const State&, In g, Vec& g_q) const override;
  BlockSink& sink(State&, System&) const override;
  void finish(State&, System&) const override { projection_.finish(); }

 private:
  std::shared_ptr<const Rig> whole_, rig_;
  std::vector<int> free_;
  std::vector<int> place_;  // of each chosen point, its place among the restricted rig's
  std::vector<int> role_;   // per chosen point: -2 - its place, the form of ElementProjection
  Vec p_key_;
  std::unique_ptr<Workspace> workspace_;
  mutable Vec p_, s_;
  mutable BlockJacobian J_;
  mutable long version_ = 0, pattern_ = 0;
  mutable std::vector<int> pattern_start_, pattern_column_;  // of the Jacobian that `pattern_` counts
  mutable ElementProjection projection_;
};

}  // namespace rigspace
