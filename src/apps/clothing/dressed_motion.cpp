// A dressed character over its clips.
#include "frame_file.h"
#include "played_rig.h"
#include "rigspace/anim/clip_play.h"
#include "rigspace/apps/clothing/dressed_character.h"
#include "rigspace/base/affine.h"
#include "rigspace/base/bytes.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

/// Where a bone has carried things since rest, over a clip.
class CarriedByBone {
 public:
  CarriedByBone(const Character& character, int bone, const Animation* clip, double from, double lead)
      : played_(character, clip, from, lead),
        rig_(dynamic_cast<const BuiltInRig&>(*character.rig)),
        slot_(character.bones[static_cast<std::size_t>(bone)].slot) {
    from_rest_ = inverse(world(rig_.rest()));
  }
  const Affine& at(double time) {
    if (time != time_) now_ = compose(world(played_.controls(time)), from_rest_), time_ = time;
    return now_;
  }

 private:
  Affine world(In p) {
    rig_.evaluate_slots(played_.workspace(), p, u_);
    return transform_at(u_, rig_.graph().slots()[static_cast<std::size_t>(slot_)]);
  }
  PlayedRig played_;
  const BuiltInRig& rig_;
  int slot_;
  Affine from_rest_ = identity_affine(), now_ = identity_affine();
  double time_ = std::numeric_limits<double>::quiet_NaN();
  Vec u_;
};

}  // namespace

Garment DressedCharacter::garment(const Animation* clip, double from) const {
  Garment worn = garment_;
  if (!sheet_) return worn;
  const auto bone = std::make_shared<CarriedByBone>(character_, sheet_->bone, clip, from, options_.lead);
  for (ClothPin& pin : worn.pins) {
    if (pin.triangle >= 0) continue;
    const Vec3 place = point(worn.mesh.points, pin.point) / unit_;
    pin.position = [bone, place, unit = unit_](double time) -> Vec3 { return unit * apply(bone->at(time), place); };
  }
  return worn;
}

ClothMotion DressedCharacter::simulate(const Animation* clip, const ClothClip& times, const ProgressCallback& progress,
                                       std::shared_ptr<const PoseSpaceDatabase> database,
                                       const SubspaceOptions& subspace) const {
  std::shared_ptr<ClothReduction> reduced;
  if (database) {
    reduced = std::make_shared<ClothReduction>(reduction(clip, times.start));
    reduced->database = std::move(database), reduced->options = subspace;
  }
  const double lead = clip != nullptr ? options_.lead : 0;
  const double share = lead / std::max(1e-9, lead + times.end - times.start);
  Garment worn = garment(clip, times.start);
  const ClothBody moving = body(clip, times.start);
  ClothMotion motion;
  double time = times.start - lead;
  Vec x = worn.mesh.points, v = Vec::Zero(x.size());
  std::optional<FrameFile> kept;
  if (!options_.keep.empty()) {
    std::filesystem::create_directories(options_.keep);
    const std::string key = frames_key(clip, times, moving, reduced != nullptr);
    kept.emplace(options_.keep / (key + ".frames"), key, x.size());
    for (int k = 0; k < kept->frames(); ++k) {
      kept->read(k, time, x, v);
      motion.times.push_back(time), motion.frames.push_back(x);
    }
  }
  worn.mesh.points = x;
  ClothOptions options = options_.cloth;
  options.start_crossing = options.start_crossing || !motion.frames.empty();  // what was caught stays caught
  ClothSimulation simulation(worn, moving, options, time, reduced);
  simulation.restart(x, v);
  if (motion.frames.empty()) {
    if (lead > 0) simulation.advance(times.start, part_of_progress(progress, 0, share, "dressing"));
    motion.times.push_back(times.start), motion.frames.push_back(simulation.points());
    if (kept) kept->append(times.start, simulation.points(), simulation.velocities());
  }
  const int frames = static_cast<int>(std::ceil((times.end - times.start) * times.rate - 1e-9));
  for (int k = static_cast<int>(motion.frames.size()); k <= frames; ++k) {
    time = times.start + k / times.rate;
    simulation.advance(time, part_of_progress(progress, share + (1 - share) * (k - 1) / frames,
                                              share + (1 - share) * k / frames, "simulating cloth"));
    motion.times.push_back(time);
    motion.frames.push_back(simulation.points());
    if (kept) kept->append(time, simulation.points(), simulation.velocities());
  }
  motion.report = simulation.report();
  return motion;
}

// All that the frames of a clip depend on.
std::string DressedCharacter::frames_key(const Animation* clip, const ClothClip& times, const ClothBody& moving,
                                         bool reduced) const {
  ByteWriter bytes;
  const ClothOptions& c = options_.cloth;
  for (const std::string& each : {garment_hash(), clip != nullptr ? clip->name : std::string()})
    bytes.raw(std::as_bytes(std::span(each)));
  for (const double each : {times.start, times.rate, options_.lead, c.step, c.tolerance, c.body_motion, c.air_density,
                            c.pin_stiffness, c.contact.distance, c.contact.friction, double(c.contact.self),
                            double(c.contact_method), double(reduced), double(garment_.pins.size())})
    bytes.number(each);
  bytes.values(c.wind), bytes.values(c.gravity);
  bytes.values(moving.mesh.points);
  Vec x;
  if (moving.points)
    for (const double share : {0.0, 0.3, 0.6, 1.0}) {
      moving.points(times.start + share * (times.end - times.start), x);
      bytes.values(x);
    }
  return content_hash(bytes.bytes());
}

ClothMotion DressedCharacter::play(const Animation& clip, double rate, const ProgressCallback& progress,
                                   std::shared_ptr<const PoseSpaceDatabase> database,
                                   const SubspaceOptions& subspace) const {
  constexpr double kSettles = 1.5;  // s
  const ClothClip whole{.start = 0, .end = clip.duration, .rate = rate};
  const ClipPlay played = decide_play(character_, clip);
  if (!played.loops || !(played.period > 0)) return simulate(&clip, whole, progress, std::move(database), subspace);
  const double period = played.period;
  const int n = std::max(2, static_cast<int>(std::lround(period * rate)));
  const int turns = std::max(1, static_cast<int>(std::ceil(kSettles / period)));
  ClothMotion all = simulate(&clip, {.start = 0, .end = (turns + 1) * period, .rate = n / period}, progress,
                             std::move(database), subspace);
  // By how much a turn carries the body on.
  const ClothBody moving = body(&clip, 0);
  Vec first, next;
  moving.points(0, first), moving.points(period, next);
  Vec3 travel = Vec3::Zero();
  for (int i = 0; i < first.size() / 3; ++i) travel += 3 * (point(next, i) - point(first, i)) / double(first.size());
  ClothMotion motion{.report = all.report};
  const int bent = std::max(1, n / 4);
  for (int k = 0; k <= n; ++k) {
    const double t = std::max(0.0, (k - n + bent) / double(bent)), s = t * t * (3 - 2 * t);
    const Vec &last = all.frames[static_cast<std::size_t>(turns * n + k)],
              &before = all.frames[static_cast<std::size_t>((turns - 1) * n + k)];
    Vec x(last.size());
    for (int i = 0; i < x.size() / 3; ++i)
      point(x, i) = (1 - s) * (point(last, i) - turns * travel) + s * (point(before, i) - (turns - 1) * travel);
    motion.times.push_back(k * period / n);
    motion.frames.push_back(std::move(x));
  }
  return motion;
}

}  // namespace rigspace
