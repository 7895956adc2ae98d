#pragma once
// What puts a force template on a character (PBR 4.2.1): a frame from the numbers that are left to slide.

#include "rigspace/apps/forces/force_body.h"

#include <Eigen/Core>

#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

enum class GuideKind { bone, skin, free };

/// Frames are of the rest pose; what they do turns with the body afterwards. Numbers in scene units and radians.
///   bone  along (0 at the start of the bone, 1 at its end), out (from the bone), angle (around it), spin (about z).
///         z points along the bone, or, with `outward`, away from it
///   skin  depth (below the skin), spin (about the normal). z points along the skin, or, with `outward`, out of it
///   free  x y z, and a rotation vector rx ry rz
struct TemplateGuide {
  GuideKind kind = GuideKind::free;
  bool outward = false;         ///< for templates that push: the bump
  std::string bone = {};        ///< the joint's name
  BoneLine line = {};           ///< of the bone
  Vec3 place = Vec3::Zero();    ///< on the skin
  Vec3 normal = Vec3::UnitZ();  ///< of the skin there, unit length
};

/// Throws Error for a joint without a bone inside the body.
TemplateGuide bone_guide(const ForceBody& body, std::string_view joint, bool outward);
/// At the point of the skin nearest to a place.
TemplateGuide skin_guide(const ForceBody& body, const Vec3& near, bool outward);

std::span<const std::string_view> parameters(GuideKind);
bool is_angle(std::string_view guide_parameter);

struct GuidedFrame {
  Vec3 origin = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  ///< columns x, y, z
  /// A column for each parameter: of the origin, and the turn omega with d axes = [omega]x axes.
  Eigen::Matrix3Xd d_origin, d_turn;
};

GuidedFrame guided_frame(const TemplateGuide& guide, std::span<const double> parameters);

}  // namespace rigspace
