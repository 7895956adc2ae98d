#pragma once
// Skinning for the screen: single precision, at most four influences, as fast as one core can.

#include <cstdint>
#include <span>
#include <vector>

#include "rigspace/rig/deformer.h"

namespace rigspace {

/// One joint's C as four columns of four floats, the last row ignored.
struct alignas(32) DisplayTransform {
  float columns[4][4];
};

/// Not for simulation: positions are floats, and influences beyond four are dropped, the rest renormalised. Vertices
/// with fewer than four are padded with weight zero.
class DisplaySkin {
 public:
  /// `points_rest` flattened, one per influence list of the skin.
  DisplaySkin(In points_rest, const SkinDescription& skin);

  int point_count() const { return static_cast<int>(rest_.size() / 4); }
  int joint_count() const { return joints_; }

  /// s (3 floats a point) from the joints' C = world * inverse_bind. Never allocates.
  void deform(std::span<const DisplayTransform> joints, std::span<float> s) const;

 private:
  void deform_range(const DisplayTransform* joints, float* s, int begin, int end) const;

  int joints_;
  std::vector<float> rest_;             // x y z and padding, so that a vertex is one load
  std::vector<float> weights_;          // four a point
  std::vector<std::uint32_t> offsets_;  // four a point: of the joint's transform, in bytes
};

DisplayTransform display_transform(const Affine& C);

}  // namespace rigspace
