#include "rigspace/io/gltf_springs.h"

#include "gltf_document.h"

#include <algorithm>

namespace rigspace {
namespace {

constexpr const char* kExtension = "VRMC_springBone";

Json springs_of(GltfFile& file, std::span<const SpringChain> chains) {
  Json springs = Json::array();
  for (const SpringChain& chain : chains) {
    Json joints = Json::array();
    int last = -1;
    for (std::size_t k = 0; k < chain.bones.size(); ++k) {
      const std::string& name = file.character().bones[chain.bones[k]].name;
      last = file.node(name);
      if (last < 0)
        throw Error({.file = file.character().name,
                     .element = "bone \"" + name + "\"",
                     .problem = "is no node of the file",
                     .remedy = "take chains of the same file"});
      const SpringSettings& own = chain.settings[k];
      joints.push_back({{"node", last},
                        {"hitRadius", 0.0},
                        {"stiffness", own.stiffness},
                        {"gravityPower", own.gravity},
                        {"gravityDir", {0.0, -1.0, 0.0}},
                        {"dragForce", own.drag}});
    }
    const int end = file.add_node({.name = chain.name + "_end", .parent = last, .translation = chain.end});
    joints.push_back({{"node", end}});
    springs.push_back({{"name", chain.name}, {"joints", std::move(joints)}});
  }
  return springs;
}

}  // namespace

void add_springs(GltfFile& file, std::span<const SpringChain> chains) {
  Json document = Json::parse(file.json(""));
  const Json springs = springs_of(file, chains);
  const bool known = document.contains("extensions") && document["extensions"].contains(kExtension);
  Json extension = known ? document["extensions"][kExtension] : Json{{"specVersion", "1.0"}};
  if (!extension.contains("springs")) extension["springs"] = Json::array();
  for (const Json& spring : springs) extension["springs"].push_back(spring);
  Json used = document.contains("extensionsUsed") ? document["extensionsUsed"] : Json::array();
  if (std::find(used.begin(), used.end(), kExtension) == used.end()) used.push_back(kExtension);
  file.set_json("/extensionsUsed", used.dump());
  if (!document.contains("extensions")) file.set_json("/extensions", "{}");
  file.set_json(std::string("/extensions/") + kExtension, extension.dump());
}

}  // namespace rigspace
