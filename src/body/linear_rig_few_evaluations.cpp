// A linear rig that asks as little as it can (LinearRigOptions::few_evaluations). Nodes are followed as deviations from
// the keyed pose in a frame that turns with it, d = R^T (B s - y_key): smooth in time, whatever the keyed controls do.

#include "rig_predictor.h"
#include "rigspace/body/linear_rig.h"
#include "rigspace/geometry/region_frames.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kTrust = 6;    // steps after which a J that was good to half the tolerance is looked at again
constexpr double kBear = 5;  // tolerances: a J that was taught and misses by less stays

/// R^T (y - y_key), node by node.
void into_frames(const RegionFrames& frames, In y, In key, Vec& d) {
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

const Mat3& LinearRig::frame_of_row(Eigen::Index k) const {
  return predictor_ ? predictor_->frames.of(k) : frames_->of(k);
}

void LinearRig::begin(In p, In p_key, In x_key, In x_turn) {
  p_key_ = p_key;
  predictor_->key.resize(3 * std::ssize(bound_));
  for (std::size_t k = 0; k < bound_.size(); ++k) point(predictor_->key, static_cast<int>(k)) = point(x_key, bound_[k]);
  predictor_->frames.turn(predictor_->key);
  predictor_->place = carried_key_.size() > 0 ? carried_key_ : predictor_->key;
  turn(x_turn);
  begin_frugal(p);
}

void LinearRig::set_carried_key(In x_carried) {
  carried_key_.resize(3 * std::ssize(bound_));
  for (std::size_t k = 0; k < bound_.size(); ++k)
    point(carried_key_, static_cast<int>(k)) = point(x_carried, bound_[k]);
}

/// Where the nodes are that the rig carries to y.
Vec LinearRig::shape_at(In y) const {
  if (carried_key_.size() == 0) return y;
  return y - predictor_->place + predictor_->key;
}

Vec LinearRig::deviation_at(In p) const {
  Vec deviation(std::ssize(free_));
  for (Eigen::Index c = 0; c < deviation.size(); ++c) deviation[c] = (p[free_[c]] - p_key_[free_[c]]) / typical_[c];
  return deviation;
}

/// Some nodes of the keyed pose, without position and turn.
Vec LinearRig::keyed_shape() const {
  constexpr Eigen::Index kMost = 48;
  const Eigen::Index n = std::ssize(bound_), count = std::min(n, kMost);
  Eigen::Matrix3Xd shape(3, count);
  for (Eigen::Index k = 0; k < count; ++k)
    shape.col(k) = predictor_->frames.of(0).transpose() * predictor_->key.segment<3>(3 * (k * n / count));
  shape.colwise() -= Vec3(shape.rowwise().mean());
  return shape.reshaped();
}

void LinearRig::set_samples(std::span<const JacobianSample> known, const Mat& x_keys) {
  asked_start_.clear();  // places are those of what is taught
  std::vector<JacobianModel::Sample> samples;
  const auto stand_at = [&](std::size_t i) {
    p_key_ = known[i].p_key;
    for (std::size_t k = 0; k < bound_.size(); ++k)
      key_.segment<3>(3 * static_cast<Eigen::Index>(k)) =
          x_keys.col(static_cast<Eigen::Index>(i)).segment<3>(3 * static_cast<Eigen::Index>(bound_[k]));
    predictor_->key = key_;
    predictor_->frames.turn(key_), frames_->turn(key_);
  };
  for (std::size_t i = 0; i < known.size() && !bound_.empty(); ++i) {
    const JacobianSample& each = known[i];
    stand_at(i);
    point_J_ = each.J;
    place_rows();
    JacobianModel::Sample sample{keyed_shape(), deviation_at(each.p), reference_};
    if (!sample.deviation.isZero(0)) {
      const auto same = [&](const JacobianSample& other) { return other.p == each.p_key; };
      const auto of = std::find_if(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(i), same);
      const bool found = of != known.begin() + static_cast<std::ptrdiff_t>(i);
      sample.of = found ? static_cast<int>(of - known.begin()) : JacobianModel::kOnPath;
    }
    samples.push_back(std::move(sample));
  }
  has_J_ = false;
  if (samples.empty()) return;
  predictor_->taught.emplace(samples, typical_);
  const auto on_path = [](const auto& sample) { return sample.of == JacobianModel::kOnPath; };
  Mat nodes(3 * std::ssize(bound_), std::count_if(samples.begin(), samples.end(), on_path));
  Eigen::Index column = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!on_path(samples[i])) continue;
    stand_at(i);
    Vec way = Vec::Zero(nodes.rows());
    for (std::size_t k = 0; k < bound_.size(); ++k) {
      ties_.for_each(static_cast<int>(k), [&](int of_rig, double weight) {
        point(way, static_cast<int>(k)) += weight * (point(known[i].s, of_rig) - point(known[i].s_key, of_rig));
      });
      point(way, static_cast<int>(k)) =
          (predictor_->frames.of(static_cast<Eigen::Index>(k)).transpose() * point(way, static_cast<int>(k))).eval();
    }
    add_told_way(known[i].p, -1, way);
    nodes.col(column++) = way;
  }
  if (column > 0) predictor_->taught->set_nodes(std::move(nodes));
}

/// J by what was taught for p_, with all that it had beside that. A step's own, evaluated, is better.
void LinearRig::follow_taught() {
  RigPredictor& predictor = *predictor_;
  if (!predictor.taught) return;
  Eigen::Matrix3Xd now;
  predictor.taught->predict(keyed_shape(), deviation_at(p_), now);
  if (has_J_) {
    reference_.value += now - predictor.told;
  } else {
    reference_ = {.columns = static_cast<int>(free_.size())};
    reference_.start = predictor.taught->start(), reference_.column = predictor.taught->column(),
    reference_.value = now;
    ++pattern_;
    ++counts_.from_memory;
  }
  predictor.told = std::move(now);
  turn_rows();
  ++shape_;
  has_J_ = true;
  age_ = 1;
}

/// x~ touches x where the states before lead to: to second order in time, so that what the rig's curvature does to
/// inertia is there as the step goes to 0 (docs/corrections.md, "linearisation point"), at no evaluation.
void LinearRig::begin_frugal(In p) {
  RigPredictor& predictor = *predictor_;
  predictor.fault = RigPredictor::Fault::none;
  predictor.stayed = predictor.recalled = predictor.end_unseen = false;
  predictor.carried = has_J_ && age_ < options_.most_steps && !predictor.states.empty();
  if (!predictor.carried) {
    p_ = p;
    nodes_at(p_, y0_);
    follow_taught();
    if (!has_J_ || age_ >= options_.most_steps) evaluate_jacobian();
    return;
  }
  const RigPredictor::State next = predictor.next(step_);
  p_ = p_key_;
  for (std::size_t c = 0; c < free_.size(); ++c) p_[free_[c]] += next.controls[static_cast<Eigen::Index>(c)];
  carry_on(p_, predictor.taught ? predictor.beside(step_) : next.nodes, y0_);
  follow_taught();
}

/// What was taught says of the nodes at p, in the frames of the rest pose: J is linear in the deviation, so the mean of
/// both ends leads there,  1/2 (J(key, 0) + J(key, d)) d.  States are kept beside that, where they change slowly, and
/// go straight on from those that were looked up.
void LinearRig::add_told_way(In p, double factor, Vec& nodes) const {
  if (!predictor_->taught) return;
  const Vec key = keyed_shape(), deviation = deviation_at(p);
  nodes += factor * predictor_->taught->nodes(key, deviation);
  Eigen::Matrix3Xd here, none;
  predictor_->taught->predict(key, deviation, here);
  predictor_->taught->predict(key, Vec::Zero(deviation.size()), none);
  here += none;
  const std::vector<int>&start = predictor_->taught->start(), &column = predictor_->taught->column();
  for (std::size_t k = 0; k + 1 < start.size(); ++k)
    for (int e = start[k]; e < start[k + 1]; ++e) {
      const int c = free_[column[e]];
      point(nodes, static_cast<int>(k)) += 0.5 * factor * (p[c] - p_key_[c]) * here.col(e);
    }
}

/// Nodes of a deviation about the keyed pose of now, with what is beside the rig, which is known.
void LinearRig::carry_on(In p, In deviation, Vec& y) const {
  y.resize(deviation.size());
  Vec nodes = deviation;
  add_told_way(p, 1, nodes);
  for (Eigen::Index k = 0; k < y.size() / 3; ++k) {
    y.segment<3>(3 * k) = predictor_->place.segment<3>(3 * k) + predictor_->frames.of(k) * nodes.segment<3>(3 * k);
    if (!response_.start.empty()) y.segment<3>(3 * k) += beside(p, static_cast<std::size_t>(k));
  }
}

/// The end of a step where x~ has it: while that goes well, and where the same step was looked up a little aside.
bool LinearRig::take_unseen(In p) {
  RigPredictor& predictor = *predictor_;
  predictor.end_unseen = false;
  const bool aside =
      options_.most_unevaluated_steps > 0 && predictor.fault == RigPredictor::Fault::start && predictor.sound;
  if (!aside && (!predictor.carried || age_ == 0 || predictor.unseen >= predictor.credit)) return false;
  at(p, y_);
  predictor.p_end = p;
  predictor.fault = RigPredictor::Fault::none;
  predictor.end_unseen = !aside;
  return true;
}

bool LinearRig::check_few_evaluations(In p) {
  RigPredictor& predictor = *predictor_;
  predictor.p_end = p;
  predictor.fault = RigPredictor::Fault::none;
  if (predictor.states.empty()) return true;
  // The way of the free controls in this step, by J: from where the last state would be about the keyed pose of now.
  predictor.p_stay = p_key_;
  for (std::size_t c = 0; c < free_.size(); ++c)
    predictor.p_stay[free_[c]] += predictor.states[0].controls[static_cast<Eigen::Index>(c)];
  at(p, predictor.linear);
  at(predictor.p_stay, predictor.way);
  predictor.way = predictor.linear - predictor.way;
  const double way = weighted(masses_, predictor.way);
  predictor.scratch = predictor.linear - y_;
  const double apart = share_of_way(weighted(masses_, predictor.scratch), way);
  const bool near = apart <= options_.tolerance;
  if (predictor.carried)
    predictor.credit = !near ? (predictor.taught ? predictor.credit / 2 : 0)
                       : apart <= 0.5 * options_.tolerance
                           ? std::min(options_.most_unevaluated_steps, predictor.credit + 1)
                           : predictor.credit;
  if (!near && predictor.carried) {
    carry_on(predictor.p_stay, predictor.taught ? predictor.beside(0) : predictor.states[0].nodes, predictor.scratch);
    predictor.scratch += predictor.way - y_;
    predictor.sound = share_of_way(weighted(masses_, predictor.scratch), way) <= 2 * options_.tolerance;
    predictor.fault = RigPredictor::Fault::start;
    return false;
  }
  if (age_ == 0) return true;  // J is of this very step: a newer one would be the same
  // What J says of the way against what the states did; and where the keyed pose has a part in that, against the rig.
  carry_on(predictor.p_stay, predictor.taught ? predictor.beside(0) : predictor.states[0].nodes, predictor.scratch);
  predictor.scratch += predictor.way - y_;
  if (near && share_of_way(weighted(masses_, predictor.scratch), way) <= options_.tolerance) return true;
  if (near && predictor.trust > 0) return true;
  if (!predictor.stayed) nodes_at(predictor.p_stay, predictor.y_stay);
  predictor.stayed = true;
  predictor.scratch = predictor.y_stay + predictor.way - y_;
  const double missed = predictor.missed = share_of_way(weighted(masses_, predictor.scratch), way);
  predictor.trust = missed <= 0.5 * options_.tolerance ? kTrust : 0;
  if (near && missed <= options_.tolerance) return true;
  predictor.fault = RigPredictor::Fault::jacobian;
  return false;
}

/// Again from where the step ended, which is known. If it was J that missed, by one that is known, if that tells the
/// way that was just seen; else by a new one.
void LinearRig::renew_frugal() {
  RigPredictor& predictor = *predictor_;
  p_ = predictor.p_end, y0_ = y_;
  predictor.carried = false;
  if (predictor.fault != RigPredictor::Fault::jacobian) {
    ++counts_.moved;
    if (age_ > 0) follow_taught();
    return;
  }
  ++counts_.rollbacks;
  follow_taught();
  if (predictor.taught && options_.most_unevaluated_steps > 0 && predictor.missed <= kBear * options_.tolerance) {
    predictor.fault = RigPredictor::Fault::start,
    predictor.sound = true;  // where it was looked up is near enough to the new end
    return;
  }
  BlockJacobian J;
  if (!predictor.taught && predictor.known && predictor.stayed && !predictor.recalled &&
      predictor.known->predict(shape_at(y_), J)) {
    adopt(J);
    at(predictor.p_stay, predictor.linear);
    predictor.way = y0_ - predictor.linear;
    predictor.scratch = predictor.linear - predictor.y_stay;
    predictor.recalled =
        share_of_way(weighted(masses_, predictor.scratch), weighted(masses_, predictor.way)) <= options_.tolerance;
    if (predictor.recalled) {
      ++counts_.from_memory;
      return;
    }
  }
  evaluate_jacobian();
}

void LinearRig::accept_frugal(In p) {
  RigPredictor& predictor = *predictor_;
  if (predictor.p_end.size() != p.size() || predictor.p_end != p) return restart();  // nobody looked where it ends
  // What one way shows says nothing of controls that had little part in it, as twists have: what was taught knows more.
  if (options_.broyden && !predictor.taught && predictor.stayed && age_ > 0)
    learn(predictor.p_stay, predictor.y_stay, p, y_);
  RigPredictor::State state{step_, Vec(std::ssize(free_)), {}};
  for (std::size_t c = 0; c < free_.size(); ++c)
    state.controls[static_cast<Eigen::Index>(c)] = p[free_[c]] - p_key_[free_[c]];
  predictor.scratch = y_;
  for (std::size_t k = 0; k < bound_.size() && !response_.start.empty(); ++k)
    point(predictor.scratch, static_cast<int>(k)) -= beside(p, k);
  into_frames(predictor.frames, predictor.scratch, predictor.place, state.nodes);
  add_told_way(p, -1, state.nodes);
  predictor.remember(std::move(state));
  predictor.unseen = predictor.end_unseen ? predictor.unseen + 1 : 0;
  if (predictor.end_unseen) ++counts_.unevaluated;
  predictor.trust = std::max(0, predictor.trust - 1);
}

/// Rows in the frames of the rest pose.
void LinearRig::adopt(BlockJacobian& J) {
  if (J.start != reference_.start || J.column != reference_.column) ++pattern_;
  reference_ = std::move(J);
  turn_rows();
  ++shape_;
  age_ = 1;
}

}  // namespace rigspace
