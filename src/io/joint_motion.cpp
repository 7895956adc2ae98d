#include "joint_motion.h"

#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <Eigen/LU>

#include <unordered_map>

namespace rigspace {
namespace {

const BuiltInRig& built_in(const Character& character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (!rig)
    throw Error({.element = "character \"" + character.name + "\"",
                 .problem = "has a rig that is not built of nodes",
                 .remedy = "this format holds joints; write .rigspace.json or .csv"});
  return *rig;
}

/// Every transform of the graph that belongs to a node; a parent is the nearest transform that it reads.
std::vector<JointMotion::Joint> all_nodes(const ControlGraph& graph) {
  std::vector<JointMotion::Joint> joints;
  std::unordered_map<int, int> joint_of;
  for (int slot = 0; slot < static_cast<int>(graph.slots().size()); ++slot) {
    const int control = graph.slots()[slot].size == kTransformSlot ? first_control(graph, slot) : -1;
    if (control < 0) continue;
    int parent = -1;
    for (const int input : graph.op(slot).input_slots())
      if (const auto found = joint_of.find(input); parent < 0 && found != joint_of.end()) parent = found->second;
    joint_of[slot] = static_cast<int>(joints.size());
    joints.push_back({.name = graph.controls()[control].node, .parent = parent, .slot = slot});
  }
  return joints;
}

void mark_keyed(std::vector<JointMotion::Joint>& joints, std::span<const Control> controls,
                std::span<const int> animated) {
  std::unordered_map<std::string_view, JointMotion::Joint*> by_name;
  for (JointMotion::Joint& joint : joints) by_name.emplace(joint.name, &joint);
  for (const int control : animated)
    if (const auto found = by_name.find(controls[control].node); found != by_name.end()) found->second->keyed = true;
}

}  // namespace

Affine JointMotion::local(const std::vector<Joint>& joints, const std::vector<Affine>& world, int joint) {
  const int parent = joints[joint].parent;
  return parent < 0 ? world[joint] : compose(inverse(world[parent]), world[joint]);
}

JointMotion joint_motion(const Character& character, const Animation& animation, const std::vector<double>& times) {
  const BuiltInRig& rig = built_in(character);
  JointMotion motion;
  for (const Bone& bone : character.bones)
    motion.joints.push_back({.name = bone.name, .parent = bone.parent, .slot = bone.slot});
  if (motion.joints.empty()) motion.joints = all_nodes(rig.graph());
  if (motion.joints.empty())
    throw Error({.element = "character \"" + character.name + "\"",
                 .problem = "has no joints",
                 .remedy = "this format holds joints; write .rigspace.json or .csv"});

  const Sampler sampler(animation, rig.controls());
  mark_keyed(motion.joints, rig.controls(), sampler.animated());
  const auto workspace = rig.make_workspace();
  Vec p = rig.rest(), u;
  const auto gather = [&] {
    rig.evaluate_slots(*workspace, p, u);
    std::vector<Affine> world;
    for (const JointMotion::Joint& joint : motion.joints) {
      world.push_back(transform_at(u, rig.graph().slots()[joint.slot]));
      if (!world.back().allFinite())
        throw Error({.element = "joint \"" + joint.name + "\"",
                     .problem = "is not at a finite place in clip \"" + animation.name + "\"",
                     .remedy = "check its keys"});
    }
    return world;
  };
  motion.rest = gather();
  motion.times = times;
  for (const double time : times) {
    sampler.sample(time, p);
    motion.world.push_back(gather());
  }
  return motion;
}

std::string unbound_sentence(std::span<const std::string> unbound) {
  if (unbound.empty()) return {};
  return std::to_string(unbound.size()) + (unbound.size() == 1 ? " track moves" : " tracks move") +
         " nothing in this character and is not written: \"" + unbound[0] + "\"" + (unbound.size() > 1 ? ", .." : "");
}

}  // namespace rigspace
