#include "rigspace/anim/character_unit.h"

#include "rigspace/anim/character_frame.h"
#include "rigspace/anim/clip_play.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

/// Metres per unit from the way a character walks. 0 where no clip is called a walk, or the result is no animal.
double metres_by_pace(const Character& character, double height) {
  constexpr double kPace = 1.75, kLegs = 0.5, kNear = 1.6, kSmallest = 0.05, kLargest = 30;
  const Animation* walk = ordinary_locomotion(character);
  if (walk == nullptr || !(height > 0)) return 0;
  const ClipPlay play = decide_play(character, *walk);
  if (!play.loops) return 0;
  const double legs = 9.81 * std::pow(kPace * play.period / (2 * std::numbers::pi), 2);  // m
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
