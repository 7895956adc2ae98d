#pragma once
// Private to physics: the nodes of a reduced body over its free controls, linear within a step. What RigSpaceMapping is
// with set_linear, for bodies without interior unknowns, in the little memory that a crowd can afford.

#include "rigspace/body/element_projection.h"
#include "rigspace/body/linear_rig.h"
#include "rigspace/body/stepped_body.h"
#include "rigspace/optimize/mapping.h"

#include <memory>
#include <vector>

namespace rigspace {

/// x = all nodes;  q = the free controls. One solve at a time: its scratch memory is its own.
class LinearRigMapping final : public Mapping {
 public:
  /// Refers to both. Throws Error if the body has interior nodes.
  LinearRigMapping(const LinearRig& linear, const SteppedBody& body);

  /// The keyed pose: all controls, all nodes, and all points of the rig. Between solves only.
  void set_key(In p_key, In x_key, In s_key);
  void controls_at(In q, Vec& p) const;
  /// The bound nodes, in order, into x; with what nodes that go by others keep of their own place.
  void place(In y, Vec& x) const;

  int size_q() const override { return static_cast<int>(body_.free.size()); }
  int size_x() const override { return 3 * body_.node_count(); }
  std::unique_ptr<System> make_system(const State&) const override;
  void evaluate(State&, In q, Vec& x) const override;
  void linearize(State&, In q) const override;
  void push(const State&, In dq, Vec& dx) const override;
  void pull(const State&, In g, Vec& g_q) const override;
  void pull_each(const State&, std::span<const Vec> g, std::span<Vec> g_q) const override;
  BlockSink& sink(State&, System&) const override;
  void finish(State&, System&) const override { projection_.finish(); }

 private:
  const LinearRig& linear_;
  const SteppedBody& body_;
  std::vector<int> bound_;
  std::vector<int> role_;  // per node: -1 held, -2 - k bound k
  Vec p_key_, x_key_, shift_;
  mutable Vec p_, y_;
  mutable ElementProjection projection_;
};

}  // namespace rigspace
