#include "rigspace/apps/forces/force_motion.h"

#include "rigspace/anim/animation.h"
#include "rigspace/anim/bake.h"
#include "rigspace/base/error.h"
#include "rigspace/io/gltf.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kApproach = 24;  // poses from rest to a clip's start

using GltfJson = nlohmann::ordered_json;

/// Nodes lose their meshes, and animations what turned the meshes' morph weights.
void remove_meshes(GltfFile& file) {
  GltfJson nodes = GltfJson::parse(file.json("/nodes"));
  for (GltfJson& node : nodes) node.erase("mesh"), node.erase("skin"), node.erase("weights");
  file.set_json("/nodes", nodes.dump());
  GltfJson whole = GltfJson::parse(file.json(""));
  if (!whole.contains("animations")) return;
  GltfJson animations = whole["animations"];
  for (GltfJson& animation : animations)
    animation["channels"].erase(
        std::remove_if(animation["channels"].begin(), animation["channels"].end(),
                       [](const GltfJson& channel) { return channel["target"]["path"] == "weights"; }),
        animation["channels"].end());
  file.set_json("/animations", animations.dump());
}

/// A piece on the character's joints; influences by bones of the character.
WornPiece worn(const Character& character, const ForceRig& rig, const Piece& piece) {
  WornPiece made{.look = piece};
  made.look.name = piece.name + "_shaped";
  made.look.first_point = 0;
  for (auto& t : made.look.triangles)
    for (int& v : t) v -= piece.first_point;
  const ForceBody& body = rig.body();
  made.rest = body.points_rest.segment(3 * piece.first_point, 3 * piece.point_count);
  std::vector<int> bone_of;
  for (const int slot : body.skeleton.slots) {
    const auto bone = std::find_if(character.bones.begin(), character.bones.end(),
                                   [&](const Bone& each) { return each.slot == slot; });
    bone_of.push_back(bone == character.bones.end() ? 0 : static_cast<int>(bone - character.bones.begin()));
  }
  for (int i = piece.first_point; i < piece.first_point + piece.point_count; ++i) {
    auto& row = made.influences.emplace_back();
    for (const Influence& of : body.skeleton.skin[i]) row.push_back({bone_of[of.joint], of.weight});
    if (row.empty()) row.push_back({bone_of[0], 1.0});
  }
  return made;
}

/// Seeds of the clip, from the rest pose on; how many there are.
int hold_creases(const ForceRig& rig, In start, const Sampler& sampler, const std::vector<double>& times,
                 ForceSimulation& simulation, const ProgressCallback& progress) {
  std::vector<Vec> poses = slow_motion(rig.rest(), start, kApproach);
  Vec p = start;
  for (const double time : times) {
    sampler.sample(time, p);
    poses.push_back(p);
  }
  CreaseSeeds seeds = find_crease_seeds(rig, poses, {}, progress);
  const int count = static_cast<int>(seeds.pairs.size());
  simulation.hold_creases(Creases(std::make_shared<const CreaseSurface>(rig.body()), std::move(seeds)));
  return count;
}

void count_contacts(const ForceSimulation& simulation, ForceMotion& motion) {
  if (simulation.creases() == nullptr) return;
  motion.contacts = std::max(motion.contacts, simulation.last_solve().active);
  motion.unsettled += simulation.last_solve().complete ? 0 : 1;
}

/// `make` makes the simulation of its options.
template <class Make>
ForceMotion play(const ForceRig& rig, const Animation& clip, const ForcePlayOptions& options,
                 const ProgressCallback& progress, const Make& make) {
  options.simulation.validate();
  if (options.creases && !options.dynamic)
    throw Error({.code = ErrorCode::usage,
                 .element = "creases",
                 .problem = "are held apart in motion alone",
                 .remedy = "leave out the static equilibrium"});
  const Sampler sampler(clip, rig.controls());
  Vec p = options.pose.size() > 0 ? options.pose : rig.rest();
  ForceMotion motion{.times = frame_times(clip.duration, options.rate)};
  const auto report_frame = [&](std::size_t f) {
    report(progress, "forces on " + clip.name, static_cast<double>(f) / static_cast<double>(motion.times.size()));
  };
  Vec s;
  sampler.sample(0, p);
  if (!options.dynamic) {
    const auto workspace = rig.make_workspace();
    for (std::size_t f = 0; f < motion.times.size(); ++f) {
      report_frame(f);
      sampler.sample(motion.times[f], p);
      rig.evaluate(*workspace, p, s);
      motion.frames.push_back(s);
    }
    return motion;
  }
  const int substeps = std::max(1, static_cast<int>(std::ceil(1 / (options.rate * options.simulation.step) - 1e-9)));
  ForceSimulationOptions stepped = options.simulation;
  stepped.step = 1 / (options.rate * substeps);
  auto simulation = make(stepped);
  simulation.restart(p);
  if constexpr (std::is_same_v<decltype(simulation), ForceSimulation>)
    if (options.creases) motion.seeds = hold_creases(rig, p, sampler, motion.times, simulation, progress);
  for (std::size_t f = 0; f < motion.times.size(); ++f) {
    report_frame(f);
    for (int k = 1; f > 0 && k <= substeps; ++k, ++motion.steps) {
      sampler.sample(motion.times[f - 1] + k * stepped.step, p);
      simulation.step(p);
      if constexpr (std::is_same_v<decltype(simulation), ForceSimulation>) count_contacts(simulation, motion);
    }
    simulation.surface(s);
    motion.frames.push_back(s);
  }
  return motion;
}

}  // namespace

ForceMotion play_forces(std::shared_ptr<const ForceRig> rig, const Animation& clip, const ForcePlayOptions& options,
                        const ProgressCallback& progress) {
  return play(*rig, clip, options, progress,
              [&](const ForceSimulationOptions& stepped) { return ForceSimulation(rig, stepped); });
}

ForceMotion play_forces(std::shared_ptr<const AdaptiveBody> bodies, const std::vector<ForceRigPart>& parts,
                        const Animation& clip, const ForcePlayOptions& options, const ProgressCallback& progress) {
  if (options.creases) {
    const auto whole = adaptive_rig(*bodies, parts, lattice_of(*bodies, parts));
    return play_forces(whole, clip, options, progress);  // contacts on a lattice that stays
  }
  const auto rig = adaptive_rig(*bodies, parts, lattice_of(*bodies, parts));
  return play(*rig, clip, options, progress,
              [&](const ForceSimulationOptions& stepped) { return AdaptiveSimulation(bodies, parts, stepped); });
}

PlayedGlb write_forces_glb(const std::filesystem::path& base, const ForceRig& rig, const std::string& clip,
                           const ForceMotion& motion, const std::filesystem::path& output, const WornOptions& options) {
  PlayedGlb result;
  auto file = std::make_unique<GltfFile>(base);
  const std::vector<Piece> pieces = file->character().pieces;
  bool first = true;
  for (const Piece& piece : pieces) {
    if (!piece.drawn) continue;
    PlayedPoints played{.clip = clip, .times = motion.times};
    for (const Vec& frame : motion.frames)
      played.points.push_back(frame.segment(3 * piece.first_point, 3 * piece.point_count));
    const Worn made = with_worn_piece(file->character(), worn(file->character(), rig, piece), {&played, 1}, options);
    if (first) remove_meshes(*file);
    first = false;
    file->add_worn_piece(made.character);
    file = std::make_unique<GltfFile>(file->to_glb(), base.string());
    result.shapes += made.shapes;
    result.error = std::max(result.error, made.error);
  }
  file->save(output);
  return result;
}

}  // namespace rigspace
