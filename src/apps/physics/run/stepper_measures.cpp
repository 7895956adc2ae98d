// Measurements: the natural frequency of a body, the accelerations of the animation, and the distance from it.

#include "stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace rigspace {

std::unique_ptr<System> Stepper::assemble_at_rest(ObjectiveState& state, Objective& elastic) {
  const Vec p_rest = body_.rig->rest();
  Vec x;
  body_.rig->evaluate(*rig_workspace_, p_rest, s_);
  body_.ties.apply(s_, x);
  mapping_.set_key(p_rest, x);
  if (lineariser_) {
    lineariser_->restart();
    p_end_ = p_key_ = p_rest;
    begin_linear(x);
  }
  mapping_.set_linear(lineariser_ ? &lineariser_->linear() : nullptr);
  if (terms_->solid) terms_->solid->set_rest(x);
  if (terms_->coupling) terms_->coupling->set_target(p_rest(body_.free));
  terms_->add_elastic_to(elastic);
  state = elastic.make_state();
  Vec q = mapping_.coordinates(x, p_rest);
  Vec g, x_at_q = x;
  elastic.evaluate(state, q, x_at_q);
  elastic.refresh(state, q, x_at_q, Phase::step);
  elastic.gradient(state, q, x_at_q, g);
  auto system = mapping_.make_system(*state.mapping);
  elastic.assemble(state, q, x_at_q, HessianMode::projected, false, *system);
  return system;
}

Mat Stepper::rest_stiffness() {
  Objective elastic(mapping_);
  ObjectiveState state;
  const auto system = assemble_at_rest(state, elastic);
  Mat K(system->size(), system->size());
  Vec column;
  for (Eigen::Index c = 0; c < K.cols(); ++c) {
    system->multiply(Vec::Unit(K.cols(), c), column);
    K.col(c) = column;
  }
  return K;
}

double Stepper::answering_omega_squared() {
  Objective elastic(mapping_);
  ObjectiveState state;
  const auto system = assemble_at_rest(state, elastic);
  for (double shift = 0; !system->factor(shift); shift = std::max(10 * shift, 1e-12))
    if (shift > 1) return 0;

  Vec masses = Vec::Zero(body_.node_count());
  for (const MassGroup& group : body_.groups) masses += group.masses;
  const auto weighted = [&](Vec dx) {
    for (Eigen::Index i = 0; i < masses.size(); ++i) dx.segment<3>(3 * i) *= masses[i];
    return dx;
  };
  double slowest = std::numeric_limits<double>::infinity();
  for (int axis = 0; axis < 3; ++axis) {
    Vec load, v, dx;
    mapping_.pull(*state.mapping, weighted(Vec3(body_.axes.col(axis)).replicate(masses.size(), 1)), load);
    system->solve(load, v);
    mapping_.push(*state.mapping, v, dx);
    const double moved = dx.dot(weighted(dx));
    if (moved > 0) slowest = std::min(slowest, load.dot(v) / moved);
  }
  return std::isfinite(slowest) ? slowest : 0;
}

double Stepper::shaking(int group) {
  constexpr int kSamples = 96;
  const Vec& masses = body_.groups[group].masses;
  const auto center = [&](double time) {
    const Vec& x = key(time);
    return Vec3(Eigen::Map<const Eigen::Matrix3Xd>(x.data(), 3, x.size() / 3) * masses / masses.sum());
  };
  std::vector<double> accelerations;
  for (int k = 0; k <= kSamples; ++k) {
    const double time = on_grid(motion_.duration() * k / kSamples), w = window(kDriveWidth);
    accelerations.push_back(felt(time, w) * (center(time + w) - 2 * center(time) + center(time - w)).norm() / (w * w));
  }
  const auto at = accelerations.begin() + static_cast<std::ptrdiff_t>(0.95 * kSamples);
  std::nth_element(accelerations.begin(), at, accelerations.end());
  return *at;
}

std::vector<std::vector<Vec3>> Stepper::centre_accelerations(double h, int steps) {
  const double w = window(kDriveWidth);
  std::vector<std::vector<Vec3>> result(body_.groups.size());
  for (int k = 0; k < steps; ++k) {
    Vec bend = key(on_grid(k * h - w));
    bend -= 2 * key(on_grid(k * h));
    bend += key(on_grid(k * h + w));
    bend *= felt(k * h, w);
    const Eigen::Map<const Eigen::Matrix3Xd> nodes(bend.data(), 3, bend.size() / 3);
    for (std::size_t g = 0; g < result.size(); ++g)
      result[g].emplace_back(nodes * body_.groups[g].masses / (body_.groups[g].masses.sum() * w * w));
  }
  return result;
}

double Stepper::rise() {
  constexpr int kSamples = 64;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (int k = 0; k <= kSamples; ++k) {
    const Vec& x = key(on_grid(motion_.duration() * k / kSamples));
    const double height = Eigen::Map<const Eigen::Matrix3Xd>(x.data(), 3, x.size() / 3).row(1).mean();
    low = std::min(low, height), high = std::max(high, height);
  }
  return high - low;
}

/// The harmonic of the cycle with the largest amplitude of acceleration of the mean of the nodes.
double Stepper::driving_frequency(double duration) { return strongest_harmonic(duration, 2) / duration; }

double Stepper::stroke_frequency(double duration) { return strongest_harmonic(duration, 0) / duration; }

/// Of the mean of the nodes over a loop: that with the largest amplitude times n^power; 0 if the mean does not move.
int Stepper::strongest_harmonic(double duration, int power) {
  constexpr int kSamples = 64, kHarmonics = 8;
  Eigen::Matrix3Xd mean(3, kSamples);
  const Vec3 travel = [&] {
    Vec moved = key(duration);
    moved -= key(0);
    return Vec3(Eigen::Map<const Eigen::Matrix3Xd>(moved.data(), 3, moved.size() / 3).rowwise().mean());
  }();
  for (int k = 0; k < kSamples; ++k) {
    const Vec& x = key(on_grid(duration * k / kSamples));
    mean.col(k) = Eigen::Map<const Eigen::Matrix3Xd>(x.data(), 3, x.size() / 3).rowwise().mean() -
                  travel * static_cast<double>(k) / kSamples;
  }
  int strongest = 0;
  double most = 0;
  for (int n = 1; n <= kHarmonics; ++n) {
    Vec3 c = Vec3::Zero(), s = Vec3::Zero();
    for (int k = 0; k < kSamples; ++k) {
      const double angle = 2 * std::numbers::pi * n * k / kSamples;
      c += std::cos(angle) * mean.col(k), s += std::sin(angle) * mean.col(k);
    }
    const double strength = std::pow(n, power) * std::sqrt(c.squaredNorm() + s.squaredNorm());
    if (strength > 1.001 * most) most = strength, strongest = n;
  }
  return most > 1e-6 * body_.size ? strongest : 0;
}

double Stepper::reach(int group) const {
  double farthest = 0;
  const Vec& masses = body_.groups[group].masses;
  const bool all = body_.groups.size() == 1;  // in a sampled body the nodes that move farthest may have no mass
  for (Eigen::Index i = 0; i < masses.size(); ++i)
    if ((all || masses[i] > 0) && body_.roles[i] != NodeRole::held)
      farthest = std::max(farthest, now_.d_now.segment<3>(3 * i).norm());
  return farthest;
}

bool Stepper::still(double from, double to) {
  if (variation_ != nullptr && !variation_->still(from, to)) return false;
  if (contact_ && !contact_->still(from, to)) return false;
  const Vec before = key(from);
  return farthest_move(key(to) - before) <= 1e-7 * body_.size;
}

}  // namespace rigspace
