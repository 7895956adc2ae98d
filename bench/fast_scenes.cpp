#include "fast_scenes.h"

#include "rigspace/anim/bake.h"
#include "rigspace/cast/cast.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace rigspace::bench {
namespace {

constexpr double kKeyRate = 120;  // Hz: linear keys

/// Keys of the rest pose, changed at each time.
template <class Change>
Animation keyed(const Character& character, std::string name, double duration, const std::vector<int>& animated,
                Change&& change) {
  const std::vector<double> times = frame_times(duration, kKeyRate);
  Mat P = character.rig->rest().replicate(1, std::ssize(times));
  for (Eigen::Index k = 0; k < P.cols(); ++k) change(times[static_cast<std::size_t>(k)], P.col(k));
  Animation clip = keys_from_poses(character.rig->controls(), animated, times, P);
  clip.name = std::move(name), clip.duration = duration;
  return clip;
}

/// Jumps by 8 cm from a bend of the knees: ballistic in the air, a half sine on the ground; begins at the lowest place.
Animation hop(const Character& character) {
  constexpr double kHeight = 0.08, kGround = 0.24, kJumps = 3;  // m, s
  const double v = std::sqrt(2 * 9.81 * kHeight), air = 2 * v / 9.81, depth = v * kGround / std::numbers::pi;
  const int root = character.rig->find("root.ty");
  return keyed(character, "Hop", kJumps * (air + kGround), {root}, [&](double time, auto&& p) {
    const double t = std::fmod(time + kGround / 2, air + kGround);
    p[root] += t < kGround ? -depth * std::sin(std::numbers::pi * t / kGround)
                           : v * (t - kGround) - 9.81 / 2 * (t - kGround) * (t - kGround);
  });
}

/// Turns of the head to either side, 15 degrees twice a second, which come and go within a third of a second.
Animation shake_of_head(const Character& character) {
  constexpr double kDuration = 1.8, kTurn = 15 * std::numbers::pi / 180, kRate = 2, kFade = 0.33;
  const int q = character.rig->find("head.qx");  // x y z w follow each other
  return keyed(character, "Shake", kDuration, {q, q + 1, q + 2, q + 3}, [&](double time, auto&& p) {
    const auto eased = [](double u) { return u >= 1 ? 1.0 : u * u * (3 - 2 * u); };
    const double fade = eased(time / kFade) * eased((kDuration - time) / kFade);
    const double angle = fade * kTurn * std::sin(2 * std::numbers::pi * kRate * time);
    const Quat rest(p[q + 3], p[q], p[q + 1], p[q + 2]);  // its y axis runs along the neck
    const Quat turned = rest * Quat(Eigen::AngleAxisd(angle, Vec3::UnitY()));
    p.template segment<4>(q) = turned.coeffs();
  });
}

}  // namespace

std::span<const FastScene> fast_scenes() {
  using Names = std::vector<std::string>;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const Names belly{"belly_*"}, trunk{"trunk_*", "trunk.twist"}, soft{"belly_*", "chest_*", "cheek_*", "hair_*"};
  const PaperRow wrestler{174, 3 * 967, 3 * 1302, 2.82};  // his first row is that of the static interior
  static const std::vector<FastScene> scenes = {
      {{"elephant trunk", "peanut", "Walk", trunk, {13, 3990, 2253, 7.24}, 2e5, true},
       {7.24, 0.37, 0.39, 0.12, 0.13},
       {"Shake"}},
      {{"elephant belly", "peanut", "Walk", belly, {36, 3990, 2253, 46.5}, 1e5, true},
       {46.5, 0.53, 0.39, 0.27, 0.13},
       {"Dance", "Hop"}},
      {{"wrestler, stomp", "sumo", "Stomp", soft, wrestler, 1e5, true}, {kNone, 2.82, 2.48, 1.04, 0.58}, {"HeadShake"}},
      {{"wrestler, head shake", "sumo", "HeadShake", soft, wrestler, 1e5, true},
       {kNone, 2.82, 2.48, 1.04, 0.58},
       {"Stomp"}},
  };
  return scenes;
}

Character fast_character(std::string_view member) {
  Character character = make_character(member);
  if (member == "peanut") {
    character.clips.push_back(hop(character));
    character.clips.push_back(shake_of_head(character));
  }
  return character;
}

RspSetup prepare_test(const FastScene& scene, std::string_view clip, int most_steps) {
  RspScene other = scene.scene;
  other.clip = clip;
  const Character character = fast_character(scene.scene.member);
  int steps = static_cast<int>(std::floor(character.clip(clip)->duration / kRspStep + 1e-9));
  if (most_steps > 0) steps = std::min(steps, most_steps);
  RspSetup setup{.body = body_of(scene.scene)};
  prepare_on(setup, character, other, steps);
  return setup;
}

}  // namespace rigspace::bench
