#pragma once
// The deviation of a clip from another one, on some controls.

#include "rigspace/anim/control_modes.h"

#include <array>
#include <vector>

namespace rigspace::detail {

/// rx ry rz of a node with a keyed orientation, of which at least one is among the controls.
struct Turn {
  std::array<int, 4> q;    ///< controls
  std::array<int, 3> r;    ///< controls
  std::array<int, 3> row;  ///< among the chosen; -1: not chosen
};

/// A moment of a clip and of its base, bound to a rig's controls.
class ControlDeviation {
 public:
  ControlDeviation(std::span<const Control> controls, std::span<const int> chosen, const ModeSample& sample);

  /// d with p = p_base + d for the chosen controls; see find_modes for orientations.
  void sample(double time, Vec& d);

  /// Of the last sample: all controls.
  const Vec& clip() const { return clip_p_; }
  const Vec& base() const { return base_p_; }
  std::span<const Turn> turns() const { return turns_; }
  /// r_base + r of a turn, all three whether chosen or not: R = R_base exp(this).
  Vec3 turned(const Turn& turn) const;

 private:
  std::vector<int> chosen_;
  std::vector<Turn> turns_;
  Sampler clip_sampler_, base_sampler_;
  Vec clip_p_, base_p_;
};

/// The orientation of four controls x y z w, of unit length.
Quat orientation(const Vec& p, const std::array<int, 4>& q);

/// Times at which keys hold a sum of the tracks of these controls, of the clip and its base: all their keys, and the
/// clip's frames where one of them is no straight line. Ascending, from 0 to the clip's duration.
std::vector<double> common_times(std::span<const Control> controls, std::span<const int> chosen,
                                 const ModeSample& sample);

}  // namespace rigspace::detail
