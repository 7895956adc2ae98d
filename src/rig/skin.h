#pragma once
// What linear and dual quaternion skinning and clusters share: joints, weights, and how they are restricted to a few
// points.

#include "rigspace/rig/deformer.h"

#include <optional>
#include <utility>

namespace rigspace {

class Skin : public Deformer {
 public:
  explicit Skin(const SkinDescription&);
  /// With the joints of these points alone.
  Skin(const Skin& whole, const Selection& selection, int new_first);

  void describe(const SkinDescription& skin) { description_ = skin; }
  const SkinDescription* description() const { return description_ ? &*description_ : nullptr; }

  // What restricted skins have too: per joint and per entry (Deformer::entry_slot).
  std::span<const Affine> inverse_binds() const { return inverse_bind_; }
  std::span<const double> weights() const { return weights_; }

 protected:
  int joint_count() const { return static_cast<int>(inverse_bind_.size()); }
  int joint(int entry) const { return entry_slot_[entry]; }  // the deformer's slots are the joints, in order

  std::vector<Affine> inverse_bind_;
  std::vector<double> weights_;  // one per entry

 private:
  Skin(const Skin& whole, const Selection& selection, int new_first, const std::vector<int>& joints);

  std::optional<SkinDescription> description_;
};

}  // namespace rigspace
