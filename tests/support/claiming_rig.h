#pragma once
// A black box whose traits may call its differences exact: it is then evaluated as often as any other rig.

#include "rigspace/base/progress.h"
#include "rigspace/rig/rig.h"

#include <memory>

namespace rigspace {

class ClaimingRig final : public Rig {
 public:
  explicit ClaimingRig(std::shared_ptr<const Rig> rig) : rig_(std::move(rig)) {}

  std::span<const Control> controls() const override { return rig_->controls(); }
  int point_count() const override { return rig_->point_count(); }
  Traits traits() const override { return {.exact_jacobian = exact, .concurrent = false}; }
  void evaluate(Workspace&, In p, Vec& s) const override { rig_->evaluate(*rig_->make_workspace(), p, s); }

  bool exact = false;

 private:
  std::shared_ptr<const Rig> rig_;
};

/// A simulation that trains on a black box, and from then on, if `claims`, on one with an exact Jacobian. Without
/// caches.
template <class Simulate>
auto run_claiming(ClaimingRig& rig, bool claims, const Simulate& simulate) {
  bool trained = false;
  rig.exact = false;
  auto motion = simulate(ProgressCallback([&](const Progress& progress) {
    trained = trained || progress.fraction >= 0.199;  // a fifth of it is training
    rig.exact = claims && trained;
    return true;
  }));
  rig.exact = false;
  return motion;
}

}  // namespace rigspace
