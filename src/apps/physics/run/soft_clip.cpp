// The clip that the artist gets: the artist's curves plus the deviations, as ordinary keys.

#include "rigspace/anim/bake.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/rig/skeleton.h"
#include "soft_keys.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

std::vector<double> key_times(const SoftMotion& motion, double rate) {
  const double start = motion.times.front(), duration = motion.times.back() - start;
  // A key within a thousandth of a frame of the end would be the same moment in a file's floats, and take its place.
  const int frames = std::max(1, static_cast<int>(std::ceil(duration * rate - 1e-3)));
  std::vector<double> times;
  for (int k = 0; k < frames; ++k) times.push_back(start + k / rate);
  times.push_back(motion.times.back());
  return times;
}

Curve deviation_curve(const SoftMotion& motion, std::size_t row) {
  Curve curve{.interpolation = Interpolation::catmull_rom};
  curve.times = motion.times;
  for (Eigen::Index t = 0; t < motion.deviation.cols(); ++t)
    curve.values.push_back(motion.deviation(static_cast<Eigen::Index>(row), t));
  return curve;
}

namespace {

/// Whether the last key of this row is its first to the bit.
bool closes(const SoftMotion& motion, std::size_t row) {
  return motion.closes() && !std::binary_search(motion.corrected.begin(), motion.corrected.end(), motion.controls[row]);
}

/// Keys the rotation of one joint: R = R_key exp(r), where r are the rows first .. first + 2 of the deviations.
void set_rotation(Animation& soft, const Rig& rig, const SoftMotion& motion, std::size_t first,
                  const std::vector<double>& times) {
  const std::string& node = rig.controls()[motion.controls[first]].node;
  const auto keyed =
      std::find_if(soft.rotations.begin(), soft.rotations.end(), [&](const auto& track) { return track.node == node; });
  const int qx = rig.find(node + ".qx");
  Vec4 rest(0, 0, 0, 1);
  for (int k = 0; k < 4; ++k) rest[k] = rig.controls()[qx + k].rest;
  const Curve r[3] = {deviation_curve(motion, first), deviation_curve(motion, first + 1),
                      deviation_curve(motion, first + 2)};
  RotationTrack track{.node = node, .interpolation = Interpolation::linear, .times = times};
  for (const double time : times) {
    const Vec4 key = keyed != soft.rotations.end() ? (*keyed)(time) : rest.normalized();
    const Vec3 turn(r[0](time), r[1](time), r[2](time));
    const Quat turned = Quat(key) * Quat(rotation_exp(turn));
    // Without a deviation the key is the artist's to the bit; normalising it could change the last bit.
    track.values.push_back(turn.isZero(0) ? key : Vec4(turned.normalized().coeffs()));
  }
  if (closes(motion, first)) track.values.back() = track.values.front();
  make_signs_continuous(track.values);
  if (keyed != soft.rotations.end())
    *keyed = std::move(track);
  else
    soft.rotations.push_back(std::move(track));
}

/// Keys any other control (a coordinate of a joint's translation): the animation's value plus the deviation.
void set_translation(Animation& soft, const Rig& rig, const SoftMotion& motion, std::size_t row,
                     const std::vector<double>& times) {
  const Control& control = rig.controls()[motion.controls[row]];
  const auto keyed = std::find_if(soft.tracks.begin(), soft.tracks.end(),
                                  [&](const Track& track) { return track.control == control.name; });
  const Curve moved = deviation_curve(motion, row);
  Curve curve{.interpolation = Interpolation::linear, .times = times};
  for (const double time : times)
    curve.values.push_back((keyed != soft.tracks.end() ? keyed->curve(time) : control.rest) + moved(time));
  if (closes(motion, row)) curve.values.back() = curve.values.front();
  if (keyed != soft.tracks.end())
    keyed->curve = std::move(curve);
  else
    soft.tracks.push_back({.control = control.name, .curve = std::move(curve)});
}

}  // namespace

Animation soft_clip(const Character& character, const Animation* clip, const SoftMotion& motion, double rate) {
  Animation soft;
  if (clip != nullptr) soft = *clip;
  soft.name = (clip != nullptr ? clip->name : "rest") + "_soft";
  soft.duration = std::max(soft.duration, motion.times.back());
  const std::vector<double> times = key_times(motion, rate);

  const Rig& rig = *character.rig;
  for (std::size_t c = 0; c < motion.controls.size(); ++c) {
    const Control& control = rig.controls()[motion.controls[c]];
    // rx ry rz of a joint with a quaternion become its rotation track; a single angle is keyed as any other control.
    const bool whole = c + 2 < motion.controls.size() && motion.controls[c + 2] == motion.controls[c] + 2 &&
                       rig.controls()[motion.controls[c] + 2].name == control.node + ".rz" &&
                       rig.find(control.node + ".qx") >= 0;
    if (control.name.ends_with(".rx") && whole)
      set_rotation(soft, rig, motion, c, times), c += 2;
    else
      set_translation(soft, rig, motion, c, times);
  }
  return soft;
}

}  // namespace rigspace
