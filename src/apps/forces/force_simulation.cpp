#include "rigspace/apps/forces/force_simulation.h"

#include "rigspace/base/require.h"

#include <cmath>

namespace rigspace {

void ForceSimulationOptions::validate() const {
  require_option(step > 0 && std::isfinite(step), "time step", step, "expected seconds above 0");
  require_option(half_life >= 0 && std::isfinite(half_life), "half-life of motion", half_life,
                 "expected seconds, 0 for none");
}

ForceSimulation::ForceSimulation(std::shared_ptr<const ForceRig> rig, ForceSimulationOptions options)
    : rig_(std::move(rig)), options_(options), lattice_(rig_->body(), 1 / (options.step * options.step)) {
  options.validate();
}

void ForceSimulation::use_conjugate_gradients(CreaseOptions options) {
  hold_creases(Creases(std::make_shared<const CreaseSurface>(rig_->body()), {}, options));
}

void ForceSimulation::pose(In p) {
  rig_->joints_at(p, joints_);
  lattice_.set_pose(joints_);
}

void ForceSimulation::restart(In p) {
  rig_->joints_at(p, joints_);
  PosedLattice still(rig_->body());
  still.set_pose(joints_);
  Vec y;
  still.shape_of(rig_->force_at(p), y);
  restart_from(p, std::move(y));
}

void ForceSimulation::restart_from(In p, Vec y) {
  pose(p);
  y_ = std::move(y);
  v_ = Vec::Zero(y_.size());
  change_.resize(0);
  lattice_.carried(carried_);
}

// From y~ = y + h v, with the held vertices where they will be, so that right-hand sides are small:
//   (M/h^2 + A) (y_next - y~) = R Q - (A y~ - b) - M/h^2 (y~ - y - h v)
void ForceSimulation::step(In p) {
  const double h = options_.step;
  const Vec inertial = y_ + h * v_;
  pose(p);
  Vec guess = inertial, right, force, inertia, carried;
  Vec& change = change_;  // of the last step: where conjugate gradients begin
  lattice_.place_held(guess);
  lattice_.residual(guess, right);
  lattice_.turned(rig_->force_at(p), force);
  lattice_.mass_times(guess - inertial, inertia);
  if (creases_) {
    creases_->update(rig_->body(), y_);
    last_solve_ = creases_->solve(lattice_, guess, force - right - inertia / (h * h), false, change);
  } else {
    lattice_.solve(force - right - inertia / (h * h), change);
  }
  guess += change;
  v_ = (guess - y_) / h;
  y_ = guess;
  lattice_.carried(carried);
  if (options_.half_life > 0 && !rig_->body().held.empty()) {  // a free body keeps its momentum
    const double keep = std::exp2(-h / options_.half_life);
    const Vec keyed = (carried - carried_) / h;
    v_ = keyed + keep * (v_ - keyed);
  }
  carried_ = carried;
}

Vec3 ForceSimulation::momentum() const {
  Vec Mv;
  lattice_.mass_times(v_, Mv);
  return Eigen::Map<const Eigen::Matrix3Xd>(Mv.data(), 3, Mv.size() / 3).rowwise().sum();
}

}  // namespace rigspace
