#include "rigspace/anim/character_unit.h"

#include "clip_words.h"
#include "rigspace/anim/character_frame.h"
#include "rigspace/anim/clip_play.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

/// The number of strides in a loop: the largest n for which all joints are back after its n-th part, at any time.
int strides_in(const Animation& clip, double period) {
  constexpr int kMostStrides = 8, kMoments = 24;
  constexpr double kBack = 0.15;                         // of how far the joints turn
  constexpr double kTurns = 5 * std::numbers::pi / 180;  // joints that turn less do not count
  const auto angle = [](const Vec4& a, const Vec4& b) { return 2 * std::acos(std::min(1.0, std::abs(a.dot(b)))); };
  std::vector<double> apart(kMostStrides + 1, 0);
  double turned = 0;
  for (const RotationTrack& track : clip.rotations) {
    const auto at = [&](double time) { return track(time - period * std::floor(time / period)); };
    double range = 0;
    for (int k = 0; k < kMoments; ++k) range = std::max(range, angle(at(period * k / kMoments), at(0)));
    if (range < kTurns) continue;
    turned += range;
    for (int n = 2; n <= kMostStrides; ++n) {
      double most = 0;
      for (int k = 0; k < kMoments; ++k) {
        const double time = period * k / kMoments;
        most = std::max(most, angle(at(time), at(time + period / n)));
      }
      apart[static_cast<std::size_t>(n)] += most;
    }
  }
  for (int n = kMostStrides; n > 1; --n)
    if (apart[static_cast<std::size_t>(n)] < kBack * turned) return n;
  return 1;
}

/// Metres per unit from the pace of a walk, a jog, a trot .. 0 where no clip is called so, or the result is no animal.
double metres_by_pace(const Character& character, double height) {
  constexpr double kLegs = 0.5, kNear = 1.6, kSmallest = 0.05, kLargest = 30;
  const Animation* walk = ordinary_locomotion(character);
  if (walk == nullptr || !(height > 0)) return 0;
  const double pace = stride_pace(words_of_clip(walk->name));
  const ClipPlay play = decide_play(character, *walk);
  if (pace == 0 || !play.loops) return 0;
  const double stride = play.period / strides_in(*walk, play.period);
  const double legs = 9.81 * std::pow(pace * stride / (2 * std::numbers::pi), 2);  // m
  double unit = legs / (kLegs * height);
  for (const double common : {1.0, 0.1, 0.0254, 0.01, 0.001})
    if (std::max(unit / common, common / unit) < kNear) unit = common;
  return unit * height >= kSmallest && unit * height <= kLargest ? unit : 0;
}

}  // namespace

CharacterUnit guess_unit(const Character& character) {
  const OwnFrame frame = character_frame(character);
  CharacterUnit unit{guess_metres_per_unit(frame.extent())};
  if (!unit.guessed) return unit;
  if (const double metres = metres_by_pace(character, frame.sides.y()); metres > 0)
    unit.metres = metres, unit.by_pace = true;
  return unit;
}

}  // namespace rigspace
