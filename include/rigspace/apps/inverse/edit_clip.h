#pragma once
// Motion editing in the space of the rig's controls (IRM 6.2): layers of other clips, and warps of time and values.

#include "rigspace/anim/character.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// What a clip of the rig does from its own first frame on, to be added to another.
struct ClipLayer {
  Animation clip;
  double influence = 1;  ///< 0..1
};

/// The base with layers on top, baked at these times: controls get what the layer changes since its first frame,
/// orientations its turn since then, in the node's own axes; a layer that is over stays as it ended. Throws Error for
/// an influence outside 0..1, and for a layer that moves no control of the rig.
Animation with_layers(const Character& own, const Animation& base, std::span<const ClipLayer> layers,
                      std::span<const double> times);

/// Motion warping after Witkin and Popovic (1995):  p(t) = p_source(g(t)) + b(t).
struct ClipWarp {
  struct Time {
    double source = 0, warped = 0;  ///< seconds: what is seen at `source` comes at `warped`
  };
  struct Value {
    std::string control;
    double time = 0;   ///< seconds, after the times were warped
    double value = 0;  ///< that the control has then; angles in radians
  };
  std::vector<Time> times;
  std::vector<Value> values;
};

/// "0.5=0.8": a time; "chest.rx@0.8=20": a value, in degrees for angles. Throws Error for words that are neither, and
/// for controls that the rig lacks.
ClipWarp read_warp(std::span<const std::string> words, std::span<const Control> controls);

/// Linear keys at `rate`, 1/s. g is monotone and smooth through the times, at its ends as fast as the source. b is
/// smooth through what the values lack, without overshoot, and nothing at the beginning and the end unless a value is
/// given there. Of a node that turns by quaternions a value of rx, ry or rz is a turn on top of what it does. Throws
/// Error for times that do not ascend, or values outside the clip.
Animation warped(const Character& own, const Animation& clip, const ClipWarp& warp, double rate);

}  // namespace rigspace
