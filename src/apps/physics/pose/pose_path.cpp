#include "rigspace/apps/physics/pose_path.h"

#include "rigspace/anim/bake.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace rigspace {
namespace {

CompiledCurve coordinate(const std::vector<double>& times, std::span<const Vec3> positions, int k) {
  Curve curve{.interpolation = Interpolation::catmull_rom, .times = times};
  for (const Vec3& position : positions) curve.values.push_back(position[k]);
  if (times.empty())
    throw Error(
        {.code = ErrorCode::usage, .element = "path of a pull", .problem = "has no keys", .remedy = "give one"});
  curve.validate("path of a pull");
  return CompiledCurve(curve);
}

std::vector<Vec3> targets_at(std::span<const PullPath> paths, double time) {
  std::vector<Vec3> targets;
  for (const PullPath& path : paths) targets.push_back(path(time));
  return targets;
}

/// The pose of the clip at a time; without a clip the first pose.
class Key {
 public:
  Key(const Animation* clip, std::span<const Control> controls, const Vec& first) : p_(first) {
    if (clip != nullptr) sampler_.emplace(*clip, controls);
  }
  const Vec& at(double time) {
    if (sampler_) sampler_->sample(time, p_);
    return p_;
  }
  std::span<const int> animated() const { return sampler_ ? sampler_->animated() : std::span<const int>(); }

 private:
  std::optional<Sampler> sampler_;
  Vec p_;
};

/// Starts the next solve with the free controls moved by as much as the clip moves them.
void follow(Poser& poser, const Vec& from, const Vec& to) {
  Vec p = to;
  for (const int c : poser.free()) p[c] = poser.controls()[c] + to[c] - from[c];
  poser.restart(p);
  poser.set_key(to);
}

PoseReport frame_with_momentum(Poser& poser, std::span<const PullPath> paths, Key& key, std::array<double, 2> span) {
  const int steps = static_cast<int>(std::lround((span[1] - span[0]) / poser.options().step));
  PoseReport report;
  for (int k = 1; k <= steps; ++k) {
    const double time = span[0] + (span[1] - span[0]) * k / steps;
    poser.set_key(key.at(time));
    const int iterations = report.iterations;
    const bool converged = report.converged;
    report = poser.step(targets_at(paths, time));
    report.iterations += iterations;
    report.converged = report.converged && converged;
  }
  return report;
}

}  // namespace

PullPath::PullPath(std::vector<double> times, std::span<const Vec3> positions)
    : curves_{coordinate(times, positions, 0), coordinate(times, positions, 1), coordinate(times, positions, 2)},
      end_(times.back()) {}

Vec3 PullPath::operator()(double time) const { return {curves_[0](time), curves_[1](time), curves_[2](time)}; }

void PosePathOptions::validate() const {
  require_option(fps >= 1 && fps <= 1000, "frames a second", fps, "expected 1 to 1000");
  require_option(duration >= 0 && std::isfinite(duration), "duration", duration, "expected seconds, at least 0");
}

double PosedClip::distance() const {
  double most = 0;
  for (const PoseReport& report : reports) most = std::max(most, report.distance());
  return most;
}

double PosedClip::worst_time() const {
  const auto less = [](const PoseReport& a, const PoseReport& b) { return a.distance() < b.distance(); };
  return times[static_cast<std::size_t>(std::max_element(reports.begin(), reports.end(), less) - reports.begin())];
}

int PosedClip::unreached() const {
  return static_cast<int>(std::count_if(reports.begin(), reports.end(), [](const PoseReport& report) {
    return std::any_of(report.pulls.begin(), report.pulls.end(), [](const PullReport& p) { return !p.reached; });
  }));
}

int PosedClip::not_converged() const {
  return static_cast<int>(
      std::count_if(reports.begin(), reports.end(), [](const PoseReport& report) { return !report.converged; }));
}

PosedClip pose_along(Poser& poser, const Character& character, std::span<const PullPath> paths,
                     const PosePathOptions& options) {
  options.validate();
  double end = options.duration;
  for (const PullPath& path : paths)
    if (options.duration == 0) end = std::max(end, path.end());
  if (options.dynamic) {
    const double steps = 1 / (options.fps * poser.options().step);
    require_option(std::abs(steps - std::round(steps)) < 1e-6 * steps && steps > 0.5, "steps of a frame", steps,
                   "expected a whole number of the poser's steps");
    end = std::ceil(end * options.fps - 1e-6) / options.fps;
  }
  PosedClip result{.times = frame_times(end, options.fps)};
  const std::span<const Control> controls = character.rig->controls();
  Key key(options.clip, controls, poser.controls());
  result.poses.resize(static_cast<Eigen::Index>(controls.size()), static_cast<Eigen::Index>(result.times.size()));
  Vec before = key.at(0);
  poser.restart(before);
  poser.set_key(before);
  for (std::size_t k = 0; k < result.times.size(); ++k) {
    report(options.progress, "posing", static_cast<double>(k) / static_cast<double>(result.times.size()));
    const double time = result.times[k];
    if (options.dynamic && k > 0) {
      result.reports.push_back(frame_with_momentum(poser, paths, key, {result.times[k - 1], time}));
    } else {
      const Vec now = key.at(time);
      follow(poser, before, now);
      before = now;
      result.reports.push_back(poser.drag(targets_at(paths, time)));
    }
    result.poses.col(static_cast<Eigen::Index>(k)) = poser.controls();
  }
  std::vector<int> animated(poser.free());
  animated.insert(animated.end(), key.animated().begin(), key.animated().end());
  std::sort(animated.begin(), animated.end());
  animated.erase(std::unique(animated.begin(), animated.end()), animated.end());
  result.clip = keys_from_poses(controls, animated, result.times, result.poses);
  return result;
}

}  // namespace rigspace
