// A linear rig that asks as little as it can (LinearRigOptions::frugal). Nodes are followed as deviations from the
// keyed pose in a frame that turns with it, d = R^T (B s - y_key): smooth in time, whatever the keyed controls do.

#include "rigspace/apps/physics/linear_rig.h"
#include "thrift.h"
#include "turning_frames.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kTrust = 6;  // steps after which a J that was good to half the tolerance is looked at again

/// R^T (y - y_key), node by node.
void into_frames(const TurningFrames& frames, In y, In key, Vec& d) {
  d.resize(y.size());
  for (Eigen::Index k = 0; k < y.size() / 3; ++k)
    d.segment<3>(3 * k) = frames.of(k).transpose() * (y.segment<3>(3 * k) - key.segment<3>(3 * k));
}

/// sum_k m_k |a_k|^2
double weighted(const Vec& masses, const Vec& a) {
  double sum = 0;
  for (Eigen::Index k = 0; k < masses.size(); ++k) sum += masses[k] * a.segment<3>(3 * k).squaredNorm();
  return sum;
}

}  // namespace

const Mat3& LinearRig::frame_of_row(Eigen::Index k) const { return thrift_ ? thrift_->frames.of(k) : frames_->of(k); }

void LinearRig::begin(In p, In p_key, In x_key, In x_turn) {
  p_key_ = p_key;
  thrift_->key.resize(3 * std::ssize(bound_));
  for (std::size_t k = 0; k < bound_.size(); ++k) point(thrift_->key, static_cast<int>(k)) = point(x_key, bound_[k]);
  thrift_->frames.turn(thrift_->key);
  turn(x_turn);
  begin_frugal(p);
}

/// x~ touches x where the states before lead to: to second order in time, so that what the rig's curvature does to
/// inertia is there as the step goes to 0 (ERRATA on 4.6), at no evaluation.
void LinearRig::begin_frugal(In p) {
  Thrift& thrift = *thrift_;
  thrift.fault = Thrift::Fault::none;
  thrift.stayed = thrift.recalled = false;
  thrift.carried = has_J_ && age_ < options_.most_steps && !thrift.states.empty();
  if (!thrift.carried) {
    p_ = p;
    nodes_at(p_, y0_);
    if (!has_J_ || age_ >= options_.most_steps) evaluate_jacobian();
    return;
  }
  const Thrift::State next = thrift.next(step_);
  p_ = p_key_;
  for (std::size_t c = 0; c < free_.size(); ++c) p_[free_[c]] += next.controls[static_cast<Eigen::Index>(c)];
  carry_on(p_, next.nodes, y0_);
}

/// Nodes of a deviation about the keyed pose of now, with what is beside the rig, which is known.
void LinearRig::carry_on(In p, In deviation, Vec& y) const {
  y.resize(deviation.size());
  for (Eigen::Index k = 0; k < y.size() / 3; ++k) {
    y.segment<3>(3 * k) = thrift_->key.segment<3>(3 * k) + thrift_->frames.of(k) * deviation.segment<3>(3 * k);
    if (!response_.start.empty()) y.segment<3>(3 * k) += beside(p, static_cast<std::size_t>(k));
  }
}

bool LinearRig::holds_frugal(In p) {
  Thrift& thrift = *thrift_;
  thrift.p_end = p;
  thrift.fault = Thrift::Fault::none;
  if (thrift.states.empty()) return true;
  // The way of the free controls in this step, by J: from where the last state would be about the keyed pose of now.
  thrift.p_stay = p_key_;
  for (std::size_t c = 0; c < free_.size(); ++c)
    thrift.p_stay[free_[c]] += thrift.states[0].controls[static_cast<Eigen::Index>(c)];
  at(p, thrift.linear);
  at(thrift.p_stay, thrift.way);
  thrift.way = thrift.linear - thrift.way;
  const double way = weighted(masses_, thrift.way);
  thrift.scratch = thrift.linear - y_;
  const bool near = share_of_way(weighted(masses_, thrift.scratch), way) <= options_.tolerance;
  if (!near && thrift.carried) {
    thrift.fault = Thrift::Fault::start;
    return false;
  }
  if (age_ == 0) return true;  // J is of this very step: a newer one would be the same
  // What J says of the way against what the states did; and where the keyed pose has a part in that, against the rig.
  carry_on(thrift.p_stay, thrift.states[0].nodes, thrift.scratch);
  thrift.scratch += thrift.way - y_;
  if (near && share_of_way(weighted(masses_, thrift.scratch), way) <= options_.tolerance) return true;
  if (near && thrift.trust > 0) return true;
  if (!thrift.stayed) nodes_at(thrift.p_stay, thrift.y_stay);
  thrift.stayed = true;
  thrift.scratch = thrift.y_stay + thrift.way - y_;
  const double missed = share_of_way(weighted(masses_, thrift.scratch), way);
  thrift.trust = missed <= 0.5 * options_.tolerance ? kTrust : 0;
  if (near && missed <= options_.tolerance) return true;
  thrift.fault = Thrift::Fault::jacobian;
  return false;
}

/// Again from where the step ended, which is known. If it was J that missed, by one that is known, if that tells the
/// way that was just seen; else by a new one.
void LinearRig::renew_frugal() {
  Thrift& thrift = *thrift_;
  p_ = thrift.p_end, y0_ = y_;
  thrift.carried = false;
  if (thrift.fault != Thrift::Fault::jacobian) {
    ++counts_.moved;
    return;
  }
  ++counts_.rollbacks;
  BlockJacobian J;
  if (thrift.known && thrift.stayed && !thrift.recalled && thrift.known->predict(y_, J)) {
    adopt(J);
    at(thrift.p_stay, thrift.linear);
    thrift.way = y0_ - thrift.linear;
    thrift.scratch = thrift.linear - thrift.y_stay;
    thrift.recalled =
        share_of_way(weighted(masses_, thrift.scratch), weighted(masses_, thrift.way)) <= options_.tolerance;
    if (thrift.recalled) {
      ++counts_.recalled;
      return;
    }
  }
  evaluate_jacobian();
}

void LinearRig::accept_frugal(In p) {
  Thrift& thrift = *thrift_;
  if (thrift.p_end.size() != p.size() || thrift.p_end != p) return restart();  // nobody looked where it ends
  if (options_.broyden && thrift.stayed && age_ > 0) learn(thrift.p_stay, thrift.y_stay, p, y_);
  Thrift::State state{step_, Vec(std::ssize(free_)), {}};
  for (std::size_t c = 0; c < free_.size(); ++c)
    state.controls[static_cast<Eigen::Index>(c)] = p[free_[c]] - p_key_[free_[c]];
  thrift.scratch = y_;
  for (std::size_t k = 0; k < bound_.size() && !response_.start.empty(); ++k)
    point(thrift.scratch, static_cast<int>(k)) -= beside(p, k);
  into_frames(thrift.frames, thrift.scratch, thrift.key, state.nodes);
  thrift.remember(std::move(state));
  thrift.trust = std::max(0, thrift.trust - 1);
}

/// Rows in the frames of the rest pose.
void LinearRig::adopt(BlockJacobian& J) {
  if (J.start != reference_.start || J.column != reference_.column) ++pattern_;
  reference_ = std::move(J);
  J_ = reference_;
  turn_rows();
  ++shape_;
  age_ = 1;
}

}  // namespace rigspace
