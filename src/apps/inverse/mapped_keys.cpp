#include "rigspace/apps/inverse/mapped_keys.h"

#include "rigspace/anim/kept_keys.h"
#include "rigspace/anim/key_fitting.h"
#include "rigspace/base/require.h"

#include <algorithm>

namespace rigspace {
namespace {

/// At each time the largest distance between the surfaces of two clips, scene units.
class SurfaceDistances {
 public:
  SurfaceDistances(const Character& own, const Animation& frames, std::span<const double> times)
      : rig_(*own.rig), times_(times), workspace_(rig_.make_workspace()) {
    const Sampler sampler(frames, rig_.controls());
    for (const double time : times) x_.push_back(surface(sampler, time));
  }
  std::vector<double> of(const Animation& clip) const {
    const Sampler sampler(clip, rig_.controls());
    std::vector<double> distances;
    for (std::size_t k = 0; k < times_.size(); ++k) {
      const Vec off = surface(sampler, times_[k]) - x_[k];
      distances.push_back(off.size() == 0 ? 0 : off.reshaped(3, off.size() / 3).colwise().norm().maxCoeff());
    }
    return distances;
  }

 private:
  Vec surface(const Sampler& sampler, double time) const {
    Vec p = rig_.rest(), x;
    sampler.sample(time, p);
    rig_.evaluate(*workspace_, p, x);
    return x;
  }
  const Rig& rig_;
  std::span<const double> times_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<Vec> x_;
};

}  // namespace

bool has_key_times(const Animation& source, int frames) {
  const std::vector<double> times = key_times(source);
  return times.size() >= 2 && 2 * std::ssize(times) <= frames;
}

MappedKeys with_mapped_keys(const Character& own, const Animation& frames, const Animation* source, double tolerance,
                            const ProgressCallback& progress) {
  require_option(tolerance > 0, "error of keys", tolerance, "expected a share of the height above 0");
  const std::vector<double> at = source_frames(frames);
  MappedKeys result;
  const double height = rest_height(*own.rig);
  const SurfaceDistances distances(own, frames, at);
  if (source == nullptr || !has_key_times(*source, static_cast<int>(at.size()))) {
    result.clip = fit_keys(own, frames, {.tolerance = tolerance, .progress = progress}).animation;
    result.clip.name = frames.name;
    result.error = std::ranges::max(distances.of(result.clip)) / height;
    return result;
  }
  result.from_source = true;
  std::vector<double> times = key_times(*source);
  std::erase_if(times, [&](double time) { return time > frames.duration + 1e-4; });
  result.kept_times = static_cast<int>(times.size());
  // In each interval that is too far off, its worst frame becomes a key; at keys the error is 0, so this ends.
  for (;;) {
    report(progress, "setting keys", -1);
    result.clip = with_keys_at(frames, times);
    const std::vector<double> off = distances.of(result.clip);
    result.error = std::ranges::max(off) / height;
    std::vector<double> more;
    for (std::size_t k = 0; k < at.size();) {
      const auto next = std::upper_bound(times.begin(), times.end(), at[k]);
      std::size_t worst = k;
      for (; k < at.size() && (next == times.end() || at[k] < *next); ++k)
        if (off[k] > off[worst]) worst = k;
      if (off[worst] > tolerance * height) more.push_back(at[worst]);
    }
    if (more.empty()) break;
    times.insert(times.end(), more.begin(), more.end());
    std::ranges::sort(times);
    result.added_times += static_cast<int>(more.size());
    if (result.added_times > std::ssize(at)) break;  // a key at every frame
  }
  return result;
}

}  // namespace rigspace
