#include "rigspace/apps/forces/force_body.h"
#include "rigspace/base/affine.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <map>

namespace rigspace {
namespace {

constexpr int kSteps = 40;  // places along a bone that are looked at

const BuiltInRig& rig_of_joints(const Character& character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr)
    throw Error({.element = "character \"" + character.name + "\"",
                 .problem = "has a rig without joints of its own",
                 .remedy = "forces need a skeleton and a skin: give a .glb, or a rig file of kind built-in"});
  return *rig;
}

/// Influences by slot, from all skins of the rig; sums to one where there are any.
std::vector<std::map<int, double>> weights_by_slot(const BuiltInRig& rig) {
  std::vector<std::map<int, double>> weights(rig.point_count());
  for (const auto& deformer : rig.deformers()) {
    const SkinDescription* skin = skin_description(*deformer);
    if (skin == nullptr) continue;
    for (std::size_t k = 0; k < skin->influences.size(); ++k)
      for (const Influence& of : skin->influences[k])
        weights[skin->first_point + k][skin->joint_slots[of.joint]] += of.weight;
  }
  for (auto& row : weights) {
    double sum = 0;
    for (const auto& [slot, weight] : row) sum += weight;
    for (auto& [slot, weight] : row) weight /= sum;
  }
  return weights;
}

/// For each joint the nearest joint above it, -1: none.
std::vector<int> parents_of(const Character& character, const ForceSkeleton& skeleton) {
  std::vector<int> parents;
  const auto joint_of = [&](int slot) {
    const auto found = std::find(skeleton.slots.begin(), skeleton.slots.end(), slot);
    return found == skeleton.slots.end() ? -1 : static_cast<int>(found - skeleton.slots.begin());
  };
  for (const int slot : skeleton.slots) {
    const auto bone = std::find_if(character.bones.begin(), character.bones.end(),
                                   [&](const Bone& each) { return each.slot == slot; });
    int parent = -1;
    if (bone != character.bones.end())
      for (int b = bone->parent; b >= 0 && parent < 0; b = character.bones[b].parent)
        parent = joint_of(character.bones[b].slot);
    parents.push_back(parent);
  }
  return parents;
}

/// The longest part of the line that is inside; false if there is none.
bool cut_to_inside(const WindingTree& winding, BoneLine& line) {
  int best_begin = 0, best = 0, run = 0;
  for (int k = 0; k <= kSteps; ++k) {
    run = winding(line.from + double(k) / kSteps * (line.to - line.from)) > 0.5 ? run + 1 : 0;
    if (run > best) best = run, best_begin = k - run + 1;
  }
  if (best == 0) return false;
  const Vec3 from = line.from, along = line.to - line.from;
  line = {from + double(best_begin) / kSteps * along, from + double(best_begin + best - 1) / kSteps * along};
  return true;
}

/// Lines from each joint to those below it; of a last joint to the middle of the skin that it holds.
std::vector<ForceSkeleton::Bone> lines_of(const ForceSkeleton& skeleton, const std::vector<int>& parents,
                                          In points_rest) {
  std::vector<Vec3> places;
  for (const Affine& to_joint : skeleton.inverse_rest) places.push_back(translation(inverse(to_joint)));
  std::vector<char> last(places.size(), 1);
  std::vector<ForceSkeleton::Bone> lines;
  for (int j = 0; j < skeleton.joint_count(); ++j)
    if (parents[j] >= 0) {
      last[parents[j]] = 0;
      if (places[j] != places[parents[j]]) lines.push_back({parents[j], {places[parents[j]], places[j]}});
    }
  std::vector<Vec4> sums(places.size(), Vec4::Zero());
  for (std::size_t i = 0; i < skeleton.skin.size(); ++i)
    for (const Influence& of : skeleton.skin[i]) {
      const Vec3 x = point(points_rest, static_cast<int>(i));
      sums[of.joint] += of.weight * Vec4(x.x(), x.y(), x.z(), 1);
    }
  for (std::size_t j = 0; j < places.size(); ++j) {
    if (last[j] == 0 || sums[j][3] == 0) continue;
    const Vec3 middle = sums[j].head<3>() / sums[j][3];
    if (middle != places[j]) lines.push_back({static_cast<int>(j), {places[j], middle}});
  }
  std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.joint < b.joint; });
  return lines;
}

/// Joints and skin; no bones yet.
ForceSkeleton skeleton_of_skin(const Character& character, const BuiltInRig& rig) {
  ForceSkeleton skeleton{.graph = rig.shared_graph()};
  const auto weights = weights_by_slot(rig);
  std::map<int, int> joint_of;
  for (const auto& row : weights)
    for (const auto& [slot, weight] : row)
      if (weight > 1e-4) joint_of.try_emplace(slot, 0);
  if (joint_of.empty())
    throw Error({.element = "character \"" + character.name + "\"",
                 .problem = "has no skin on joints",
                 .remedy = "forces turn with the bones: give a character with a skin"});
  Vec u;
  ControlGraph::Memory memory;
  skeleton.graph->evaluate(rig.rest(), u, memory);
  for (auto& [slot, joint] : joint_of) {
    joint = skeleton.joint_count();
    skeleton.slots.push_back(slot);
    skeleton.inverse_rest.push_back(inverse(transform_at(u, skeleton.graph->slots()[slot])));
    const auto bone = std::find_if(character.bones.begin(), character.bones.end(),
                                   [slot = slot](const Bone& each) { return each.slot == slot; });
    const int control = first_control(*skeleton.graph, slot);
    skeleton.names.push_back(bone != character.bones.end() ? bone->name
                             : control >= 0                ? skeleton.graph->controls()[control].node
                                                           : "joint " + std::to_string(joint));
  }
  for (const auto& row : weights) {
    auto& influences = skeleton.skin.emplace_back();
    for (const auto& [slot, weight] : row)
      if (const auto found = joint_of.find(slot); found != joint_of.end())
        influences.push_back({found->second, weight});
  }
  return skeleton;
}

}  // namespace

int ForceSkeleton::find(std::string_view joint) const {
  const auto found = std::find(names.begin(), names.end(), joint);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

void ForceSkeleton::transforms(In u, std::vector<Affine>& C) const {
  C.resize(slots.size());
  for (std::size_t j = 0; j < slots.size(); ++j)
    C[j] = compose(transform_at(u, graph->slots()[slots[j]]), inverse_rest[j]);
}

std::vector<std::string> joints_of_skin(const Character& character) {
  return skeleton_of_skin(character, rig_of_joints(character)).names;
}

ForceSkeleton force_skeleton(const Character& character, const WindingTree& winding) {
  const BuiltInRig& rig = rig_of_joints(character);
  ForceSkeleton skeleton = skeleton_of_skin(character, rig);
  Vec s;
  rig.evaluate(*rig.make_workspace(), rig.rest(), s);
  double whole = 0, inside = 0;
  for (ForceSkeleton::Bone& bone : skeleton.bones = lines_of(skeleton, parents_of(character, skeleton), s)) {
    const auto length = [&] { return (bone.line.to - bone.line.from).norm(); };
    whole += length();
    if (!cut_to_inside(winding, bone.line)) bone.joint = -1;
    if (bone.joint >= 0) inside += length();
  }
  std::erase_if(skeleton.bones, [](const auto& bone) { return bone.joint < 0; });
  if (inside < 0.5 * whole || whole == 0)
    throw Error({.element = "skeleton of \"" + character.name + "\"",
                 .value = std::to_string(whole > 0 ? inside / whole : 0),
                 .problem = "lies outside the body: " +
                            std::to_string(static_cast<int>(whole > 0 ? 100 * (1 - inside / whole) : 100)) +
                            " % of the length of its bones",
                 .remedy = "move the joints into the flesh, or check that the surface is closed and faces outward"});
  return skeleton;
}

}  // namespace rigspace
