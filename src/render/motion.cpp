#include "rigspace/render/motion.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <cmath>

namespace rigspace {
namespace {

Motion motion_of(const Character& character, const Animation* clip) {
  Motion motion;
  motion.title = clip ? clip->name : character.name;
  motion.at = [&character, clip](double time) { return take_snapshot(character, pose_at(character, clip, time)); };
  return motion;
}

Vec3 mean_on_floor(In points) {
  Vec3 sum = Vec3::Zero();
  const int n = static_cast<int>(points.size() / 3);
  for (int i = 0; i < n; ++i) sum += point(points, i);
  sum /= std::max(1, n);
  return {sum.x(), 0, sum.z()};
}

}  // namespace

Motion clip_motion(const Character& character, const Animation* clip, int frames) {
  if (frames < 1)
    throw Error({.code = ErrorCode::usage,
                 .element = "number of frames",
                 .value = std::to_string(frames),
                 .problem = "is " + std::to_string(frames),
                 .remedy = "expected 1 or more"});
  Motion motion = motion_of(character, clip);
  if (!clip || clip->duration <= 0) frames = 1;
  for (int k = 0; k < frames; ++k) motion.times.push_back(frames > 1 ? clip->duration * k / (frames - 1) : 0);
  return motion;
}

Motion clip_motion_at_rate(const Character& character, const Animation* clip, double frames_per_second) {
  constexpr double kMostFrames = 1e6;
  const double frames = clip ? std::ceil(clip->duration * frames_per_second - 1e-6) : 1;
  if (!(frames_per_second > 0) || !(frames <= kMostFrames))
    throw Error({.code = ErrorCode::usage,
                 .element = "frame rate",
                 .value = shortest_text(frames_per_second),
                 .problem = "is " + shortest_text(frames_per_second),
                 .remedy = "expected more than 0 and at most a million frames in all"});
  Motion motion = motion_of(character, clip);
  motion.times.push_back(0);
  for (int k = 1; k < frames; ++k) motion.times.push_back(k / frames_per_second);
  return motion;
}

MotionView frame_motion(const Motion& motion, double aspect, const FramingOptions& options, bool follow) {
  if (motion.times.empty())
    throw Error({.element = "motion \"" + motion.title + "\"",
                 .problem = "has no frames",
                 .remedy = "give it at least one time"});
  MotionView view;
  Framing framing(options, aspect);
  Vec3 start = Vec3::Zero();
  for (const double time : motion.times) {
    const Vec points = motion.at(time).points;
    const Vec3 mean = mean_on_floor(points);
    if (view.travel.empty()) start = mean;
    view.travel.push_back(follow ? Vec3(mean - start) : Vec3::Zero());
    framing.add(points, -view.travel.back());
  }
  view.camera = framing.camera();
  view.ground_height = framing.lowest();
  return view;
}

}  // namespace rigspace
