#include "played_rig.h"

#include <algorithm>

namespace rigspace {

PlayedRig::PlayedRig(const Character& character, const Animation* clip, double start, double lead)
    : character_(character),
      motion_(character_, clip),
      workspace_(character.rig->make_workspace()),
      start_(start),
      lead_(lead) {
  motion_.set_cyclic(motion_.loops());
}

const Vec& PlayedRig::controls(double time) {
  const bool leading = lead_ > 0 && time < start_;
  motion_.controls(leading ? start_ : time, p_);
  if (!leading) return p_;
  // Smooth at both ends, so that nothing is jerked; rotations by the shorter way.
  const double t = std::clamp((time - start_ + lead_) / lead_, 0.0, 1.0), s = t * t * (3 - 2 * t);
  const Vec rest = character_.rig->rest(), first = p_;
  p_ = (1 - s) * rest + s * first;
  const auto controls = character_.rig->controls();
  for (std::size_t c = 0; c + 3 < controls.size(); ++c) {
    const auto at = static_cast<Eigen::Index>(c);
    if (controls[c].unit == Unit::quaternion && controls[c].name.ends_with(".qx"))
      p_.segment<4>(at) = slerp(rest.segment<4>(at), first.segment<4>(at), s);
  }
  return p_;
}

const Vec& PlayedRig::points(double time) {
  character_.rig->evaluate(*workspace_, controls(time), x_);
  return x_;
}

}  // namespace rigspace
