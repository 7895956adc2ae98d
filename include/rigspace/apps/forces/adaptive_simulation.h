#pragma once
// Motion on a basis that is switched with the rigs that need it (PBR 4.5).

#include "rigspace/apps/forces/adaptive_body.h"
#include "rigspace/apps/forces/force_simulation.h"

#include <map>

namespace rigspace {

/// ForceSimulation on a body in which the cells of those parts are split that have forces at the moment. A part that
/// starts brings its functions at once, with coefficients that leave the shape as it is; functions that no part needs
/// any longer are left out as soon as this moves no vertex by more than `release` edges of a cell.
class AdaptiveSimulation {
 public:
  AdaptiveSimulation(std::shared_ptr<const AdaptiveBody> bodies, std::vector<ForceRigPart> parts,
                     ForceSimulationOptions options = {}, double release = 0.01);

  /// Equilibrium at p, at rest. Controls are those of `rig`.
  void restart(In p);
  void step(In p);
  void surface(Vec& s) const { stage_->simulation->surface(s); }

  /// All parts on the lattice of all parts: what the static shape is.
  const std::shared_ptr<const ForceRig>& rig() const { return rig_; }
  const ForceBody& body() const { return stage_->rig->body(); }
  const Vec& shape() const { return stage_->simulation->shape(); }
  int switches() const { return switches_; }

 private:
  struct Stage {
    SplitLattice lattice;
    std::shared_ptr<const ForceRig> rig;
    std::unique_ptr<ForceSimulation> simulation;
  };
  Stage& stage(const std::vector<char>& active);
  std::vector<char> wanted(In p) const;
  void change_to(const std::vector<char>& active, In p);

  std::shared_ptr<const AdaptiveBody> bodies_;
  std::vector<ForceRigPart> parts_;
  ForceSimulationOptions options_;
  double release_;
  std::shared_ptr<const ForceRig> rig_;
  std::vector<int> controls_;  // of each part
  std::map<std::vector<char>, Stage> stages_;
  std::vector<char> active_;
  Stage* stage_ = nullptr;
  Vec last_;  // controls at the end of the last step
  int switches_ = 0;
};

}  // namespace rigspace
