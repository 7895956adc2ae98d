#include "rigspace/apps/inverse/edit_clip.h"

#include "rigspace/anim/bake.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/base/suggestion.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>

namespace rigspace {
namespace {

/// A smooth curve through knots that turns only where they do (Fritsch and Carlson 1980). Beyond its ends it goes on
/// with `end_slope`.
class MonotoneCurve {
 public:
  MonotoneCurve(std::vector<double> at, std::vector<double> value, double end_slope)
      : at_(std::move(at)), value_(std::move(value)), end_slope_(end_slope), slope_(at_.size(), end_slope) {
    for (std::size_t k = 1; k + 1 < at_.size(); ++k) {
      const double before = secant(k - 1), after = secant(k);
      slope_[k] = before * after > 0 ? 2 * before * after / (before + after) : 0;
    }
    for (std::size_t k = 0; k + 1 < at_.size(); ++k)  // steeper would overshoot
      for (double* slope : {&slope_[k], &slope_[k + 1]}) *slope = std::clamp(*slope, -limit(k), limit(k));
  }

  double operator()(double x) const {
    if (x <= at_.front()) return value_.front() + end_slope_ * (x - at_.front());
    if (x >= at_.back()) return value_.back() + end_slope_ * (x - at_.back());
    const auto k = static_cast<std::size_t>(std::ranges::upper_bound(at_, x) - at_.begin()) - 1;
    const double h = at_[k + 1] - at_[k], u = (x - at_[k]) / h, blend = u * u * (3 - 2 * u);
    return (1 - blend) * value_[k] + blend * value_[k + 1] +
           h * u * (1 - u) * ((1 - u) * slope_[k] - u * slope_[k + 1]);
  }

 private:
  double secant(std::size_t k) const { return (value_[k + 1] - value_[k]) / (at_[k + 1] - at_[k]); }
  double limit(std::size_t k) const { return 3 * std::abs(secant(k)); }

  std::vector<double> at_, value_;
  double end_slope_;
  std::vector<double> slope_;
};

/// Differences from the first frame, as additive layers hold them.
Animation differences(const Animation& clip) {
  Animation result = clip;
  for (Track& track : result.tracks) {
    const double first = track.curve.values.empty() ? 0 : track.curve.values.front();
    for (double& value : track.curve.values) value -= first;
  }
  for (RotationTrack& track : result.rotations) {
    if (track.values.empty()) continue;
    const Quat back = Quat(track.values.front()).normalized().conjugate();
    const auto left = [&](Vec4& q) { q = (back * Quat(q)).coeffs(); };
    std::ranges::for_each(track.values, left);
    std::ranges::for_each(track.in_tangents, left), std::ranges::for_each(track.out_tangents, left);
  }
  return result;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

[[noreturn]] void refuse_warp(const std::string& what, const std::string& value, const std::string& problem,
                              const std::string& remedy) {
  throw Error({.code = ErrorCode::usage,
               .element = "warp \"" + what + "\"",
               .value = value,
               .problem = problem,
               .remedy = remedy});
}

/// From warped time to the source's.
MonotoneCurve source_times(std::vector<ClipWarp::Time> times) {
  std::ranges::sort(times, {}, &ClipWarp::Time::source);
  if (times.empty() || times.front().source > 0) times.insert(times.begin(), ClipWarp::Time());
  std::vector<double> from, to;
  for (const ClipWarp::Time& each : times) {
    const std::string shown = std::to_string(each.source) + " s";
    if (!from.empty() && (each.warped <= from.back() || each.source <= to.back()))
      refuse_warp(shown, std::to_string(each.warped), "does not come after the time before it",
                  "give times that ascend, above 0");
    from.push_back(each.warped), to.push_back(each.source);
  }
  return {std::move(from), std::move(to), 1};
}

}  // namespace

Animation with_layers(const Character& own, const Animation& base, std::span<const ClipLayer> layers,
                      std::span<const double> times) {
  std::vector<Layer> stacked;
  for (const ClipLayer& each : layers) {
    require_option(each.influence >= 0 && each.influence <= 1, "influence of a layer", each.influence,
                   "expected 0 to 1");
    if (Sampler(each.clip, own.rig->controls()).animated().empty())
      throw Error({.file = own.name,
                   .element = "layer \"" + each.clip.name + "\"",
                   .value = each.clip.name,
                   .problem = "moves no control of this rig",
                   .remedy = "give a clip on this rig's controls"});
    stacked.push_back({.name = each.clip.name,
                       .influence = each.influence,
                       .influence_over_time = {},
                       .animation = differences(each.clip)});
  }
  Animation result = bake(LayerStack(base, stacked, own.rig->controls()), times);
  result.name = base.name;
  return result;
}

ClipWarp read_warp(std::span<const std::string> words, std::span<const Control> controls) {
  ClipWarp warp;
  for (const std::string& word : words) {
    const std::size_t equal = word.rfind('='), at = word.substr(0, equal).rfind('@');
    const auto value = number_of(equal == word.npos ? "" : std::string_view(word).substr(equal + 1));
    const std::string before = word.substr(0, equal);
    const auto time = number_of(at == word.npos ? before : before.substr(at + 1));
    if (!value || !time) refuse_warp(word, word, "is neither a time nor a value", "try 0.5=0.8, or chest.rx@0.8=20");
    if (at == word.npos) {
      warp.times.push_back({*time, *value});
      continue;
    }
    const std::string name = before.substr(0, at);
    const int control = find_control(controls, name);
    std::vector<std::string> names;
    for (const Control& each : controls) names.push_back(each.name);
    if (control < 0)
      refuse_warp(word, name, "names a control that this rig lacks",
                  suggestion(name, names, "`rigspace info --controls` lists them"));
    warp.values.push_back({name, *time, *value * (controls[control].unit == Unit::angle ? std::numbers::pi / 180 : 1)});
  }
  return warp;
}

Animation warped(const Character& own, const Animation& clip, const ClipWarp& warp, double rate) {
  const std::span<const Control> controls = own.rig->controls();
  const MonotoneCurve source = source_times(warp.times);
  double end = clip.duration;  // when the source's last frame comes
  for (const ClipWarp::Time& each : warp.times)
    if (each.source >= clip.duration)
      refuse_warp(std::to_string(each.source) + " s", std::to_string(each.source), "is not before the end of the clip",
                  "it ends at " + std::to_string(clip.duration) + " s");
  for (double last = -1; const ClipWarp::Time& each : warp.times)
    if (each.source > last) last = each.source, end = clip.duration + each.warped - each.source;
  const std::vector<double> times = frame_times(end, rate);
  const Sampler sampler(clip, controls);
  Mat P(std::ssize(controls), std::ssize(times));
  Vec p = own.rig->rest();
  for (std::size_t k = 0; k < times.size(); ++k) {
    sampler.sample(std::min(source(times[k]), clip.duration), p);
    P.col(static_cast<Eigen::Index>(k)) = p;
  }
  std::vector<int> moved(sampler.animated().begin(), sampler.animated().end());
  std::map<std::string, std::map<double, double>> wanted;  // by control and time
  for (const ClipWarp::Value& each : warp.values) {
    if (!(each.time >= 0 && each.time <= end))
      refuse_warp(each.control, std::to_string(each.time), "is not within the clip",
                  "give a time from 0 to " + std::to_string(end) + " s");
    wanted[each.control][each.time] = each.value;
  }
  for (const auto& [name, values] : wanted) {
    const int control = find_control(controls, name);
    std::map<double, double> lacking{{0, 0}, {end, 0}};
    for (const auto& [time, value] : values) {
      sampler.sample(std::min(source(time), clip.duration), p);
      lacking[time] = value - p[control];
    }
    std::vector<double> at, by;
    for (const auto& [time, difference] : lacking) at.push_back(time), by.push_back(difference);
    const MonotoneCurve offset(std::move(at), std::move(by), 0);
    for (std::size_t k = 0; k < times.size(); ++k) P(control, static_cast<Eigen::Index>(k)) += offset(times[k]);
    moved.push_back(control);
  }
  std::ranges::sort(moved);
  moved.erase(std::unique(moved.begin(), moved.end()), moved.end());
  Animation result = keys_from_poses(controls, moved, times, P);
  result.name = clip.name;
  return result;
}

}  // namespace rigspace
