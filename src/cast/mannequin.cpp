// A plain figure to dress, after the Torso and the Legs of Thesis chapter 6.

#include "mannequin.h"

#include "mannequin_clips.h"
#include "members.h"
#include "rigspace/geometry/polygonise.h"

#include <array>
#include <string>
#include <utility>

namespace rigspace {
namespace mannequin {

puppet::Skeleton make_skeleton() { return biped::make_skeleton(kPlan); }

flesh::Flesh make_skin(const puppet::Skeleton& skeleton) {
  std::vector<flesh::Part> parts;
  parts.push_back({trunk, 0.022, biped::spine_weights(kPlan, skeleton, 0.075), {}});
  parts.push_back({neck, 0.014, biped::spine_weights(kPlan, skeleton, 0.05), {}});
  parts.push_back({head, 0.012, biped::held_by(skeleton.find("head")), {}});
  for (const double side : {1.0, -1.0}) {
    const auto own = [side](const Vec3& p) { return side > 0 ? p : shapes::mirrored(p); };
    parts.push_back(
        {[own](const Vec3& p) { return arm(own(p)); }, 0.020, biped::arm_weights(kPlan, skeleton, side, 0.065), {}});
    parts.push_back({[own](const Vec3& p) { return leg(own(p)); }, 0.026, biped::leg_weights(kPlan, skeleton, side),
                     [side](const Vec3& p) { return smooth_step(-0.01, 0.06, side * p.x()); }});
  }
  const TriMesh surface =
      polygonise(body, {.low = {-0.80, -0.05, -0.22}, .high = {0.80, 1.80, 0.24}, .cell = 0.0165, .smoothing = 16});
  return flesh::make_body(
      surface,
      {.name = "body", .solid = body, .color = skin_color, .parts = parts, .joints = skeleton.size(), .smoothing = 12});
}

}  // namespace mannequin

RiggedCharacter make_mannequin(Version version) {
  using namespace mannequin;
  const puppet::Skeleton skeleton = make_skeleton();
  Assembly assembly("mannequin", {"skin"});
  assembly.add_joints(skeleton);
  assembly.add(make_skin(skeleton));
  assembly.character.clips = clips(skeleton);
  return std::move(assembly).finish(version);
}

}  // namespace rigspace
