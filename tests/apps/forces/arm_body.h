#pragma once
// The arm of the cast as a force body, made once, and poses of it.

#include "rigspace/apps/forces/force_rig.h"
#include "rigspace/cast/cast.h"

#include <map>
#include <random>

namespace rigspace::testing {

inline const Character& arm(const std::string& name = "arm") {
  static std::map<std::string, Character> made;
  const auto found = made.find(name);
  return found != made.end() ? found->second
                             : made.emplace(name, make_character(name, Version::skeleton)).first->second;
}

/// Few cells: what holds for them holds for many.
inline std::shared_ptr<const ForceBody> arm_body(int cells = 60, const std::string& name = "arm") {
  static std::map<std::pair<std::string, int>, std::shared_ptr<const ForceBody>> made;
  auto& body = made[{name, cells}];
  if (!body) body = std::make_shared<const ForceBody>(make_force_body(arm(name), {.cover = {.cells = cells}}));
  return body;
}

/// The skin's own sculpt: the bent arm with its biceps flexed, as the blend shape makes it.
inline TriMesh flexed_arm(double degrees, int cells = 60) {
  Vec p = arm().rig->rest(), s;
  p[arm().rig->find("forearm.rx")] = degrees * kDegree;
  p[arm().rig->find("skin:biceps")] = 1;
  arm().rig->evaluate(*arm().rig->make_workspace(), p, s);
  return {s, arm_body(cells)->triangles};
}

/// A bulge in the upper arm that swells as the elbow bends, and a bump on the forearm with a control of its own.
inline std::vector<ForceRigPart> arm_rigs(const ForceBody& body) {
  ForceRigPart biceps{.name = "biceps", .control = "forearm.rx"};
  biceps.force.push_back({ForceTemplate::bulge, bone_guide(body, "upper_arm", false)});
  const Vec full = (Vec(6) << 1.5, 0.05, 0.5, 0.02, 0.1, 0).finished();
  Vec none = full;
  none[0] = 0;
  biceps.samples = {{-0.5, none}, {1.9, full}};
  ForceRigPart bump{.name = "bump", .control = "bump"};
  bump.force.push_back({ForceTemplate::bump, skin_guide(body, Vec3(0.42, 0.45, 0.02), true)});
  bump.samples = {{0, (Vec(4) << 0, 0.03, 0.005, 0).finished()}, {1, (Vec(4) << 1, 0.04, 0.01, 0.3).finished()}};
  return {biceps, bump};
}

/// Joints turned by up to `most` radians.
inline Vec bent(const Rig& rig, double most, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-most, most);
  Vec p = rig.rest();
  for (std::size_t c = 0; c < rig.controls().size(); ++c)
    if (rig.controls()[c].unit == Unit::angle) p[c] = uniform(random);
  return p;
}

/// The elbow alone.
inline Vec curled(const Rig& rig, double degrees) {
  Vec p = rig.rest();
  p[rig.find("forearm.rx")] = degrees * kDegree;
  return p;
}

inline Vec random_force(const ForceBody& body, double size, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  Vec Q(3 * body.vertex_count());
  for (double& q : Q) q = uniform(random);
  for (const HeldVertex& each : body.held) point(Q, each.vertex).setZero();
  return Q;
}

}  // namespace rigspace::testing
