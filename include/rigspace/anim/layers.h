#pragma once
// Layers over a base animation: the artist's motion below, ours and corrections on top.

#include "rigspace/anim/animation.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

enum class Blend {
  absolute,  ///< replaces what is below:  p + w (layer - p);  orientations by slerp
  additive,  ///< adds to it:  p + w layer;  orientations  q * slerp(1, layer, w)
};

/// An additive layer holds differences, zero for no change, in every unit: a scale of 0.2 makes 1 into 1.2. On rx ry rz
/// of a node it adds to the rotation vector r of R = R_key exp(r), so influence scales r.
struct Layer {
  std::string name;
  Blend blend = Blend::additive;
  bool mute = false;
  double influence = 1;       ///< 0..1
  Curve influence_over_time;  ///< empty, or a factor of `influence` over seconds; the product is cut to 0..1
  Animation animation;

  void validate() const;
};

/// A base and its layers, bottom to top, bound to a rig's controls; copies what it needs. A muted layer, or one without
/// influence, changes nothing: the base's values, to the bit.
class LayerStack {
 public:
  /// Throws Error if a layer or a curve is not valid.
  LayerStack(const Animation& base, std::span<const Layer> layers, std::span<const Control> controls);

  /// Overwrites the entries of p that the base or a layer, muted or not, animates; leaves the others alone. A control
  /// that only layers animate starts from its rest value. Never allocates; may be called from several threads.
  void sample(double time, Vec& p) const;

  int layer_count() const { return static_cast<int>(layers_.size()); }
  void set_mute(int layer, bool mute) { layers_[layer].mute = mute; }
  void set_influence(int layer, double influence);  ///< 0..1
  /// What sample gives a layer at a time, 0..1.
  double influence_at(int layer, double time) const;

  std::span<const int> animated() const { return animated_; }  ///< by base or layers, ascending
  std::span<const Control> controls() const { return controls_; }
  /// Controls that tracks name and the rig lacks: the base's, then those of the layers.
  std::span<const std::string> unbound() const { return unbound_; }

 private:
  struct BoundLayer {
    Blend blend;
    bool mute;
    double influence;
    bool has_curve;
    CompiledCurve influence_over_time;
    Sampler sampler;
  };
  struct Rest {
    int control;
    double value;
  };

  std::vector<Control> controls_;
  Sampler base_;
  std::vector<BoundLayer> layers_;
  std::vector<Rest> rest_;  // of what only layers animate
  std::vector<int> animated_;
  std::vector<std::string> unbound_;
};

}  // namespace rigspace
