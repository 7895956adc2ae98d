#include "rigspace/anim/keyed_motion.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {
namespace {

/// Whether a node's velocity jumps from the end of the clip to its start by more than half of its largest: the ends may
/// meet, but it was not made to be repeated. Velocities by one-sided differences of second order over frames of 1/24 s,
/// since baked keys are noisy.
bool jerks_at_seam(const Animation& clip, const std::string& node, double duration) {
  const double w = std::min(1.0 / 24, duration / 6);
  const auto place = [&](double time) {
    Vec3 x = Vec3::Zero();
    for (const Track& track : clip.tracks)
      if (track.control.starts_with(node + ".t")) x[track.control.back() - 'x'] = track.curve(time);
    return x;
  };
  const auto velocity = [&](double time, double towards) -> Vec3 {  // looking into the clip
    return (-3 * place(time) + 4 * place(time + towards) - place(time + 2 * towards)) / (2 * towards);
  };
  double fastest = 0;
  for (double time = 0; time + w <= duration; time += w)
    fastest = std::max(fastest, (place(time + w) - place(time)).norm() / w);
  return (velocity(0, w) - velocity(duration, -w)).norm() > 0.5 * fastest;
}

}  // namespace

KeyedMotion::KeyedMotion(const Character& character, const Animation* clip) : rest_(character.rig->rest()) {
  if (!character.rig->traits().exact_jacobian) {
    units_.resize(rest_.size());
    for (Eigen::Index c = 0; c < units_.size(); ++c)
      units_[c] = std::ldexp(1.0, std::ilogb(character.rig->controls()[c].typical) - 40);
  }
  if (clip == nullptr) return;
  duration_ = clip->duration;
  sampler_ = std::make_unique<Sampler>(*clip, character.rig->controls());
  find_loop(character, *clip);
}

void KeyedMotion::find_loop(const Character& character, const Animation& clip) {
  constexpr double kOneDegree = 0.0175, kClose = 1e-3;
  if (!(duration_ > 0)) return;
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), rest_, s);
  const auto points = Eigen::Map<const Eigen::Matrix3Xd>(s.data(), 3, s.size() / 3);
  const double size = s.size() > 0 ? (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm() : 1;

  for (const RotationTrack& track : clip.rotations) {
    const double half = std::min(1.0, std::abs(track(0).dot(track(duration_))));
    if (2 * std::acos(half) > kOneDegree) return;
  }
  std::map<std::string, Vec3> travels;
  for (const Track& track : clip.tracks) {
    const int index = character.rig->find(track.control);
    if (index < 0) continue;
    const Control& control = character.rig->controls()[index];
    const double gap = track.curve(duration_) - track.curve(0);
    const char axis = control.name.size() > 3 && control.name[control.name.size() - 3] == '.' ? control.name.back() : 0;
    if (control.unit == Unit::length && axis >= 'x' && axis <= 'z') {
      travels.try_emplace(control.node, Vec3::Zero()).first->second[axis - 'x'] = gap;
    } else if (std::abs(gap) > (control.unit == Unit::angle ? kOneDegree : kClose)) {
      return;
    }
  }
  for (const auto& [node, gap] : travels)
    if (jerks_at_seam(clip, node, duration_)) return;
  // Lengths are in the node's own units, which a scaled armature makes larger: compare with the node's own travel.
  for (const auto& [node, gap] : travels) {
    double reach = 0;
    for (const Track& track : clip.tracks)
      if (track.control.starts_with(node + ".t"))
        for (const double value : track.curve.values)
          reach = std::max(reach, std::abs(value - track.curve.values.front()));
    if (gap.norm() <= std::max(kClose * size, 0.02 * reach)) continue;
    if (!traveller_.empty()) {  // two nodes that do not come back: no loop
      traveller_.clear();
      travel_.setZero();
      return;
    }
    traveller_ = node;
    travel_ = gap;
    travel_control_ = character.rig->find(node + ".tx");
  }
  loops_ = true;
}

void KeyedMotion::controls(double time, Vec& p) const {
  p = rest_;
  if (!sampler_) return;
  double turns = 0;
  if (cyclic_ && duration_ > 0) {
    turns = std::floor(time / duration_);
    time -= turns * duration_;
  }
  sampler_->sample(std::clamp(time, 0.0, duration_), p);
  if (travel_control_ >= 0) p.segment<3>(travel_control_) += turns * travel_;
  if (black_box()) p = units_.array() * (p.array() / units_.array()).rint();
}

}  // namespace rigspace
