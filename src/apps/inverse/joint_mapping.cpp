#include "rigspace/apps/inverse/joint_mapping.h"

#include "markers.h"
#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>

namespace rigspace {
namespace {

/// Lower case, without what stands before a colon, without separators: "mixamorig:LeftArm" and "left_arm" are one.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1))
    if (std::isalnum(static_cast<unsigned char>(c)))
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

std::vector<std::string> names_of(const Character& character) {
  std::vector<std::string> names;
  for (const Bone& bone : character.bones) names.push_back(bone.name);
  return names;
}

int bone_named(const Character& character, const std::string& name) {
  const auto exact = std::ranges::find(character.bones, name, &Bone::name);
  if (exact != character.bones.end()) return static_cast<int>(exact - character.bones.begin());
  const std::string plain = plain_name(name);
  for (std::size_t b = 0; b < character.bones.size(); ++b)
    if (!plain.empty() && plain_name(character.bones[b].name) == plain) return static_cast<int>(b);
  return -1;
}

int given_bone(const Character& character, const std::string& name) {
  const int bone = bone_named(character, name);
  if (bone < 0)
    throw Error({.code = ErrorCode::usage,
                 .file = character.name,
                 .element = "joint \"" + name + "\"",
                 .value = name,
                 .problem = "of the map is not one of this skeleton's",
                 .remedy = suggestion(name, names_of(character), "`rigspace info --joints` lists their names")});
  return bone;
}

bool is_limb(BodyRole role) {
  using enum BodyRole;
  return role == thigh || role == shin || role == foot || role == upper_arm || role == forearm || role == hand ||
         role == head;
}

std::string evidence(const BodyJoint& a, const BodyJoint& b) {
  const double name = std::min(a.by_name, b.by_name), place = std::min(a.by_place, b.by_place);
  return name > 0.3 && place > 0.3 ? "name and place" : name > 0.3 ? "name" : place > 0.3 ? "place" : "name or place";
}

/// The same part of the other body; of a spine or neck the one as far along it.
const BodyJoint* counterpart(const BodyJoints& own, const BodyJoints& source, const BodyJoint& joint) {
  using enum BodyRole;
  if (joint.role != spine && joint.role != neck) return source.find(joint.role, joint.side, joint.order);
  const int mine = own.count(joint.role), theirs = source.count(joint.role);
  if (theirs == 0) return nullptr;
  const int nearest = static_cast<int>(std::lround(double(joint.order + 1) * theirs / mine)) - 1;
  return source.find(joint.role, 0, std::clamp(nearest, 0, theirs - 1));
}

[[noreturn]] void refuse_missing(const Character& own, const Character& source, int bone, const std::string& what,
                                 bool no_body = false) {
  const std::string& name = own.bones[static_cast<std::size_t>(bone)].name;
  throw Error(
      {.file = source.name,
       .element = "joint \"" + name + "\"" + (what.empty() ? "" : " (" + what + ")"),
       .value = name,
       .problem =
           no_body
               ? "is missing in this motion, and no body on two legs was found in it: that takes two legs of thigh, "
                 "shin and foot, and a back above them"
               : "is missing in this motion",
       .remedy = suggestion(name, names_of(source), "") + (suggestion(name, names_of(source), "").empty() ? "" : " ") +
                 "say which joint it is with --map " + name + "=JOINT, or leave it out with --map " + name + "=-"});
}

}  // namespace

std::vector<GivenMatch> read_given_matches(std::string_view text, const std::string& file) {
  std::vector<GivenMatch> given;
  std::istringstream lines{std::string(text)};
  std::string line;
  const auto trimmed = [](std::string word) {
    const auto blank = [](unsigned char c) { return std::isspace(c) || c == '"' || c == ','; };
    while (!word.empty() && blank(static_cast<unsigned char>(word.back()))) word.pop_back();
    while (!word.empty() && blank(static_cast<unsigned char>(word.front()))) word.erase(word.begin());
    return word;
  };
  for (int number = 1; std::getline(lines, line); ++number) {
    if (const std::size_t comment = line.find('#'); comment == 0 || (comment != line.npos && line[comment - 1] == ' '))
      line.resize(comment);
    if (line = trimmed(line); line.empty()) continue;
    const std::size_t sign = line.find('=');
    const std::string own = trimmed(line.substr(0, sign));
    if (sign == line.npos || own.empty())
      throw Error({.code = ErrorCode::usage,
                   .file = file + ':' + std::to_string(number),
                   .element = "map",
                   .value = line,
                   .problem = "has \"" + line + "\", which pairs no joints",
                   .remedy = "write BONE=JOINT, or BONE=- to leave a bone out"});
    const std::string source = trimmed(line.substr(sign + 1));
    given.push_back({own, source == "-" ? "" : source});
  }
  return given;
}

const JointMatch* JointMapping::of(int own_bone) const {
  const auto at = std::ranges::find(matches, own_bone, &JointMatch::own);
  return at == matches.end() ? nullptr : &*at;
}

int bone_by_name(const Character& source, const Character& own, int bone) {
  return bone_named(source, own.bones[static_cast<std::size_t>(bone)].name);
}

JointMapping map_joints_by_name(const Character& own, std::span<const std::string> joints, const Character& source) {
  JointMapping mapping;
  for (const std::string& joint : joints) {
    const int bone = given_bone(own, read_marker(joint).joint);
    if (mapping.of(bone) != nullptr) continue;
    const int found = bone_by_name(source, own, bone);
    if (found < 0) refuse_missing(own, source, bone, "");
    mapping.matches.push_back({.own = bone, .source = found, .what = "", .how = "same name", .sure = 1});
  }
  return mapping;
}

JointMapping map_joints(const Character& own, std::span<const std::string> joints, const Character& source,
                        std::span<const GivenMatch> given, const Animation* clip, double reference_time) {
  JointMapping mapping{.own_body = find_body_joints(own)};
  if (mapping.own_body.found()) mapping.source = find_source_body(source, clip, reference_time);
  mapping.by_body = mapping.own_body.found() && mapping.source.body.found();
  std::vector<int> bones, given_own, given_source;
  for (const GivenMatch& each : given) {
    given_own.push_back(given_bone(own, each.own));
    given_source.push_back(each.source.empty() ? -1 : given_bone(source, each.source));
  }
  for (const std::string& joint : joints) {
    const int bone = given_bone(own, read_marker(joint).joint);
    if (std::ranges::find(bones, bone) == bones.end()) bones.push_back(bone);
  }
  const std::size_t wanted = bones.size();
  if (mapping.by_body)
    for (const BodyJoint& each : mapping.own_body.joints)
      if (std::ranges::find(bones, each.bone) == bones.end()) bones.push_back(each.bone);
  for (std::size_t k = 0; k < bones.size(); ++k) {
    const int bone = bones[k];
    JointMatch match{.own = bone};
    const std::string& name = own.bones[static_cast<std::size_t>(bone)].name;
    const BodyJoint* part = mapping.by_body ? mapping.own_body.of_bone(bone) : nullptr;
    if (part != nullptr) match.what = describe(*part);
    if (const auto at = std::ranges::find(given_own, bone); at != given_own.end()) {
      match.source = given_source[static_cast<std::size_t>(at - given_own.begin())];
      match.how = match.source < 0 ? "left out" : "given", match.sure = 1;
    } else if (part != nullptr) {
      if (const BodyJoint* other = counterpart(mapping.own_body, mapping.source.body, *part))
        match.source = other->bone, match.how = evidence(*part, *other),
        match.sure = std::min(part->sure(), other->sure());
      else if (k < wanted && is_limb(part->role))
        refuse_missing(own, source, bone, match.what);
    } else {
      match.source = bone_named(source, name);
      if (match.source >= 0) match.how = "same name", match.sure = 0.9;
      if (match.source < 0 && !mapping.by_body)
        refuse_missing(own, source, bone, "", mapping.own_body.found() && !mapping.source.body.found());
    }
    if (match.how.empty()) match.how = "follows its parent";
    mapping.matches.push_back(std::move(match));
  }
  return mapping;
}

std::vector<std::string> body_features(const Character& character) {
  using enum BodyRole;
  std::vector<std::string> features;
  const BodyJoints body = find_body_joints(character);
  for (const BodyJoint& joint : body.joints) {
    if (joint.role >= thumb) continue;
    const std::string& name = character.bones[static_cast<std::size_t>(joint.bone)].name;
    features.push_back(name);
    // What no other joint shows: how the ends are turned.
    const bool toes = body.find(toe, joint.side) != nullptr;
    const BodyJoint* ankle = joint.role == shin ? body.find(foot, joint.side) : nullptr;
    const bool detached = ankle != nullptr && body.parent[static_cast<std::size_t>(ankle->bone)] !=
                                                  character.bones[static_cast<std::size_t>(ankle->bone)].parent;
    const char* axes = joint.role == head || joint.role == hand ? "yz"
                       : joint.role == foot                     ? (toes ? "x" : "xz")
                       : joint.role == toe                      ? "z"
                       : detached                               ? "xy"  // its foot does not show where it points
                                                                : "";
    for (; *axes != 0; ++axes) features.push_back(name + '|' + *axes);
  }
  return features;
}

}  // namespace rigspace
