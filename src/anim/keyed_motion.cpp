#include "rigspace/anim/keyed_motion.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

KeyedMotion::KeyedMotion(const Character& character, const Animation* clip, const PlayRules& rules)
    : rest_(character.rig->rest()) {
  if (!character.rig->traits().exact_jacobian) {
    units_.resize(rest_.size());
    for (Eigen::Index c = 0; c < units_.size(); ++c)
      units_[c] = std::ldexp(1.0, std::ilogb(character.rig->controls()[c].typical) - 40);
  }
  if (clip == nullptr) return;
  clip_duration_ = clip->duration;
  sampler_ = std::make_unique<Sampler>(*clip, character.rig->controls());
  play_ = decide_play(character, *clip, rules);
  if (!play_.traveller.empty()) travel_control_ = character.rig->find(play_.traveller + ".tx");
}

/// The pose at a time of the first turn, 0 .. duration().
void KeyedMotion::sample_turn(double time, Vec& p) const {
  sampler_->sample(std::clamp(time, 0.0, clip_duration_), p);
  if (!cyclic_ || time <= clip_duration_) return;
  const double u = (time - clip_duration_) / (play_.period - clip_duration_);
  const Vec last = p;
  sampler_->sample(0, p);
  if (travel_control_ >= 0) p.segment<3>(travel_control_) += play_.travel;
  for (const Sampler::Rotation& rotation : sampler_->rotations()) {
    Vec4 from, to;
    for (int k = 0; k < 4; ++k) from[k] = last[rotation.controls[k]], to[k] = p[rotation.controls[k]];
    const Vec4 between = slerp(from, to, u);
    for (int k = 0; k < 4; ++k) p[rotation.controls[k]] = between[k];
  }
  for (const Sampler::Scalar& scalar : sampler_->scalars())
    p[scalar.control] = (1 - u) * last[scalar.control] + u * p[scalar.control];
}

void KeyedMotion::controls(double time, Vec& p) const {
  p = rest_;
  if (!sampler_) return;
  double turns = 0;
  if (cyclic_ && duration() > 0) {
    turns = std::floor(time / duration());
    time -= turns * duration();
  }
  sample_turn(time, p);
  if (travel_control_ >= 0 && turns != 0) p.segment<3>(travel_control_) += turns * play_.travel;
  if (black_box()) p = units_.array() * (p.array() / units_.array()).rint();
}

}  // namespace rigspace
