#include "assembly.h"

#include "rigspace/base/parallel.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <utility>

namespace rigspace {

Assembly::Assembly(std::string name, std::initializer_list<const char*> materials) {
  character.name = std::move(name);
  for (const char* material : materials) character.materials.push_back({.name = material});
}

void Assembly::add_joints(const puppet::Skeleton& skeleton) {
  joints_ = skeleton.joints();
  for (int j = 0; j < skeleton.size(); ++j) {
    const int parent = skeleton[j].parent;
    plan.nodes.push_back({.name = skeleton[j].name,
                          .parent = parent < 0 ? "" : skeleton[parent].name,
                          .translation = skeleton.local_translation(j),
                          .rotation = skeleton.local_rotation(j),
                          .typical_length = 0.1});
    character.bones.push_back({skeleton[j].name, parent, -1});
  }
}

int Assembly::add(const flesh::Flesh& flesh) {
  const int first = static_cast<int>(points_.size() / 3);
  Piece piece;
  piece.name = flesh.name;
  piece.first_point = first;
  piece.point_count = flesh.size();
  piece.material = flesh.material;
  piece.drawn = flesh.name != "proxy";
  piece.triangles = flesh.triangles;
  for (auto& triangle : piece.triangles) {
    for (int& v : triangle) v += first;
  }
  piece.colors = flesh.colors;
  for (const Vec3& normal : flesh.normals) piece.rest_normals.push_back(normal.cast<float>());
  character.pieces.push_back(std::move(piece));
  for (const Vec3& x : flesh.points) points_.insert(points_.end(), x.begin(), x.end());
  influences_.insert(influences_.end(), flesh.influences.begin(), flesh.influences.end());
  plan.pieces.push_back({.name = flesh.name, .first = first, .count = flesh.size()});
  return first;
}

Affine Assembly::inverse_bind(int joint) const {
  Affine inverse;
  linear(inverse) = joints_[joint].axes.conjugate().toRotationMatrix();
  translation(inverse) = -(linear(inverse) * joints_[joint].position);
  return inverse;
}

std::string Assembly::carrier_of(int joint) const {
  const auto found = carriers.find(joints_[joint].name);
  return found == carriers.end() ? joints_[joint].name : found->second;
}

// All joints, so that files keep the chain that they make, and behind them what carries the flesh of some.
void Assembly::add_skins() {
  plan::Skin skin;
  std::vector<int> carrier;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    skin.joints.push_back(joints_[j].name);
    skin.inverse_bind.push_back(inverse_bind(static_cast<int>(j)));
    carrier.push_back(static_cast<int>(j));
  }
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const std::string name = carrier_of(static_cast<int>(j));
    if (name == joints_[j].name) continue;
    carrier[j] = static_cast<int>(skin.joints.size());
    skin.joints.push_back(name);
    skin.inverse_bind.push_back(inverse_bind(static_cast<int>(j)));
  }
  for (const plan::PointRun& run : plan.pieces) {
    skin.influences.assign(influences_.begin() + run.first, influences_.begin() + run.first + run.count);
    for (std::vector<Influence>& list : skin.influences) {
      for (Influence& influence : list) influence.joint = carrier[influence.joint];
    }
    plan.deformers.push_back({.name = "skin_" + run.name, .pieces = {run.name}, .kind = skin});
  }
}

std::shared_ptr<const Rig> Assembly::skeleton_rig() {
  auto graph = std::make_shared<ControlGraph>();
  SkinDescription skin;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const plan::Node& node = plan.nodes[j];
    Bone& bone = character.bones[j];
    bone.slot = add_node(*graph, {.name = node.name,
                                  .parent_slot = bone.parent < 0 ? -1 : character.bones[bone.parent].slot,
                                  .translation = node.translation,
                                  .rotation = node.rotation,
                                  .typical_length = node.typical_length});
    skin.joint_slots.push_back(bone.slot);
    skin.inverse_bind.push_back(inverse_bind(static_cast<int>(j)));
  }
  skin.influences = influences_;
  std::vector<std::shared_ptr<const Deformer>> deformers;
  for (const plan::Deformer& deformer : plan.deformers) {
    const auto* shapes = std::get_if<plan::Shapes>(&deformer.kind);
    if (shapes == nullptr) continue;
    std::vector<MorphTarget> targets;
    for (const plan::Shape& shape : shapes->targets)
      targets.push_back({add_scalar(*graph, switch_control(shape.name)), shape.points, shape.offsets});
    const auto run = std::find_if(plan.pieces.begin(), plan.pieces.end(),
                                  [&](const plan::PointRun& each) { return each.name == deformer.pieces.front(); });
    deformers.push_back(make_blend_shapes(run->first, run->count, targets));
  }
  deformers.push_back(make_linear_blend_skin(skin));
  return std::make_shared<BuiltInRig>(std::move(graph), plan.points_rest, std::move(deformers));
}

CastAbstraction Assembly::abstraction_of(const AbstractionDraft& draft, const BuiltRig& built) const {
  CastAbstraction result{.name = draft.name};
  SkinDescription skin;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    skin.joint_slots.push_back(built.transforms.at(carrier_of(static_cast<int>(j))));
    skin.inverse_bind.push_back(inverse_bind(static_cast<int>(j)));
  }
  std::vector<double> flat;
  for (const CurveDraft& curve : draft.curves) {
    result.curves.push_back({.name = curve.name,
                             .first_point = static_cast<int>(flat.size() / 3),
                             .point_count = static_cast<int>(curve.points.size()),
                             .closed = curve.closed});
    for (const Vec3& x : curve.points) flat.insert(flat.end(), x.begin(), x.end());
    skin.influences.insert(skin.influences.end(), curve.influences.begin(), curve.influences.end());
  }
  result.points_rest = Eigen::Map<const Vec>(flat.data(), static_cast<Eigen::Index>(flat.size()));
  result.influences = skin.influences;
  result.rig = std::make_shared<BuiltInRig>(built.rig->shared_graph(), result.points_rest,
                                            std::vector<std::shared_ptr<const Deformer>>{make_linear_blend_skin(skin)});
  return result;
}

CastSketch Assembly::finish(Version version, std::span<const AbstractionDraft> drafts) && {
  plan.points_rest = Eigen::Map<const Vec>(points_.data(), static_cast<Eigen::Index>(points_.size()));
  CastSketch result;
  if (version == Version::rig) {
    add_skins();
    plan.deformers.insert(plan.deformers.end(), after_skins.begin(), after_skins.end());
    const BuiltRig built = build(plan);
    character.rig = built.rig;
    // What carries a bone's flesh is where the bone is, and as long.
    for (std::size_t j = 0; j < joints_.size(); ++j)
      character.bones[j].slot = built.transforms.at(carrier_of(static_cast<int>(j)));
    for (const AbstractionDraft& draft : drafts) result.abstractions.push_back(abstraction_of(draft, built));
  } else {
    character.rig = skeleton_rig();
    add_skins();
  }
  result.character = std::move(character);
  result.plan = std::move(plan);
  return result;
}

plan::Mask mask_of(const flesh::Flesh& flesh, const std::function<double(const Vec3&)>& weight) {
  std::vector<double> weights(flesh.points.size());
  parallel_ranges(flesh.size(), 256, [&](int begin, int end) {
    for (int v = begin; v < end; ++v) weights[v] = weight(flesh.points[v]);
  });
  plan::Mask mask;
  for (int v = 0; v < flesh.size(); ++v) {
    if (weights[v] < 1e-3) continue;
    mask.points.push_back(v);
    mask.weights.push_back(weights[v]);
  }
  return mask;
}

Control angle_control(const std::string& name, double typical) {
  return {.name = name, .node = name.substr(0, name.find_first_of(".:")), .unit = Unit::angle, .typical = typical};
}

Control switch_control(const std::string& name) {
  return {.name = name, .node = name.substr(0, name.find_first_of(".:")), .unit = Unit::scalar, .min = 0, .max = 1};
}

void offer(RigPlan& plan, const std::string& control, const char* group, double low, double high) {
  plan.rules.push_back({.pattern = control, .group = group, .min = low, .max = high});
}

void drive(RigPlan& plan, std::string channel, std::string expression) {
  plan.drivers.push_back(
      {.name = std::move(channel), .mode = plan::Driver::Mode::add, .expression = std::move(expression)});
}

}  // namespace rigspace
