#pragma once
// Private to anim: where the nodes of a template stand in another body, and how they turn there.

#include "rigspace/geometry/body_registration.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// A node of the template at rest. Parents come before their children.
struct TemplateNode {
  std::string name;
  int parent = -1;
  Vec3 place = Vec3::Zero();
  bool carries = false;   ///< skin follows it
  bool on_floor = false;  ///< and that skin stands on the floor: a foot, a paw, toes
};

struct FittedNode {
  Vec3 place = Vec3::Zero();
  Mat3 turn = Mat3::Identity();  ///< from the template's axes to the new ones, scene space
};

struct NodeFitOptions {
  std::map<std::string, Vec3> places;  ///< given by hand
  int mirror_axis = -1;                ///< of the new body, through `mirror_middle`; -1: sides are fitted apart
  double mirror_middle = 0;
};

/// Joints go where the registration takes them, pairs of a symmetric template to the mean of both sides in a symmetric
/// body, and then as deep below the skin as the template has them, nearly. What stands beside the body keeps its place
/// beside the nearest joint; what carries everything and is outside, its place on the floor.
///
/// Limbs turn with their bones, least and from joint to joint, so that local rotations pose both bodies alike; what
/// stands on the floor turns about the vertical alone; the middle of the body, and a joint at a limb's root that is
/// short against the next (a clavicle), keep the template's axes, since there bones differ by shape and not by pose.
std::vector<FittedNode> fit_nodes(std::span<const TemplateNode> nodes, const BodyRegistration& registration,
                                  const TriMesh& from, const TriMesh& to, const NodeFitOptions& options);

}  // namespace rigspace
