// What the names of joints say about a body.

#include "part_words.h"
#include "rigspace/parts/body_joints.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace rigspace {
namespace {

struct RoleWord {
  std::string_view word;
  BodyRole role;
  double evidence;
};

using enum BodyRole;

// Where a word may stand for two joints (CMU's LeftShoulder is a clavicle, SMPL's L_Shoulder an upper arm), both are
// listed, and the whole limb decides.
constexpr RoleWord kRoleWords[] = {
    {"hips", hips, 1},
    {"hip", hips, 0.9},
    {"pelvis", hips, 1},
    {"waist", hips, 0.5},
    {"body", hips, 0.3},
    {"cog", hips, 0.4},
    {"root", hips, 0.2},
    {"spine", spine, 1},
    {"lowerback", spine, 1},
    {"chest", spine, 1},
    {"abdomen", spine, 1},
    {"torso", spine, 0.8},
    {"thorax", spine, 1},
    {"ribcage", spine, 0.9},
    {"back", spine, 0.6},
    {"belly", spine, 0.5},
    {"neck", neck, 1},
    {"head", head, 1},
    {"skull", head, 0.7},
    {"clavicle", clavicle, 1},
    {"collar", clavicle, 1},
    {"scapula", clavicle, 0.8},
    {"shoulder", clavicle, 0.7},
    {"shoulder", upper_arm, 0.5},
    {"shldr", upper_arm, 0.9},
    {"upperarm", upper_arm, 1},
    {"uparm", upper_arm, 1},
    {"humerus", upper_arm, 1},
    {"bicep", upper_arm, 0.9},
    {"arm", upper_arm, 0.7},
    {"forearm", forearm, 1},
    {"lowerarm", forearm, 1},
    {"lowarm", forearm, 1},
    {"elbow", forearm, 0.9},
    {"arm", forearm, 0.4},
    {"hand", hand, 1},
    {"wrist", hand, 0.95},
    {"palm", hand, 0.8},
    {"middlehand", hand, 0.4},
    {"arm", hand, 0.3},
    {"thigh", thigh, 1},
    {"upleg", thigh, 1},
    {"upperleg", thigh, 1},
    {"femur", thigh, 1},
    {"leg", thigh, 0.5},
    {"shin", shin, 1},
    {"calf", shin, 1},
    {"lowerleg", shin, 1},
    {"lowleg", shin, 1},
    {"knee", shin, 0.95},
    {"tibia", shin, 1},
    {"leg", shin, 0.7},
    {"midleg", shin, 0.4},
    {"foot", foot, 1},
    {"ankle", foot, 0.95},
    {"leg", foot, 0.3},
    {"toe", toe, 1},
    {"toes", toe, 1},
    {"ball", toe, 1},
    {"foot", toe, 0.3},
    {"leg", toe, 0.2},
    {"thumb", thumb, 1},
    {"index", index, 1},
    {"middle", middle, 1},
    {"ring", ring, 1},
    {"pinky", little, 1},
    {"little", little, 1},
    {"pinkie", little, 1},
};

/// Words of a name in one, without sides and the names of rigs.
std::string joined_words(std::string_view joint) {
  static constexpr std::array<std::string_view, 12> kLeftOut = {"l",   "r",     "left", "right", "bip", "mixamorig",
                                                                "def", "joint", "jnt",  "j",     "c",   "bone"};
  std::string joined;
  for (const std::string& word : words_of(joint))
    if (std::ranges::find(kLeftOut, word) == kLeftOut.end()) joined += word;
  return joined;
}

/// Bip01's fingers have numbers only: Finger0 is the thumb, Finger01 its second joint.
bool is_numbered_finger(std::string_view joint, BodyRole role) {
  static constexpr BodyRole kFingers[] = {thumb, index, middle, ring, little};
  const std::size_t at = joint.rfind("Finger");
  if (at == std::string_view::npos || at + 6 >= joint.size() || !joint.starts_with("Bip")) return false;
  const int digit = joint[at + 6] - '0';
  return digit >= 0 && digit < 5 && kFingers[digit] == role;
}

}  // namespace

std::string_view name(BodyRole role) {
  static constexpr std::string_view kNames[] = {
      "hips", "spine", "neck", "head",  "clavicle",     "upper arm",     "forearm",     "hand",         "thigh",
      "shin", "foot",  "toe",  "thumb", "index finger", "middle finger", "ring finger", "little finger"};
  return kNames[static_cast<std::size_t>(role)];
}

std::string describe(const BodyJoint& joint) {
  std::string text = joint.side == 'l' ? "left " : joint.side == 'r' ? "right " : "";
  text += name(joint.role);
  const bool many = joint.role == spine || joint.role == neck || joint.role >= thumb;
  return many ? text + ' ' + std::to_string(joint.order + 1) : text;
}

double name_evidence(std::string_view joint, BodyRole role) {
  if (is_numbered_finger(joint, role)) return 1;
  const std::string text = joined_words(joint);
  const char side = read_joint_name(joint).side;
  if (side != 0 && (text == "hip" || text == "hips")) return role == thigh ? 0.6 : 0;
  // Of words inside of each other the longest counts: a forearm is no arm. Of words side by side the last does:
  // LeftHandIndex is a finger; but a toe of a foot is a toe.
  std::size_t best_end = 0, best_size = 0;
  for (const RoleWord& each : kRoleWords) {
    const std::size_t at = text.rfind(each.word);
    if (at == std::string::npos) continue;
    const std::size_t end = at + each.word.size();
    if (end > best_end || (end == best_end && each.word.size() > best_size))
      best_end = end, best_size = each.word.size();
  }
  double evidence = 0;
  for (const RoleWord& each : kRoleWords) {
    const std::size_t at = text.rfind(each.word);
    if (at == std::string::npos || each.role != role || at + each.word.size() != best_end ||
        each.word.size() != best_size)
      continue;
    evidence = std::max(evidence, each.evidence);
  }
  return evidence;
}

bool is_helper_joint(std::string_view joint) {
  static constexpr std::string_view kHelpers[] = {"ik",     "fk",   "pole",   "target", "control", "ctrl",  "ctl",
                                                  "twist",  "roll", "mch",    "org",    "helper",  "slot",  "sec",
                                                  "weapon", "prop", "attach", "socket", "vis",     "tweak", "parent"};
  if (is_end_marker(joint)) return true;
  const std::vector<std::string> words = words_of(joint);
  return std::ranges::any_of(words,
                             [](const std::string& word) {
                               return std::ranges::find(kHelpers, word) != std::end(kHelpers) ||
                                      word.ends_with("target") || word.ends_with("slot");
                             }) ||
         joint.find("IK") != std::string_view::npos;
}

}  // namespace rigspace
