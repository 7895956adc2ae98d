// Parts are tuned on one clip of a character, and keep what was found on all others.

#include "rigspace/anim/key_rate.h"
#include "rigspace/apps/physics/simulation.h"
#include "run/black_box_run.h"
#include "tune_system.h"
#include "tuner.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kShortest = 0.2;      // s: what is shorter is a pose
constexpr double kHardlyWilder = 0.1;  // of the drive of the next wilder clip

/// The root mean square over a clip of the accelerations of all controls, each in its typical change, 1/s^2.
double drive_of(const Character& character, const Animation& clip) {
  constexpr double kFrame = 1.0 / 24;
  const auto controls = character.rig->controls();
  const Sampler sampler(clip, controls);
  const int steps = std::max(2, static_cast<int>(clip.duration / kFrame));
  const double h = clip.duration / steps;
  Vec before = character.rig->rest(), now = before, after = before;
  sampler.sample(0, before), sampler.sample(h, now);
  double sum = 0;
  for (int k = 1; k < steps; ++k) {
    sampler.sample((k + 1) * h, after);
    for (const int c : sampler.animated())
      sum += std::pow((after[c] - 2 * now[c] + before[c]) / (h * h * controls[c].typical), 2);
    before = now, now = after;
  }
  return std::sqrt(sum / (steps - 1));
}

}  // namespace

const Animation* reference_clip(const Character& character) {
  if (const Animation* ordinary = ordinary_locomotion(character)) return ordinary;
  std::vector<std::pair<double, const Animation*>> clips;
  for (const Animation& clip : character.clips)
    if (clip.duration > kShortest) clips.emplace_back(drive_of(character, clip), &clip);
  if (clips.empty())  // poses alone: the longest
    for (const Animation& clip : character.clips)
      if (clip.duration > 0) clips.emplace_back(clip.duration, &clip);
  if (clips.empty()) return nullptr;
  std::stable_sort(clips.begin(), clips.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  // Clips without motion are left out.
  const auto moving = std::find_if(clips.begin(), clips.end(), [](const auto& each) { return each.first > 0; });
  const auto count = clips.end() - moving;
  if (count == 0) return clips.back().second;
  const auto middle = moving + (count - 1) / 2;
  // Of two the gentler one, unless it is as good as still: an idle beside a hop.
  const bool still = count % 2 == 0 && middle->first < kHardlyWilder * (middle + 1)->first;
  return (still ? middle + 1 : middle)->second;
}

std::vector<PartTuning> tune_parts(const Character& character, const Animation& clip, std::span<const Part> parts,
                                   const SimulationOptions& options, const ProgressCallback& progress) {
  SimulationOptions own = options;
  own.start = 0, own.end = std::numeric_limits<double>::infinity(), own.preroll = 0;
  own.tuning.clear(), own.collisions = {}, own.checkpoints = {}, own.gravity = earth_gravity();
  own.validate();
  KeyedMotion motion(character, &clip, own.play);
  motion.set_cyclic(own.looping == Looping::always || (own.looping == Looping::find && motion.loops()));
  evaluate_keyed_poses(character, motion, own, progress);
  const auto systems = make_systems(character, parts, own, part_of_progress(progress, 0, 0.4));
  std::vector<PartTuning> tuning(parts.size());
  for (std::size_t k = 0; k < systems.size(); ++k) {
    const double from = static_cast<double>(k) / static_cast<double>(systems.size());
    const double to = static_cast<double>(k + 1) / static_cast<double>(systems.size());
    tune_system(*systems[k], character, motion, own, part_of_progress(progress, 0.4 + 0.6 * from, 0.4 + 0.6 * to));
    for (const TunedPart& part : systems[k]->parts) tuning[static_cast<std::size_t>(part.index)] = tuning_of(part);
  }
  return tuning;
}

}  // namespace rigspace
