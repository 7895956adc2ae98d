// What parts run into, and what they are made of.

#include "../studio.h"

#include "rigspace/energy/material.h"

#include <cmath>

namespace rigspace::studio {
namespace {

Json world_slice(Studio& studio) {
  Json materials = Json::array();
  for (const MaterialKind kind : kAllMaterialKinds) materials.push_back(std::string(name(kind)));
  const Project& project = studio.project();
  return {
      {"gravity", project.gravity},
      {"collide", project.collide},
      {"friction", project.friction},
      {"material", project.material.empty() ? std::string(name(MaterialKind::stable_neo_hookean)) : project.material},
      {"materials", materials},
      {"unit", project.unit}};
}

/// A strength downward, or three numbers; m/s^2.
std::array<double, 3> gravity_from(const Arguments& given) {
  constexpr double kMost = 1000;
  if (given.is_number("gravity")) return {0, -given.number("gravity", -kMost, kMost), 0};
  const std::vector<double> g = given.numbers("gravity", 3);
  if (g.size() != 3 || std::hypot(g[0], g[1], g[2]) > kMost)
    refuse("argument \"gravity\"", "", "is no gravity", "expected a strength in m/s^2, or [x, y, z], up to 1000");
  return {g[0], g[1], g[2]};
}

}  // namespace

void add_world_panel(Studio& studio) {
  studio.add_slice("world", [&studio] { return world_slice(studio); });
  studio.add_command("world.set", [&studio](const Arguments& given) {
    Project changed = studio.project();
    if (given.has("collide")) {
      changed.collide = given.texts("collide", 100);
      for (const std::string& what : changed.collide)  // files are read by the command line alone
        if (what != "self" && what != "parts" && what != "ground" && !what.starts_with("sphere:") &&
            !what.starts_with("capsule:"))
          refuse("collider \"" + what + "\"", what, "is none",
                 "expected self, parts, ground, sphere:x,y,z,r or capsule:x,y,z,x,y,z,r");
      static_cast<void>(world_of(changed));  // throws if the numbers of a shape are wrong
    }
    if (given.has("gravity")) changed.gravity = gravity_from(given);
    if (given.has("friction")) changed.friction = given.number("friction", 0, 10);
    if (given.has("material")) changed.material = std::string(name(material_kind(given.text("material"))));
    if (given.has("unit")) changed.unit = given.number("unit", 0, 1e6);
    studio.edit("world", "world", [&](Project& project) { project = changed; });
    return Json::object();
  });
  studio.on_edit([&studio](const Project& before) {
    const Project& now = studio.project();
    if (before.gravity != now.gravity || before.collide != now.collide || before.friction != now.friction)
      studio.adjust();
    studio.touch("world");
  });
}

}  // namespace rigspace::studio
