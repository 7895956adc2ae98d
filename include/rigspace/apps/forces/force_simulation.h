#pragma once
// The motion of a force body: implicit Euler steps of the pose's linear system (PBR 9).

#include "rigspace/apps/forces/creases.h"

namespace rigspace {

struct ForceSimulationOptions {
  double step = 1.0 / 120;  ///< s
  double half_life = 0.08;  ///< s, of motion relative to the bones, beside what implicit steps take; 0: none is taken
  void validate() const;
};

/// (M/h^2 + A) y = M/h^2 (y_now + h v_now) + b + R Q  with the frames and bones of the step's end.
class ForceSimulation {
 public:
  explicit ForceSimulation(std::shared_ptr<const ForceRig> rig, ForceSimulationOptions options = {});

  /// From now on skin that meets itself is held apart. The factor of the steps' system is not needed then.
  void hold_creases(Creases creases) { creases_ = std::make_unique<Creases>(std::move(creases)); }
  const Creases* creases() const { return creases_.get(); }
  const Creases::Solve& last_solve() const { return last_solve_; }
  /// Steps by conjugate gradients within belts, as with creases: to compare with.
  void use_conjugate_gradients(CreaseOptions options);

  /// Equilibrium at p, at rest.
  void restart(In p);
  /// Any shape of the lattice, at rest, with the bones at p.
  void restart_from(In p, Vec y);
  /// One step, at whose end the controls are p.
  void step(In p);

  const Vec& shape() const { return y_; }     ///< of the lattice
  const Vec& velocity() const { return v_; }  ///< scene units per second
  void set_velocity(Vec v) { v_ = std::move(v); }
  void surface(Vec& s) const { rig_->body().surface.evaluate(y_, s); }
  /// Sum of M v over the lattice, with masses scaled as ForceBody::scaled_density says.
  Vec3 momentum() const;
  const PosedLattice& lattice() const { return lattice_; }

 private:
  void pose(In p);

  std::shared_ptr<const ForceRig> rig_;
  ForceSimulationOptions options_;
  PosedLattice lattice_;
  std::vector<Affine> joints_;
  Vec y_, v_, carried_, change_;
  std::unique_ptr<Creases> creases_;
  Creases::Solve last_solve_;
};

}  // namespace rigspace
