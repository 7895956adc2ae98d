#include "rigspace/io/rig_correctives.h"

#include <algorithm>
#include <map>

namespace rigspace {
namespace {

/// The part of a shape that moves one piece.
plan::Shape part_of(const plan::Shape& shape, const plan::PointRun& run) {
  plan::Shape part{.name = run.name + ":" + shape.name, .weight = shape.weight, .points = {}, .offsets = {}};
  for (std::size_t k = 0; k < shape.points.size(); ++k)
    if (const int own = shape.points[k] - run.first; own >= 0 && own < run.count)
      part.points.push_back(own), part.offsets.push_back(shape.offsets[k]);
  return part;
}

/// The shapes that a piece has, if nothing that moves it comes before them; new ones otherwise.
plan::Shapes& shapes_of(RigPlan& plan, const plan::PointRun& run) {
  for (plan::Deformer& deformer : plan.deformers) {
    if (!deformer.pieces.empty() && deformer.pieces != std::vector{run.name}) continue;
    auto* shapes = std::get_if<plan::Shapes>(&deformer.kind);
    if (shapes != nullptr && !deformer.pieces.empty()) return *shapes;
    break;
  }
  plan.deformers.insert(plan.deformers.begin(),
                        {.name = run.name + " correctives", .pieces = {run.name}, .kind = plan::Shapes{}});
  return std::get<plan::Shapes>(plan.deformers.front().kind);
}

}  // namespace

RiggedCharacter with_correctives(RiggedCharacter rigged, const Correctives& correctives) {
  std::map<int, std::string> name_of;
  for (const auto& [name, slot] : build(rigged.plan).transforms) name_of[slot] = name;
  RigPlan& plan = rigged.plan;
  plan.pose_weights.insert(plan.pose_weights.end(), correctives.poses.begin(), correctives.poses.end());
  const std::vector<plan::PointRun> runs = plan.pieces;
  for (const plan::PointRun& run : runs) {
    std::vector<plan::Shape> parts;
    for (const plan::Shape& shape : correctives.shapes)
      if (plan::Shape part = part_of(shape, run); !part.points.empty()) parts.push_back(std::move(part));
    if (parts.empty()) continue;
    auto& targets = shapes_of(plan, run).targets;
    std::move(parts.begin(), parts.end(), std::back_inserter(targets));
  }
  const BuiltRig built = build(plan);
  for (Bone& bone : rigged.character.bones) bone.slot = built.transforms.at(name_of.at(bone.slot));
  rigged.character.rig = built.rig;
  return rigged;
}

}  // namespace rigspace
