#pragma once
// A character over time, as cameras and sheets see it.

#include "rigspace/geometry/camera.h"
#include "rigspace/render/renderer.h"

#include <functional>
#include <string>
#include <vector>

namespace rigspace {

/// Moments of a motion. `at` may be called for the same moment more than once and must return the same.
struct Motion {
  std::string title;
  std::vector<double> times;  ///< seconds
  std::function<Snapshot(double time)> at;
};

/// `frames` moments of a clip, evenly from its start to its end. Keeps references. Without a clip: the rest pose, once.
Motion clip_motion(const Character& character, const Animation* clip, int frames);

/// The same at `frames_per_second`, the end left out where it falls on a frame: a cycle repeats without a pause.
Motion clip_motion_at_rate(const Character& character, const Animation* clip, double frames_per_second);

/// One camera for all moments.
struct MotionView {
  Camera camera;             ///< for the first moment
  std::vector<Vec3> travel;  ///< per moment: how far the camera has followed, level; all zero for a fixed camera
  double ground_height = 0;  ///< lowest point of the whole motion

  Camera camera_at(int moment) const { return camera.moved(travel[moment]); }
};

/// Frames everything that moves, or, with `follow`, walks beside the character (the mean of its points), so that a
/// long way does not make it small. Throws Error if there are no moments.
MotionView frame_motion(const Motion& motion, double aspect, const FramingOptions& options = {}, bool follow = false);

}  // namespace rigspace
