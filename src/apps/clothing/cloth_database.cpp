// From clips over which a garment was simulated with all points, what it did by pose.
#include "rigspace/apps/clothing/dressed_character.h"

#include <algorithm>

namespace rigspace {

PoseSpaceDatabase make_cloth_database(const DressedCharacter& dressed, std::span<const TrainedClip> clips,
                                      const TrainClothOptions& options, const ProgressCallback& progress) {
  const Eigen::Index size = dressed.garment().mesh.points.size();
  struct Frame {
    std::size_t clip;
    int frame;
  };
  std::vector<Frame> frames;
  std::vector<ClothReduction> reductions;
  for (std::size_t c = 0; c < clips.size(); ++c) {
    for (int k = 0; k < clips[c].frames; k += std::max(1, options.every)) frames.push_back({c, k});
    reductions.push_back(dressed.reduction(clips[c].clip, 0));
  }
  KinematicReference reference = reductions.front().reference;
  std::vector<Affine> C;
  Vec x;
  const auto shape_of = [&](const Frame& frame, Vec& shape) {
    const ClothReduction& r = reductions[frame.clip];
    r.joints(clips[frame.clip].read(frame.frame, x), C);
    remove_root_motion(r.root, C);
    reference.set_pose(C);
    reference.transform(reference.rest(), shape);
  };
  // Some hundred poses tell how they differ.
  const std::size_t stride = frames.size() / 400 + 1;
  Mat S(size, static_cast<Eigen::Index>((frames.size() + stride - 1) / stride));
  Vec shape;
  for (std::size_t k = 0; k < frames.size(); k += stride) {
    shape_of(frames[k], shape);
    S.col(static_cast<Eigen::Index>(k / stride)) = shape;
  }
  PoseParameters parameters(S);
  Mat places(parameters.dimensions(), std::ssize(frames));
  for (std::size_t k = 0; k < frames.size(); ++k) {
    shape_of(frames[k], shape);
    places.col(static_cast<Eigen::Index>(k)) = parameters.position(shape);
  }
  const auto displacement = [&](int k, Vec& u) {
    const Frame& frame = frames[static_cast<std::size_t>(k)];
    reductions[frame.clip].joints(clips[frame.clip].read(frame.frame, x), C);
    reference.set_pose(C);
    reference.untransform(x, u);
    u -= reference.rest();
  };
  return PoseSpaceDatabase(std::move(parameters), places, displacement, dressed.garment_hash(), options.database,
                           progress);
}

}  // namespace rigspace
