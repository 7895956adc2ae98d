#pragma once
// Few controls that stand for many: the principal components of what controls do in clips (RSP 6, "Physics-Based
// High-Level Rig Parameters"). The clips may be simulated, or an artist's.
//
//   p = p_base + D U r
//
// D makes controls of different units comparable: a unit of D^-1 p_i moves the surface by one scene unit (root mean
// square over what the controls move). U holds the left singular vectors of the samples D^-1 (p - p_base), strongest
// first, so r = U^T D^-1 (p - p_base), in scene units too (docs/corrections.md, "principal modes").

#include "rigspace/anim/character.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

/// A clip, and the one that its values are counted from: of a simulated clip the artist's, so that only what physics
/// added counts. Neither is copied.
struct ModeSample {
  const Animation* clip = nullptr;
  const Animation* base = nullptr;  ///< none: the rest pose
};

/// Statistics of one mode over the samples.
struct ControlMode {
  double share = 0;         ///< of the sum of squares of all samples
  double min = 0, max = 0;  ///< limits for r: its range in the samples with rest, widened; min <= 0 <= max
  double rms = 0;           ///< of r over the samples
};

struct ControlModes {
  std::vector<int> controls;       ///< of the rig, ascending: those that the samples move
  Vec scale;                       ///< the diagonal of D, in each control's unit per scene unit; positive
  Mat U;                           ///< controls x modes, orthonormal; the largest entry of each column is positive
  std::vector<ControlMode> modes;  ///< strongest first

  int count() const { return static_cast<int>(modes.size()); }
  /// Of all that the samples do, the share that the modes can.
  double share() const;
  /// r = U^T D^-1 d: the modes nearest to a deviation of `controls`.
  Vec reduced(In deviation) const;
  /// d = D U r.
  Vec expanded(In r) const;
};

struct ModeOptions {
  int count = 6;       ///< modes at most; fewer where the samples have no more
  double rate = 60;    ///< samples a second of each clip
  double widen = 0.2;  ///< limits beyond the samples, of their range, at either end
  Vec point_weights;   ///< of the surface's points in D, areas for one; empty: all alike

  void validate() const;
};

/// Orientations count as rotation vectors: of a node with rx ry rz and a keyed orientation, what differs is r in
/// R = R_base exp(r_base + r), wherever the clip keyed it. `controls` ascending. Throws Error if the samples move none
/// of them.
ControlModes find_modes(const Rig& rig, std::span<const int> controls, std::span<const ModeSample> samples,
                        const ModeOptions& options = {});
/// The same with the areas of the drawn surface for weights, unless the options give others.
ControlModes find_modes(const Character& character, std::span<const int> controls, std::span<const ModeSample> samples,
                        ModeOptions options = {});

/// Controls that match, or whose node or group does, ascending; no components of quaternions. Throws Error naming a
/// pattern that meets nothing.
std::vector<int> controls_matching(std::span<const Control> controls, std::span<const std::string> patterns);

/// How a mode is written down: a slider `<name>_1`, `<name>_2` .. each.
struct SliderOptions {
  std::string name = "mode";
  std::string group = "modes";  ///< for lists and pickers
};

/// The modes as controls, resting at 0, with the limits of the samples.
std::vector<Control> mode_controls(const ControlModes& modes, const SliderOptions& options = {});

/// The clip with mode k (of the deviation from the base) times factors[k], all else as it was: p + D U (f - 1) r. What
/// is changed gets linear keys at the times of its own and the base's keys, exact where these are linear; with factors
/// of 1, and where the modes move nothing, the tracks come back as they are.
Animation scaled_modes(std::span<const Control> controls, const ControlModes& modes, const ModeSample& sample,
                       std::span<const double> factors);

/// The same motion on a rig that has the sliders: tracks of `sliders`, one per mode, hold r, and the controls keep what
/// no mode does on top of the base: nothing of it is lost, and few curves hold most. Keys as in scaled_modes.
Animation moved_to_sliders(std::span<const Control> controls, const ControlModes& modes, const ModeSample& sample,
                           std::span<const Control> sliders);

}  // namespace rigspace
