#pragma once
// A clip: curves on controls, by name.

#include "rigspace/anim/compiled_curve.h"
#include "rigspace/anim/curve.h"
#include "rigspace/base/types.h"
#include "rigspace/rig/control.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

struct Track {
  std::string control;
  Curve curve;
};

/// An orientation over time, on the four quaternion controls `<node>.qx|qy|qz|qw`. Linear means slerp along the
/// shorter arc; cubic interpolates components and normalises (glTF's rules).
struct RotationTrack {
  std::string node;
  Interpolation interpolation = Interpolation::linear;  ///< step, linear or hermite
  std::vector<double> times;                            ///< seconds, strictly increasing
  std::vector<Vec4> values;                             ///< x y z w, of any length but zero
  std::vector<Vec4> in_tangents, out_tangents;          ///< hermite only, per second

  Vec4 operator()(double time) const;  ///< unit length; ends held; never allocates; no keys: the identity

  /// Throws Error if times do not increase, sizes differ, anything is not finite, a quaternion is zero or the
  /// interpolation is none of the three.
  void validate(std::string_view what) const;
};

struct Animation {
  std::string name;
  double duration = 0;  ///< seconds; the last key of all tracks
  std::vector<Track> tracks;
  std::vector<RotationTrack> rotations;
};

/// The time of the last key of all tracks, in seconds; 0 without keys.
double last_key_time(const Animation& animation);

/// Turns from a to b at constant speed along the shorter arc as u goes from 0 to 1. Quaternions x y z w of any length
/// but zero; the result has unit length.
Vec4 slerp(const Vec4& a, const Vec4& b, double u);

/// An animation bound to a rig's controls; copies what it needs of both. Tracks whose control the rig lacks are listed
/// in `unbound`. Where two tracks move one control, the later one wins; rotations come after scalars.
class Sampler {
 public:
  struct Scalar {
    int control;
    CompiledCurve curve;
  };
  struct Rotation {
    std::array<int, 4> controls;  ///< of qx qy qz qw
    RotationTrack track;
  };

  /// Throws Error, naming the track, if a curve is not valid.
  Sampler(const Animation& animation, std::span<const Control> controls);

  /// Overwrites the animated entries of p with the values at `time`, in seconds; leaves the others alone. Never
  /// allocates; may be called from several threads.
  void sample(double time, Vec& p) const;

  std::span<const int> animated() const { return animated_; }  ///< controls, ascending
  std::span<const std::string> unbound() const { return unbound_; }

  /// The bound tracks one by one, for blending.
  std::span<const Scalar> scalars() const { return scalars_; }
  std::span<const Rotation> rotations() const { return rotations_; }

 private:
  std::vector<Scalar> scalars_;
  std::vector<Rotation> rotations_;
  std::vector<int> animated_;
  std::vector<std::string> unbound_;
};

}  // namespace rigspace
