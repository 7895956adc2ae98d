// Training runs: long, so that every frame is kept as soon as it is done.
#include "frame_file.h"
#include "rigspace/apps/clothing/dressed_character.h"
#include "rigspace/base/bytes.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// All frames of one clip, simulated from where the file ends. Each starts from the points and velocities that were
/// kept and from nothing else, so that it does not matter whether a run was stopped there.
void simulate_frames(const DressedCharacter& dressed, const Animation& clip, double fps, double lead, FrameFile& file,
                     const ClothOptions& options, const ProgressCallback& progress) {
  const int frames = 1 + static_cast<int>(std::ceil(clip.duration * fps - 1e-9));
  Garment garment = dressed.garment(&clip, 0);
  const ClothBody body = dressed.body(&clip, 0);
  double time = -lead;
  Vec x = garment.mesh.points, v = Vec::Zero(x.size());
  if (file.frames() > 0) file.read(file.frames() - 1, time, x, v);
  while (file.frames() < frames) {
    const int k = file.frames();
    garment.mesh.points = x;
    ClothSimulation simulation(garment, body, options, time);
    simulation.restart(x, v);
    time = k / fps;
    simulation.advance(time, part_of_progress(progress, double(k) / frames, double(k + 1) / frames, "training"));
    x = simulation.points(), v = simulation.velocities();
    file.append(time, x, v);
  }
}

}  // namespace

PoseSpaceDatabase train_cloth(const DressedCharacter& dressed, const std::vector<const Animation*>& clips,
                              const std::filesystem::path& folder, const TrainClothOptions& options,
                              const ProgressCallback& progress) {
  if (clips.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "training",
                 .problem = "needs at least one clip",
                 .remedy = "name clips of the character"});
  std::filesystem::create_directories(folder);
  const std::string garment = dressed.garment_hash();
  const Eigen::Index size = dressed.garment().mesh.points.size();
  struct Frame {
    std::size_t file;
    int frame;
  };
  std::vector<FrameFile> files;
  std::vector<Frame> frames;
  std::vector<Vec> shapes;
  double whole = 0, done = 0;
  for (const Animation* clip : clips) whole += clip->duration + dressed.options().lead;
  for (const Animation* clip : clips) {
    ByteWriter what;
    what.raw(std::as_bytes(std::span(garment)));
    what.raw(std::as_bytes(std::span(clip->name)));
    for (const double each : {options.fps, clip->duration, dressed.options().lead, dressed.options().cloth.step,
                              dressed.options().cloth.contact.distance, dressed.options().cloth.contact.friction,
                              dressed.options().cloth.tolerance})
      what.number(each);
    const std::string key = content_hash(what.bytes());
    files.emplace_back(folder / (key + ".frames"), key, size);
    const double next = done + (clip->duration + dressed.options().lead) / whole;
    simulate_frames(dressed, *clip, options.fps, dressed.options().lead, files.back(), dressed.options().cloth,
                    part_of_progress(progress, 0.98 * done, 0.98 * next, "training on " + clip->name));
    done = next;
    for (int k = 0; k < files.back().frames(); k += std::max(1, options.every)) frames.push_back({files.size() - 1, k});
  }
  // Where each frame lies among the poses.
  std::vector<ClothReduction> reductions;
  for (const Animation* clip : clips) reductions.push_back(dressed.reduction(clip, 0));
  KinematicReference reference = reductions.front().reference;
  std::vector<Affine> C;
  const auto shape_of = [&](const Frame& frame, Vec& shape) {
    const ClothReduction& r = reductions[frame.file];
    r.joints(frame.frame / options.fps, C);
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
    double time = 0;
    Vec x, v;
    files[frame.file].read(frame.frame, time, x, v);
    reductions[frame.file].joints(time, C);
    reference.set_pose(C);
    reference.untransform(x, u);
    u -= reference.rest();
  };
  return PoseSpaceDatabase(std::move(parameters), places, displacement, garment, options.database,
                           part_of_progress(progress, 0.98, 1));
}

}  // namespace rigspace
