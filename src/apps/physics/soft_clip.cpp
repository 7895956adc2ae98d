// What the artist gets: deviations written into a clip of ordinary keys.

#include "rigspace/anim/bake.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {

double frame_rate(const Animation* clip) {
  std::map<long, int> spacings;  // in tenths of a millisecond
  if (clip != nullptr)
    for (const RotationTrack& track : clip->rotations)
      for (std::size_t k = 1; k < track.times.size(); ++k)
        ++spacings[std::lround(1e4 * (track.times[k] - track.times[k - 1]))];
  const auto commonest = std::max_element(spacings.begin(), spacings.end(),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
  if (commonest == spacings.end() || commonest->first == 0) return 30;
  const double rate = 1e4 / static_cast<double>(commonest->first);
  if (rate < 12 || rate > 240) return 30;
  return std::abs(rate - std::round(rate)) < 0.02 * rate ? std::round(rate) : rate;
}

Animation soft_clip(const Character& character, const Animation* clip, const SoftMotion& motion, double rate) {
  Animation soft;
  if (clip != nullptr) soft = *clip;
  soft.name = (clip != nullptr ? clip->name : "rest") + "_soft";
  const double duration = motion.times.back();
  soft.duration = std::max(soft.duration, duration);
  const int frames = std::max(1, static_cast<int>(std::ceil(duration * rate - 1e-6)));
  std::vector<double> times;
  for (int k = 0; k < frames; ++k) times.push_back(k / rate);
  times.push_back(duration);

  for (std::size_t c = 0; c + 2 < motion.controls.size(); c += 3) {
    const std::string& node = character.rig->controls()[motion.controls[c]].node;
    const auto keyed = std::find_if(soft.rotations.begin(), soft.rotations.end(),
                                    [&](const auto& track) { return track.node == node; });
    const int qx = character.rig->find(node + ".qx");
    Vec4 rest(0, 0, 0, 1);
    for (int k = 0; k < 4; ++k) rest[k] = character.rig->controls()[qx + k].rest;
    Curve r[3];
    for (int k = 0; k < 3; ++k) {
      r[k].interpolation = Interpolation::catmull_rom;
      r[k].times = motion.times;
      for (Eigen::Index t = 0; t < motion.deviation.cols(); ++t)
        r[k].values.push_back(motion.deviation(static_cast<Eigen::Index>(c) + k, t));
    }
    RotationTrack track{.node = node, .interpolation = Interpolation::linear, .times = times};
    for (const double time : times) {
      const Vec4 key = keyed != soft.rotations.end() ? (*keyed)(time) : rest.normalized();
      const Quat turned = Quat(key) * Quat(rotation_exp(Vec3(r[0](time), r[1](time), r[2](time))));
      track.values.push_back(turned.normalized().coeffs());
    }
    if (motion.looped) track.values.back() = track.values.front();
    make_signs_continuous(track.values);
    if (keyed != soft.rotations.end())
      *keyed = std::move(track);
    else
      soft.rotations.push_back(std::move(track));
  }
  return soft;
}

}  // namespace rigspace
