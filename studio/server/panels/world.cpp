// What parts run into, and what they are made of.

#include "../studio.h"

#include "rigspace/energy/material.h"

namespace rigspace::studio {
namespace {

Json world_slice(Studio& studio) {
  Json materials = Json::array();
  for (const MaterialKind kind : kAllMaterialKinds) materials.push_back(std::string(name(kind)));
  const Project& project = studio.project();
  return {
      {"collide", project.collide},
      {"friction", project.friction},
      {"material", project.material.empty() ? std::string(name(MaterialKind::stable_neo_hookean)) : project.material},
      {"materials", materials},
      {"unit", project.unit}};
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
    }
    if (given.has("friction")) changed.friction = given.number("friction", 0, 10);
    if (given.has("material")) changed.material = std::string(name(material_kind(given.text("material"))));
    if (given.has("unit")) changed.unit = given.number("unit", 0, 1e6);
    studio.edit("world", "world", [&](Project& project) { project = changed; });
    return Json::object();
  });
  studio.on_edit([&studio](const Project&) { studio.touch("world"); });
}

}  // namespace rigspace::studio
