#include "rigspace/anim/keyed_motion.h"

#include "rigspace/anim/loop.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rigspace {
namespace {

/// Whether a node's velocity jumps from the end of the clip to its start by more than half of its largest: the ends may
/// meet, but it was not made to be repeated. Velocities by one-sided differences of second order over frames of 1/24 s,
/// since baked keys are noisy.
bool jerks_at_seam(const Animation& clip, const std::string& node, double duration) {
  const double w = std::min(1.0 / 24, duration / 6);
  const std::array<std::string, 3> names{node + ".tx", node + ".ty", node + ".tz"};
  const auto place = [&](double time) {
    Vec3 x = Vec3::Zero();
    for (const Track& track : clip.tracks)
      for (int axis = 0; axis < 3; ++axis)
        if (track.control == names[static_cast<std::size_t>(axis)]) x[axis] = track.curve(time);
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
  const Seam seam = find_seam(*character.rig, clip);
  if (!seam.loops) return;
  for (const std::string& node : seam.moved)
    if (jerks_at_seam(clip, node, duration_)) return;
  loops_ = true;
  traveller_ = seam.traveller;
  travel_ = seam.travel;
  if (!traveller_.empty()) travel_control_ = character.rig->find(traveller_ + ".tx");
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
