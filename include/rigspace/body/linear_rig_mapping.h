#pragma once
// The nodes of a reduced body as a function of its free controls, linear within a step: RigSpaceMapping with
// set_linear, for bodies without interior unknowns, in less memory, so that a crowd of bodies fits.

#include "rigspace/body/element_projection.h"
#include "rigspace/body/linear_rig.h"
#include "rigspace/body/stepped_body.h"
#include "rigspace/optimize/mapping.h"

#include <memory>
#include <vector>

namespace rigspace {

/// x = all nodes;  q = the free controls. Scratch memory is part of the mapping: one solve at a time.
class LinearRigMapping final : public Mapping {
 public:
  /// Refers to both. Throws Error if the body has interior nodes.
  LinearRigMapping(const LinearRig& linear, const SteppedBody& body);

  /// The keyed pose: all controls, all nodes, and all points of the rig. Between solves only.
  void set_key(In p_key, In x_key, In s_key);
  void controls_at(In q, Vec& p) const;
  /// Writes the bound nodes y, in order, into x, all nodes; nodes with SteppedBody::moves are shifted by x_key - B
  /// s_key.
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
