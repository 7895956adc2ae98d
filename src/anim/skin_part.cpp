#include "rigspace/anim/skin_part.h"

#include "rigspace/base/affine.h"
#include "rigspace/base/cancel_scope.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr double kWeighty = 1e-3;  // a weight that says that a joint carries skin

/// Places of joints and which of them get bones.
struct BonePlan {
  std::vector<Vec3> place;
  std::vector<int> parent;
  std::vector<char> carries;  // takes part
};

/// Ends of chains: the bone runs to the middle of the points that are nearest to it.
void grow_tips(const BonePlan& plan, const TriMesh& mesh, std::vector<SkinJoint>& joints) {
  std::vector<int> tips;
  for (int j = 0; j < std::ssize(joints); ++j)
    if (plan.carries[j] != 0 && joints[j].bones.empty()) {
      tips.push_back(j);
      joints[j].bones.push_back({plan.place[j], plan.place[j]});
    }
  std::vector<Vec3> sum(joints.size(), Vec3::Zero());
  std::vector<int> number(joints.size(), 0);
  std::vector<double> distance(joints.size());
  for (int i = 0; i < mesh.point_count() && !tips.empty(); ++i) {
    for (std::size_t j = 0; j < joints.size(); ++j) distance[j] = distance_to_bones(joints[j], point(mesh.points, i));
    const double least = *std::min_element(distance.begin(), distance.end());
    // A bone of the parent ends at the tip's joint: of two that are equally near the tip counts.
    for (const int j : tips)
      if (distance[j] <= least * (1 + 1e-9)) sum[j] += point(mesh.points, i), ++number[j];
  }
  for (const int j : tips)
    if (number[j] > 0) joints[j].bones[0].to = sum[j] / number[j];
}

void grow_bones(const BonePlan& plan, const TriMesh& mesh, std::vector<SkinJoint>& joints) {
  const double least = 1e-4 * bounding_box(mesh.points).diagonal();
  for (const bool weighty : {true, false})
    for (int child = 0; child < std::ssize(plan.place); ++child) {
      const int parent = plan.parent[child];
      if (parent < 0 || parent >= std::ssize(joints) || plan.carries[parent] == 0) continue;
      const bool own = child < std::ssize(joints) && plan.carries[child] != 0;
      if (own != weighty || (!weighty && !joints[parent].bones.empty())) continue;
      if ((plan.place[child] - plan.place[parent]).norm() > least)
        joints[parent].bones.push_back({plan.place[parent], plan.place[child]});
    }
  grow_tips(plan, mesh, joints);
}

/// Slot and parent slot of the nodes that are children of a skin's joints, themselves no joints of it.
BonePlan plan_of(const BuiltInRig& rig, const SkinDescription& skin, In u_rest) {
  BonePlan plan;
  const ControlGraph& graph = rig.graph();
  for (const Affine& bind : skin.inverse_bind) plan.place.emplace_back(translation(inverse(bind)));
  const auto joint_at = [&](int slot) {
    const auto found = std::find(skin.joint_slots.begin(), skin.joint_slots.end(), slot);
    return found == skin.joint_slots.end() ? -1 : static_cast<int>(found - skin.joint_slots.begin());
  };
  for (const int slot : skin.joint_slots) {
    const NodeDescription* node = node_description(graph, slot);
    plan.parent.push_back(node == nullptr ? -1 : joint_at(node->parent_slot));
  }
  for (int slot = 0; slot < std::ssize(graph.slots()); ++slot) {
    const NodeDescription* node = node_description(graph, slot);
    if (node == nullptr || node->parent_slot < 0 || joint_at(slot) >= 0) continue;
    const int parent = joint_at(node->parent_slot);
    if (parent < 0) continue;
    const Affine at_bind = compose(inverse(skin.inverse_bind[parent]),
                                   compose(inverse(transform_at(u_rest, graph.slots()[node->parent_slot])),
                                           transform_at(u_rest, graph.slots()[slot])));
    plan.place.emplace_back(translation(at_bind));
    plan.parent.push_back(parent);
  }
  return plan;
}

bool same_skin(const SkinDescription& a, const SkinDescription& b) {
  return a.joint_slots == b.joint_slots && a.inverse_bind == b.inverse_bind;
}

/// The triangles whose corners all are points of the part, counted in it.
void take_triangles(const Character& character, SkinPart& part) {
  std::vector<int> place(character.rig->point_count(), -1);
  for (int k = 0; k < std::ssize(part.points); ++k) place[part.points[k]] = k;
  for (const Piece& piece : character.pieces)
    for (const auto& t : piece.triangles)
      if (place[t[0]] >= 0 && place[t[1]] >= 0 && place[t[2]] >= 0)
        part.mesh.triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
}

std::vector<char> weighty_joints(const SkinPart& part, std::size_t joints, bool all) {
  std::vector<char> carries(joints, 0);
  for (const auto& list : part.influences)
    for (const Influence& each : list)
      if (each.weight > kWeighty) carries[each.joint] = 1;
  if (all || std::find(carries.begin(), carries.end(), 1) == carries.end()) carries.assign(joints, 1);
  return carries;
}

Eigen::Matrix3Xd picked_points(In s, std::span<const int> points) {
  Eigen::Matrix3Xd result(3, std::ssize(points));
  for (int k = 0; k < std::ssize(points); ++k) result.col(k) = point(s, points[k]);
  return result;
}

}  // namespace

std::vector<SkinPart> skin_parts(const Character& character, bool all_joints) {
  std::vector<SkinPart> parts;
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr) return parts;
  Vec u_rest;
  rig->evaluate_slots(*rig->make_workspace(), rig->rest(), u_rest);
  std::vector<const SkinDescription*> skins;
  for (const auto& deformer : rig->deformers()) {
    const SkinDescription* skin = is_linear_skin(*deformer) ? skin_description(*deformer) : nullptr;
    if (skin == nullptr || skin->joint_slots.size() < 2) continue;
    const auto known =
        std::find_if(skins.begin(), skins.end(), [&](const auto* other) { return same_skin(*other, *skin); });
    const auto at = static_cast<std::size_t>(known - skins.begin());
    if (known == skins.end()) skins.push_back(skin), parts.emplace_back();
    for (int k = 0; k < deformer->count(); ++k) {
      parts[at].points.push_back(deformer->first() + k);
      parts[at].influences.push_back(skin->influences[k]);
    }
  }
  for (std::size_t k = 0; k < parts.size(); ++k) {
    SkinPart& part = parts[k];
    part.mesh.points = picked_points(rig->points_rest(), part.points).reshaped();
    take_triangles(character, part);
    BonePlan plan = plan_of(*rig, *skins[k], u_rest);
    plan.carries = weighty_joints(part, skins[k]->joint_slots.size(), all_joints);
    for (const int slot : skins[k]->joint_slots) {
      const auto bone =
          std::find_if(character.bones.begin(), character.bones.end(), [&](const Bone& b) { return b.slot == slot; });
      part.bones.push_back(bone == character.bones.end() ? -1 : static_cast<int>(bone - character.bones.begin()));
      part.joints.push_back({.name = part.bones.back() < 0 ? "joint" : bone->name, .bones = {}});
    }
    grow_bones(plan, part.mesh, part.joints);
  }
  return parts;
}

Character with_skin_weights(const Character& character, const SkinPart& part,
                            std::span<const std::vector<Influence>> influences) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  std::vector<int> place(rig.point_count(), -1);
  for (int k = 0; k < std::ssize(part.points); ++k) place[part.points[k]] = k;
  std::vector<std::shared_ptr<const Deformer>> deformers(rig.deformers().begin(), rig.deformers().end());
  for (auto& deformer : deformers) {
    const SkinDescription* skin = is_linear_skin(*deformer) ? skin_description(*deformer) : nullptr;
    if (skin == nullptr || skin->joint_slots.size() != part.joints.size() || deformer->count() == 0 ||
        place[deformer->first()] < 0)
      continue;
    SkinDescription changed = *skin;
    for (int k = 0; k < deformer->count(); ++k) changed.influences[k] = influences[place[deformer->first() + k]];
    deformer = make_linear_blend_skin(changed);
  }
  Character result = character;
  result.rig = std::make_shared<BuiltInRig>(rig.shared_graph(), rig.points_rest(), std::move(deformers));
  return result;
}

double swing_of(In rest, In posed) {
  const Eigen::Map<const Eigen::Matrix3Xd> x(rest.data(), 3, rest.size() / 3), y(posed.data(), 3, posed.size() / 3);
  if (x.cols() == 0) return 0;
  const Vec3 a = x.rowwise().mean(), b = y.rowwise().mean();
  const Mat3 R = nearest_rotation((y.colwise() - b) * (x.colwise() - a).transpose());
  return (R * (x.colwise() - a) - (y.colwise() - b)).squaredNorm();
}

SkinDifference skin_difference(const Character& artist, const Character& other, std::span<const int> points,
                               int frames_per_clip) {
  SkinDifference result;
  const auto workspace = artist.rig->make_workspace(), other_workspace = other.rig->make_workspace();
  Vec s, t;
  artist.rig->evaluate(*workspace, artist.rig->rest(), s);
  const Eigen::Matrix3Xd rest = picked_points(s, points);
  double squared = 0, swing = 0;
  for (const Animation& clip : artist.clips) {
    const Sampler sampler(clip, artist.rig->controls());
    Vec p = artist.rig->rest();
    for (int f = 0; f < frames_per_clip; ++f, ++result.frames) {
      poll_cancel();
      sampler.sample(clip.duration * f / frames_per_clip, p);
      artist.rig->evaluate(*workspace, p, s);
      other.rig->evaluate(*other_workspace, p, t);
      const Eigen::Matrix3Xd own = picked_points(s, points);
      const Eigen::RowVectorXd apart = (picked_points(t, points) - own).colwise().squaredNorm();
      squared += apart.sum();
      if (apart.size() > 0) result.worst = std::max(result.worst, std::sqrt(apart.maxCoeff()));
      swing += swing_of(rest.reshaped(), own.reshaped());
    }
  }
  const double count = std::max(1.0, static_cast<double>(points.size()) * result.frames);
  result.rms = std::sqrt(squared / count);
  result.swing = std::sqrt(swing / count);
  return result;
}

std::vector<SkinJoint> bones_of(std::span<const JointPlace> places, const TriMesh& mesh) {
  std::vector<SkinJoint> joints;
  BonePlan plan;
  for (const JointPlace& each : places) {
    joints.push_back({.name = each.name, .bones = {}});
    plan.place.push_back(each.position);
    plan.parent.push_back(each.parent);
    plan.carries.push_back(1);
  }
  grow_bones(plan, mesh, joints);
  return joints;
}

}  // namespace rigspace
