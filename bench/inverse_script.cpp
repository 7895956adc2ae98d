#include "inverse_script.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/body/joint_points.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <array>

namespace rigspace::bench {
namespace {

int bone(const Character& character, const std::string& name) {
  return static_cast<int>(std::ranges::find(character.bones, name, &Bone::name) - character.bones.begin());
}

Mat3 frame(const Vec3& along, const Vec3& aside) {
  Mat3 F;
  F.col(0) = along.normalized();
  F.col(1) = (aside - aside.dot(F.col(0)) * F.col(0)).normalized();
  F.col(2) = F.col(0).cross(F.col(1));
  return F;
}

}  // namespace

HoundScript::HoundScript(const Character& hound) : hound_(hound) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*hound.rig);
  Vec slots;
  rig.evaluate_slots(*rig.make_workspace(), rig.rest(), slots);
  rest_.resize(3 * static_cast<Eigen::Index>(hound.bones.size()));
  for (std::size_t j = 0; j < hound.bones.size(); ++j) {
    const Affine world = slot_transform(rig, slots, hound.bones[j].slot);
    axes_.push_back(nearest_rotation(linear(world)));
    point(rest_, static_cast<int>(j)) = translation(world);
  }
}

int HoundScript::control(const std::string& name) const { return hound_.rig->find(name); }

// The joint turns with its parent, then so that the line to its child is where it should be.
void HoundScript::aim(int joint, int child, In x, std::vector<Mat3>& turned, Vec& p) const {
  const auto j = static_cast<std::size_t>(joint);
  const Mat3 above = turned[static_cast<std::size_t>(hound_.bones[j].parent)];
  const Vec3 is = above * (point(rest_, child) - point(rest_, joint)), should = point(x, child) - point(x, joint);
  turned[j] = turn_between(is, should).toRotationMatrix() * above;
  const Vec3 r = rotation_log(axes_[j].transpose() * above.transpose() * turned[j] * axes_[j]);
  for (int k = 0; k < 3; ++k) p[control(hound_.bones[j].name + ".r" + "xyz"[k])] = r[k];
}

Vec HoundScript::controls(In x) const {
  Vec p = hound_.rig->rest();
  const auto of = [&](const std::string& name) { return bone(hound_, name); };
  const auto offset = [&](const std::string& node, const Vec3& by) {
    for (int k = 0; k < 3; ++k) p[control(node + ".t" + "xyz"[k])] += by[k];
  };
  const auto turn = [&](const std::string& node, const Mat3& R) {
    const Vec3 r = rotation_log(R);
    for (int k = 0; k < 3; ++k) p[control(node + ".r" + "xyz"[k])] = r[k];
  };
  // The centre by the pelvis, the first of the spine and both hips.
  const int pelvis = of("pelvis"), spine = of("spine_01"), left = of("thigh_bl"), right = of("thigh_br");
  const Mat3 R =
      frame(point(x, spine) - point(x, pelvis), point(x, left) - point(x, right)) *
      frame(point(rest_, spine) - point(rest_, pelvis), point(rest_, left) - point(rest_, right)).transpose();
  offset("cog", point(x, pelvis) - point(rest_, pelvis));
  turn("cog", R);
  std::vector<Mat3> turned(hound_.bones.size(), R);
  // Chains of FK, parents first; each joint has one child that it points to.
  for (std::size_t j = 0; j < hound_.bones.size(); ++j) {
    const std::string& name = hound_.bones[j].name;
    const int joint = static_cast<int>(j), parent = hound_.bones[j].parent;
    if (parent >= 0 && parent != of("root")) turned[j] = turned[static_cast<std::size_t>(parent)];
    const auto child = std::ranges::find(hound_.bones, joint, &Bone::parent);
    const bool chain = name.starts_with("spine") || name == "chest" || name.starts_with("neck") ||
                       name.starts_with("tail") || name.starts_with("ear") || name.starts_with("tongue");
    if (chain && child != hound_.bones.end()) aim(joint, static_cast<int>(child - hound_.bones.begin()), x, turned, p);
    if (name == "head") aim(joint, of("nose"), x, turned, p);
    if (name == "jaw") aim(joint, of("tongue_01"), x, turned, p);
  }
  // Paws where they are and as their toes point; poles move with elbows and knees.
  for (const char* leg : {"fl", "fr", "bl", "br"}) {
    const std::string end = std::string("_") + leg;
    const int paw = of("paw" + end), toe = of("toe" + end), middle = of((leg[0] == 'f' ? "radius" : "shin") + end);
    offset("paw_ctrl" + end, point(x, paw) - point(rest_, paw));
    turn("paw_ctrl" + end,
         turn_between(point(rest_, toe) - point(rest_, paw), point(x, toe) - point(x, paw)).toRotationMatrix());
    for (int k = 0; k < 3; ++k)
      p[control("pole" + end + ".t" + "xyz"[k])] = point(x, middle)[k] - point(rest_, middle)[k];
  }
  return p;
}

}  // namespace rigspace::bench
