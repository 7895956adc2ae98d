#include "rigspace/io/rig_file_extend.h"

#include "rig_file_parts.h"
#include "rigspace/anim/mode_rig.h"
#include "rigspace/io/json_text.h"

#include <nlohmann/json.hpp>

#include <map>

namespace rigspace {

std::string extended_rig_file(const std::string& text, const std::string& name, const RigFileAdditions& additions) {
  const JsonText document(text, name);
  Field::Json json = document.root().json();
  if (!json.is_object()) document.root().fail("is no object", "expected a rig file: {\"rigspace_rig\": 1, ..}");
  const Field::Json parts = write_parts(additions.parts);
  for (const auto& [section, items] : parts.items()) {
    if (items.empty()) continue;
    Field::Json& list = json[section];
    if (list.is_null()) list = Field::Json::array();
    for (const auto& item : items) list.push_back(item);
  }
  if (!additions.clips.empty()) {
    Field::Json& clips = json["clips"];
    if (!clips.is_array()) clips = clips.is_null() ? Field::Json::array() : Field::Json::array({clips});
    for (const std::string& file : additions.clips) clips.push_back(file);
  }
  return json.dump(1) + "\n";
}

RiggedCharacter extended(RiggedCharacter rigged, const RigPlan& parts) {
  std::map<int, std::string> name_of;
  for (const auto& [name, slot] : build(rigged.plan).transforms) name_of[slot] = name;
  append_parts(rigged.plan, parts);
  const BuiltRig built = build(rigged.plan);
  for (Bone& bone : rigged.character.bones) bone.slot = built.transforms.at(name_of.at(bone.slot));
  rigged.character.rig = built.rig;
  return rigged;
}

}  // namespace rigspace
