// Training runs: long, so that every frame is kept as soon as it is done.
#include "frame_file.h"
#include "rigspace/apps/clothing/dressed_character.h"
#include "rigspace/base/bytes.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <deque>

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
    ClothOptions present = options;
    present.start_crossing = options.start_crossing || k > 0;  // where the body has caught cloth, it stays caught
    ClothSimulation simulation(garment, body, present, time);
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
  std::deque<FrameFile> files;
  std::vector<TrainedClip> trained;
  double whole = 0, done = 0;
  for (const Animation* clip : clips) whole += clip->duration + dressed.options().lead;
  for (const Animation* clip : clips) {
    ByteWriter what;
    what.raw(std::as_bytes(std::span(garment)));
    what.raw(std::as_bytes(std::span(clip->name)));
    for (const double each :
         {options.fps, clip->duration, dressed.options().lead, dressed.options().cloth.step,
          dressed.options().cloth.contact.distance, dressed.options().cloth.contact.friction,
          dressed.options().cloth.tolerance, static_cast<double>(dressed.options().cloth.contact_method)})
      what.number(each);
    const std::string key = content_hash(what.bytes());
    files.emplace_back(folder / (key + ".frames"), key, size);
    const double next = done + (clip->duration + dressed.options().lead) / whole;
    simulate_frames(dressed, *clip, options.fps, dressed.options().lead, files.back(), dressed.options().cloth,
                    part_of_progress(progress, 0.98 * done, 0.98 * next, "training on " + clip->name));
    done = next;
    trained.push_back({clip, files.back().frames(), [&file = files.back()](int frame, Vec& x) {
                         double time = 0;
                         Vec v;
                         file.read(frame, time, x, v);
                         return time;
                       }});
  }
  return make_cloth_database(dressed, trained, options, part_of_progress(progress, 0.98, 1));
}

}  // namespace rigspace
