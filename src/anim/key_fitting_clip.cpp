// A clip in groups of components, and its keys written back.
#include "key_fitting_clip.h"

#include "binding.h"
#include "rigspace/anim/bake.h"
#include "rigspace/base/parallel.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace::detail {
namespace {

/// What glTF keeps in one channel: the axes of a node's translation or scale, the morphs of a mesh.
std::string channel_of(const Control& control) {
  if (control.unit == Unit::length || control.unit == Unit::scale) {
    const std::size_t dot = control.name.rfind('.');
    if (dot != std::string::npos && control.name.size() == dot + 3) return control.name.substr(0, dot + 2);
  }
  if (const std::size_t colon = control.name.rfind(':'); control.unit == Unit::scalar && colon != std::string::npos)
    return control.name.substr(0, colon + 1);
  return control.name;
}

Curve keyed(const FrameCurve& frames, const FittedKeys& keys, int component) {
  Curve curve{.interpolation = Interpolation::hermite};
  for (std::size_t k = 0; k < keys.frames.size(); ++k) {
    curve.times.push_back(frames.times[keys.frames[k]]);
    curve.values.push_back(frames.values[keys.frames[k]]);
    curve.in_tangents.push_back(keys.in_slopes(component, k));
    curve.out_tangents.push_back(keys.out_slopes(component, k));
  }
  return curve;
}

Curve constant(const FrameCurve& frames) { return {.times = {frames.times[0]}, .values = {frames.values[0]}}; }

}  // namespace

Curve fitted_curve(const FrameCurve& frames, const Curve& source, double tolerance) {
  Curve result;
  if (frames.constant()) {
    result = constant(frames);
  } else {
    result = keyed(frames, fit_frames(std::span(&frames, 1), std::span(&tolerance, 1), Effort::thorough), 0);
  }
  result.before = source.before;
  result.after = source.after;
  return result;
}

ClipFit::ClipFit(const Rig& rig, const Animation& animation, std::vector<double> frames, const ClipFitOptions& options)
    : frames_(std::move(frames)), animation_(animation) {
  if (frames_.size() < 2) return;
  gather_tracks(rig, options.loop, options.share_times);
  gather_rotations(rig, options.loop);
  tolerances_.assign(groups_.size(), 1);
}

void ClipFit::gather_tracks(const Rig& rig, bool loop, bool share_times) {
  const ControlIndex index(rig.controls());
  const std::vector<double> times = subframe_times(frames_);
  std::map<std::string, int> channels;
  for (std::size_t t = 0; t < animation_.tracks.size(); ++t) {
    const Track& track = animation_.tracks[t];
    const int control = index.find(track.control);
    if (control < 0 || track.curve.times.empty() || track.curve.interpolation == Interpolation::step) continue;
    track.curve.validate("curve \"" + track.control + "\"");
    const auto [channel, fresh] = share_times ? channels.try_emplace(channel_of(rig.controls()[control]), size())
                                              : std::pair(channels.end(), true);
    if (fresh) groups_.emplace_back();
    Group& group = groups_[share_times ? channel->second : size() - 1];
    const CompiledCurve compiled(track.curve);
    std::vector<double> source;
    for (const double time : times) source.push_back(compiled(time));
    group.curves.push_back(make_frame_curve(frames_, source, loop));
    group.controls.push_back(control);
    group.tracks.push_back(static_cast<int>(t));
    if (!group.curves.back().constant()) group.moving.push_back(static_cast<int>(group.curves.size()) - 1);
  }
}

void ClipFit::gather_rotations(const Rig& rig, bool loop) {
  const ControlIndex index(rig.controls());
  const std::vector<double> times = subframe_times(frames_);
  for (std::size_t r = 0; r < animation_.rotations.size(); ++r) {
    const RotationTrack& track = animation_.rotations[r];
    const auto quaternion = index.find_quaternion(track.node);
    if (!quaternion || track.times.empty() || track.interpolation == Interpolation::step) continue;
    track.validate("rotation of \"" + track.node + "\"");
    std::vector<Vec4> source;
    for (const double time : times) source.push_back(track(time));
    make_signs_continuous(source);
    const bool closes = loop && source.front().dot(source.back()) > 0;  // an odd number of turns ends on the other side
    Group group{.rotation = static_cast<int>(r)};
    for (int k = 0; k < 4; ++k) {
      std::vector<double> component;
      for (const Vec4& q : source) component.push_back(q[k]);
      group.curves.push_back(make_frame_curve(frames_, component, closes));
      group.controls.push_back((*quaternion)[k]);
      if (!group.curves.back().constant()) group.moving.push_back(k);
    }
    keep_common_stretches(group.curves);
    groups_.push_back(std::move(group));
  }
}

void ClipFit::share_out(const Sensitivity& sensitivity, double allowed) {
  constexpr double kUnseen = 0.01;  // of its range: the tolerance of a control that moves no point
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    double most = 0, range = 0;
    for (std::size_t c = 0; c < groups_[g].curves.size(); ++c) {
      most = std::max(most, sensitivity.by_control[groups_[g].controls[c]]);
      const auto [low, high] =
          std::minmax_element(groups_[g].curves[c].values.begin(), groups_[g].curves[c].values.end());
      range = std::max(range, *high - *low);
    }
    tolerances_[g] = most > 0 ? allowed / most : std::max(1e-12, kUnseen * range);
  }
}

ClipFit::Saved ClipFit::fitted(int g, double tolerance, Effort effort) const {
  const Group& group = groups_[g];
  if (group.moving.empty()) return {tolerance, group.fitted};
  std::vector<FrameCurve> moving;
  for (const int c : group.moving) moving.push_back(group.curves[c]);
  return {tolerance, fit_frames(moving, std::vector<double>(moving.size(), tolerance), effort)};
}

Mat ClipFit::motion(const Sensitivity& sensitivity) const {
  Mat squares = Mat::Zero(size(), sensitivity.by_point.cols());
  for (int g = 0; g < size(); ++g)
    for (const int c : groups_[g].moving)
      squares.row(g) += sensitivity.by_point.row(groups_[g].controls[c]).cwiseAbs2();
  return squares.cwiseSqrt();
}

void ClipFit::write(int g) {
  const Group& group = groups_[g];
  std::vector<Curve> curves;
  for (const FrameCurve& frames : group.curves) curves.push_back(constant(frames));
  for (std::size_t m = 0; m < group.moving.size(); ++m)
    curves[group.moving[m]] = keyed(group.curves[group.moving[m]], group.fitted, static_cast<int>(m));
  for (std::size_t c = 0; c < group.tracks.size(); ++c) {
    Curve& curve = animation_.tracks[group.tracks[c]].curve;
    curves[c].before = curve.before, curves[c].after = curve.after;
    curve = std::move(curves[c]);
  }
  if (group.rotation < 0) return;
  RotationTrack track{.node = animation_.rotations[group.rotation].node};
  const bool moves = !group.moving.empty();
  track.interpolation = moves ? Interpolation::hermite : Interpolation::linear;
  const std::size_t keys = moves ? group.fitted.frames.size() : 1;
  track.values.resize(keys), track.times.resize(keys);
  if (moves) track.in_tangents.assign(keys, Vec4::Zero()), track.out_tangents.assign(keys, Vec4::Zero());
  for (std::size_t k = 0; k < keys; ++k) {
    track.times[k] = moves ? frames_[group.fitted.frames[k]] : frames_[0];
    for (int c = 0; c < 4; ++c) {
      const bool still = curves[c].interpolation != Interpolation::hermite;
      track.values[k][c] = curves[c].values[still ? 0 : k];
      if (!still) track.in_tangents[k][c] = curves[c].in_tangents[k];
      if (!still) track.out_tangents[k][c] = curves[c].out_tangents[k];
    }
  }
  animation_.rotations[group.rotation] = std::move(track);
}

void ClipFit::refit(Effort effort) {
  rigspace::parallel_ranges(size(), 1, [&](int begin, int end) {
    for (int g = begin; g < end; ++g) {
      Group& group = groups_[g];
      if (group.fitted_tolerance == tolerances_[g] && group.effort == effort) continue;
      group.fitted = fitted(g, tolerances_[g], effort).fitted;
      group.fitted_tolerance = tolerances_[g], group.effort = effort;
    }
  });
  for (int g = 0; g < size(); ++g) write(g);
  // Where nothing moves, a second key keeps the duration.
  if (size() == 0 || !(last_key_time(animation_) < animation_.duration)) return;
  if (const Group& group = groups_[0]; group.rotation >= 0) {
    RotationTrack& track = animation_.rotations[group.rotation];
    track.times.push_back(animation_.duration), track.values.push_back(track.values[0]);
  } else {
    Curve& curve = animation_.tracks[group.tracks[0]].curve;
    curve.times.push_back(animation_.duration), curve.values.push_back(curve.values[0]);
  }
}

void ClipFit::restore(int group, const Saved& saved) {
  tolerances_[group] = groups_[group].fitted_tolerance = saved.tolerance;
  groups_[group].fitted = saved.fitted;
  write(group);
}

std::vector<ClipFit::Bounds> ClipFit::bounds() const {
  std::vector<Bounds> result;
  for (const Group& group : groups_)
    for (std::size_t c = 0; c < group.curves.size(); ++c) result.push_back({group.controls[c], &group.curves[c]});
  return result;
}

}  // namespace rigspace::detail
