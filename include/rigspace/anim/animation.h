#pragma once
// A clip: curves on controls, by name.

#include "rigspace/anim/curve.h"
#include "rigspace/base/types.h"
#include "rigspace/rig/control.h"

#include <span>
#include <string>
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
  Interpolation interpolation = Interpolation::linear;   ///< step, linear or hermite
  std::vector<double> times;                             ///< seconds, strictly increasing
  std::vector<Vec4> values;                              ///< x y z w
  std::vector<Vec4> in_tangents, out_tangents;           ///< hermite only, per second

  Vec4 operator()(double time) const;                    ///< unit length; ends held
};

struct Animation {
  std::string name;
  double duration = 0;  ///< seconds; the last key of all tracks
  std::vector<Track> tracks;
  std::vector<RotationTrack> rotations;
};

/// An animation bound to a rig's controls. Tracks whose control the rig lacks are listed in `unbound`.
class Sampler {
 public:
  Sampler(const Animation& animation, std::span<const Control> controls);   // keeps a reference to the animation

  /// Overwrites the animated entries of p with the values at `time`; leaves the others alone.
  void sample(double time, Vec& p) const;

  std::span<const int> animated() const { return animated_; }
  std::span<const std::string> unbound() const { return unbound_; }

 private:
  struct Bound { int track, control; };
  const Animation* animation_;
  std::vector<Bound> scalars_;
  std::vector<Bound> rotations_;   // control: that of qx; qy, qz, qw follow it
  std::vector<int> animated_;
  std::vector<std::string> unbound_;
};

}  // namespace rigspace
