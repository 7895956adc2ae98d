#include "training_poses.h"

#include "black_box_run.h"
#include "rigspace/anim/keyed_motion.h"

namespace rigspace {
namespace {

/// Poses spread evenly over all clips, the first after the share `first` of their spacing.
std::vector<Vec> spread_poses(const Character& character, double step, int count, double first) {
  std::vector<Vec> poses;
  double whole = 0;
  for (const Animation& clip : character.clips) whole += clip.duration;
  for (int k = 0; k < count && whole > 0; ++k) {
    double time = whole * (k + first) / count;
    for (const Animation& clip : character.clips) {
      if (time <= clip.duration) {
        poses.push_back(pose_at(character, &clip, time));
        // For a black box a grid time of the later run, whose pose is evaluated in any case.
        if (const KeyedMotion motion(character, &clip); motion.black_box())
          motion.controls(nearest_moment(motion, step, time), poses.back());
        break;
      }
      time -= clip.duration;
    }
  }
  return poses;
}

}  // namespace

std::vector<Vec> training_poses(const Character& character, double step) {
  std::vector<Vec> poses = spread_poses(character, step, 7, 0.5);
  poses.insert(poses.begin(), character.rig->rest());
  return poses;
}

}  // namespace rigspace
