#include "control_deviation.h"

#include "binding.h"
#include "rigspace/anim/key_fitting.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <map>
#include <set>

namespace rigspace::detail {
namespace {

const Animation& or_nothing(const Animation* clip) {
  static const Animation nothing;
  return clip != nullptr ? *clip : nothing;
}

std::vector<Turn> turns_of(std::span<const Control> controls, std::span<const int> chosen) {
  const ControlIndex index(controls);
  std::vector<Turn> turns;
  std::set<std::string> done;
  for (const int control : chosen) {
    const std::string& node = controls[control].node;
    if (controls[control].unit != Unit::angle || done.contains(node)) continue;
    const auto q = index.find_quaternion(node);
    Turn turn{.q = q.value_or(std::array<int, 4>{}), .r = {}, .row = {-1, -1, -1}};
    bool whole = q.has_value();
    for (int k = 0; k < 3; ++k) {
      constexpr const char* kChannels[] = {".rx", ".ry", ".rz"};
      turn.r[k] = index.find(node + kChannels[k]);
      whole = whole && turn.r[k] >= 0;
      const auto row = std::find(chosen.begin(), chosen.end(), turn.r[k]);
      if (row != chosen.end()) turn.row[k] = static_cast<int>(row - chosen.begin());
    }
    if (!whole) continue;  // Euler angles, or an angle of its own: numbers like any other
    done.insert(node);
    turns.push_back(turn);
  }
  return turns;
}

Vec3 turn_vector(const Vec& p, const std::array<int, 3>& r) { return {p[r[0]], p[r[1]], p[r[2]]}; }

}  // namespace

Quat orientation(const Vec& p, const std::array<int, 4>& q) {
  return Quat(p[q[3]], p[q[0]], p[q[1]], p[q[2]]).normalized();
}

ControlDeviation::ControlDeviation(std::span<const Control> controls, std::span<const int> chosen,
                                   const ModeSample& sample)
    : chosen_(chosen.begin(), chosen.end()),
      turns_(turns_of(controls, chosen)),
      clip_sampler_(or_nothing(sample.clip), controls),
      base_sampler_(or_nothing(sample.base), controls) {
  clip_p_.resize(static_cast<Eigen::Index>(controls.size()));
  for (std::size_t i = 0; i < controls.size(); ++i) clip_p_[static_cast<Eigen::Index>(i)] = controls[i].rest;
  base_p_ = clip_p_;
}

Vec3 ControlDeviation::turned(const Turn& turn) const {
  const Vec3 r = turn_vector(clip_p_, turn.r);
  const Quat from = orientation(base_p_, turn.q), to = orientation(clip_p_, turn.q);
  if (from.coeffs() == to.coeffs()) return r;  // to the bit, and beyond half a turn
  // R_base exp(x) = R_clip exp(r)
  return rotation_log((from.conjugate() * to).toRotationMatrix() * rotation_exp(r));
}

void ControlDeviation::sample(double time, Vec& d) {
  clip_sampler_.sample(time, clip_p_);
  base_sampler_.sample(time, base_p_);
  d.resize(static_cast<Eigen::Index>(chosen_.size()));
  for (std::size_t i = 0; i < chosen_.size(); ++i)
    d[static_cast<Eigen::Index>(i)] = clip_p_[chosen_[i]] - base_p_[chosen_[i]];
  for (const Turn& turn : turns_) {
    const Vec3 difference = turned(turn) - turn_vector(base_p_, turn.r);
    for (int k = 0; k < 3; ++k)
      if (turn.row[k] >= 0) d[turn.row[k]] = difference[k];
  }
}

std::vector<double> common_times(std::span<const Control> controls, std::span<const int> chosen,
                                 const ModeSample& sample) {
  const double end = sample.clip->duration;
  std::vector<double> times{0, end};
  bool curved = false;
  std::set<std::string_view> names, nodes;
  for (const int control : chosen) {
    names.insert(controls[control].name);
    if (controls[control].unit == Unit::angle) nodes.insert(controls[control].node);
  }
  const auto include = [&](const std::vector<double>& keys) {
    for (const double time : keys)
      if (time > 0 && time < end) times.push_back(time);
  };
  for (const Animation* clip : {sample.clip, sample.base}) {
    if (clip == nullptr) continue;
    for (const Track& track : clip->tracks) {
      if (!names.contains(track.control)) continue;
      curved = curved || (track.curve.interpolation != Interpolation::linear && track.curve.times.size() > 1);
      include(track.curve.times);
    }
    for (const RotationTrack& track : clip->rotations) {
      if (!nodes.contains(track.node)) continue;
      curved = true;
      include(track.times);
    }
  }
  if (curved) include(source_frames(*sample.clip));
  std::sort(times.begin(), times.end());
  // Keys of different files that mean the same frame.
  constexpr double kSame = 1e-7;
  times.erase(std::unique(times.begin(), times.end(), [](double a, double b) { return b - a < kSame; }), times.end());
  if (times.size() > 1) times.back() = end;
  return times;
}

}  // namespace rigspace::detail
