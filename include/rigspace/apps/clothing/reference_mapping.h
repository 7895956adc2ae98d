#pragma once
// Displacements of a garment from its kinematic reference, as maps that solvers minimise through.

#include "rigspace/apps/clothing/kinematic_reference.h"
#include "rigspace/optimize/mapping.h"

#include <memory>

namespace rigspace {

/// What a displacement A q is added to.
enum class DisplacementSpace {
  rest,          ///< (6.6)  x = x_rest + A q: the pose does not enter
  posed,         ///< (6.7)  x = r(x_rest) + A q: in world axes, right for one pose alone
  untransformed  ///< (6.8)  x = r(x_rest + A q): turns with the body
};

/// x(q) in the present pose of the reference, by a fixed basis A (3n x r). A later pose needs another mapping.
LinearMapping displacement_mapping(const KinematicReference&, const Mat& A, DisplacementSpace);

/// A q, in the unit and space of the basis: the displacement that gives x. The inverse of the map for a basis that
/// spans all.
Vec displacement_of(const KinematicReference&, In x, DisplacementSpace);

/// Full space in untransformed coordinates: q = y, x = r(y). Refers to the reference, whose pose may change between
/// solves.
class UntransformedMapping final : public Mapping {
 public:
  explicit UntransformedMapping(const KinematicReference& reference) : reference_(reference) {}

  int size_q() const override { return 3 * reference_.point_count(); }
  int size_x() const override { return 3 * reference_.point_count(); }
  std::unique_ptr<State> make_state() const override;
  std::unique_ptr<System> make_system(const State&) const override;
  void evaluate(State&, In q, Vec& x) const override { reference_.transform(q, x); }
  void push(const State&, In dq, Vec& dx) const override { reference_.push(dq, dx); }
  void pull(const State&, In g, Vec& g_q) const override { reference_.pull(g, g_q); }
  BlockSink& sink(State&, System&) const override;

 private:
  const KinematicReference& reference_;
};

}  // namespace rigspace
