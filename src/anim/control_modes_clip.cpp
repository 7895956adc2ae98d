// Clips by their modes: one of them stronger, or all of them on sliders.

#include "control_deviation.h"
#include "rigspace/anim/bake.h"
#include "rigspace/anim/control_modes.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <functional>

namespace rigspace {
namespace {

using detail::ControlDeviation;
using detail::Turn;

Track& track_of(Animation& clip, const std::string& control) {
  // Where two tracks move one control the last counts.
  const auto found = std::find_if(clip.tracks.rbegin(), clip.tracks.rend(),
                                  [&](const Track& track) { return track.control == control; });
  if (found != clip.tracks.rend()) return *found;
  return clip.tracks.emplace_back(Track{.control = control, .curve = {}});
}

auto rotation_of(Animation& clip, const std::string& node) {
  return std::find_if(clip.rotations.begin(), clip.rotations.end(),
                      [&](const RotationTrack& track) { return track.node == node; });
}

/// Keys of some controls, moment by moment, that take the place of a clip's.
class Rewrite {
 public:
  Rewrite(std::span<const Control> controls, std::vector<double> times)
      : controls_(controls), times_(std::move(times)), values_(controls.size()), orientations_(controls.size()) {}

  const std::vector<double>& times() const { return times_; }
  void put(int control, double value) { values_[control].push_back(value); }
  /// Of the node with this qx.
  void put(int qx, const Quat& q) { orientations_[qx].push_back(q.normalized().coeffs()); }

  void apply(Animation& clip) {
    for (std::size_t i = 0; i < controls_.size(); ++i) {
      if (!values_[i].empty()) {
        Curve& curve = track_of(clip, controls_[i].name).curve;
        curve = {.before = curve.before, .after = curve.after, .times = times_, .values = std::move(values_[i])};
      }
      if (orientations_[i].empty()) continue;
      make_signs_continuous(orientations_[i]);
      RotationTrack made{.node = controls_[i].node, .times = times_, .values = std::move(orientations_[i])};
      if (const auto keyed = rotation_of(clip, made.node); keyed != clip.rotations.end())
        *keyed = std::move(made);
      else
        clip.rotations.push_back(std::move(made));
    }
  }

 private:
  std::span<const Control> controls_;
  std::vector<double> times_;
  std::vector<std::vector<double>> values_;      // per control
  std::vector<std::vector<Vec4>> orientations_;  // per qx
};

/// True for the rows that are axes of a turn.
std::vector<char> turning(const ControlDeviation& deviation, std::size_t rows) {
  std::vector<char> result(rows, 0);
  for (const Turn& turn : deviation.turns())
    for (const int row : turn.row)
      if (row >= 0) result[row] = 1;
  return result;
}

Vec3 picked(const Vec& change, const std::array<int, 3>& row) {
  Vec3 result = Vec3::Zero();
  for (int k = 0; k < 3; ++k)
    if (row[k] >= 0) result[k] = change[row[k]];
  return result;
}

}  // namespace

Animation scaled_modes(std::span<const Control> controls, const ControlModes& modes, const ModeSample& sample,
                       std::span<const double> factors) {
  Animation result = *sample.clip;
  Vec gain(modes.count());
  for (int k = 0; k < modes.count(); ++k) gain[k] = k < static_cast<int>(factors.size()) ? factors[k] - 1 : 0;
  if (gain.isZero(0)) return result;
  ControlDeviation deviation(controls, modes.controls, sample);
  const std::vector<char> turns = turning(deviation, modes.controls.size());
  Rewrite keys(controls, detail::common_times(controls, modes.controls, sample));
  Vec d;
  for (const double time : keys.times()) {
    deviation.sample(time, d);
    const Vec change = modes.expanded(gain.cwiseProduct(modes.reduced(d)));
    for (std::size_t i = 0; i < modes.controls.size(); ++i)
      if (!turns[i]) keys.put(modes.controls[i], deviation.clip()[modes.controls[i]] + change[i]);
    for (const Turn& turn : deviation.turns()) {
      const Vec3 r(deviation.clip()[turn.r[0]], deviation.clip()[turn.r[1]], deviation.clip()[turn.r[2]]);
      const Vec3 wanted = deviation.turned(turn) + picked(change, turn.row);
      if (rotation_of(result, controls[turn.q[0]].node) != result.rotations.end()) {
        // R exp(r) = R_base exp(wanted), with r as it was
        keys.put(turn.q[0],
                 detail::orientation(deviation.base(), turn.q) * Quat(rotation_exp(wanted)) * Quat(rotation_exp(-r)));
        continue;
      }
      const Quat own = detail::orientation(deviation.clip(), turn.q);
      const Quat base = detail::orientation(deviation.base(), turn.q);
      const Vec3 turned = own.coeffs() == base.coeffs()
                              ? wanted
                              : rotation_log((own.conjugate() * base).toRotationMatrix() * rotation_exp(wanted));
      for (int k = 0; k < 3; ++k) keys.put(turn.r[k], turned[k]);
    }
  }
  keys.apply(result);
  return result;
}

Animation moved_to_sliders(std::span<const Control> controls, const ControlModes& modes, const ModeSample& sample,
                           std::span<const Control> sliders) {
  Animation result = *sample.clip;
  ControlDeviation deviation(controls, modes.controls, sample);
  const std::vector<char> turns = turning(deviation, modes.controls.size());
  Rewrite keys(controls, detail::common_times(controls, modes.controls, sample));
  std::vector<Track> tracks;
  for (const Control& slider : sliders) tracks.push_back({.control = slider.name, .curve = {.times = keys.times()}});
  Vec d;
  for (const double time : keys.times()) {
    deviation.sample(time, d);
    const Vec r = modes.reduced(d), taken = modes.expanded(r);
    for (std::size_t k = 0; k < tracks.size(); ++k) tracks[k].curve.values.push_back(r[static_cast<Eigen::Index>(k)]);
    for (std::size_t i = 0; i < modes.controls.size(); ++i)
      if (!turns[i]) keys.put(modes.controls[i], deviation.clip()[modes.controls[i]] - taken[i]);
    // R_base exp((r_base + d - D U r) + D U r): the sliders add to rx ry rz, on top of the base's orientation.
    for (const Turn& turn : deviation.turns()) {
      const Vec3 left = deviation.turned(turn) - picked(taken, turn.row);
      for (int k = 0; k < 3; ++k) keys.put(turn.r[k], left[k]);
      if (rotation_of(result, controls[turn.q[0]].node) != result.rotations.end())
        keys.put(turn.q[0], detail::orientation(deviation.base(), turn.q));
    }
  }
  keys.apply(result);
  result.tracks.insert(result.tracks.end(), tracks.begin(), tracks.end());
  return result;
}

}  // namespace rigspace
