#include "rigspace/body/joint_points.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <string>

namespace rigspace {

Affine slot_transform(const BuiltInRig& rig, In slots, int slot) {
  return transform_at(slots, rig.graph().slots()[slot]);
}

std::shared_ptr<const BuiltInRig> with_joint_points(const BuiltInRig& rig, std::span<const JointPoint> points) {
  Vec u;
  rig.evaluate_slots(*rig.make_workspace(), rig.rest(), u);
  SkinDescription skin{.first_point = rig.point_count()};
  Vec rest(rig.points_rest().size() + 3 * static_cast<Eigen::Index>(points.size()));
  rest.head(rig.points_rest().size()) = rig.points_rest();
  for (std::size_t k = 0; k < points.size(); ++k) {
    const int slot = points[k].slot;
    if (slot < 0 || slot >= std::ssize(rig.graph().slots()) || rig.graph().slots()[slot].size != kTransformSlot)
      throw Error({.code = ErrorCode::usage,
                   .element = "slot " + std::to_string(slot),
                   .problem = "is no transform",
                   .remedy = "give the slot of a joint"});
    const auto known = std::find(skin.joint_slots.begin(), skin.joint_slots.end(), slot);
    const int joint = static_cast<int>(known - skin.joint_slots.begin());
    if (known == skin.joint_slots.end()) {
      const Affine world = slot_transform(rig, u, slot);
      Affine inverse;
      linear(inverse) = Mat3(linear(world)).inverse();
      translation(inverse) = -linear(inverse) * translation(world);
      skin.joint_slots.push_back(slot), skin.inverse_bind.push_back(inverse);
    }
    skin.influences.push_back({{joint, 1}});
    point(rest, rig.point_count() + static_cast<int>(k)) = points[k].rest;
  }
  std::vector<std::shared_ptr<const Deformer>> deformers(rig.deformers().begin(), rig.deformers().end());
  if (!points.empty()) deformers.push_back(make_linear_blend_skin(skin));
  return std::make_shared<BuiltInRig>(rig.shared_graph(), std::move(rest), std::move(deformers));
}

}  // namespace rigspace
