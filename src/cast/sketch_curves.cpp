#include "rigspace/cast/sketch_curves.h"

#include "members.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <array>

namespace rigspace {
namespace {

constexpr std::array<std::string_view, 9> kNames{"toon",
                                                 "face",
                                                 "dragon",
                                                 "dragon_torso",
                                                 "dragon_wings",
                                                 "dragon_head",
                                                 "dragon_tail",
                                                 "dragon_front_legs",
                                                 "dragon_hind_legs"};

}  // namespace

std::span<const std::string_view> sketch_cast() { return kNames; }

CastSketch make_cast_sketch(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    std::string names;
    for (const std::string_view each : kNames) names += (names.empty() ? "" : ", ") + std::string(each);
    throw Error({.code = ErrorCode::usage,
                 .element = "character \"" + std::string(name) + "\"",
                 .value = std::string(name),
                 .problem = "has no sketch abstractions of its own",
                 .remedy = "choose from: " + names});
  }
  const auto k = static_cast<int>(found - kNames.begin());
  if (k == 0) return make_toon(Version::rig);
  if (k == 1) return make_face(Version::rig);
  if (k == 2) return make_dragon(Version::rig);
  return make_dragon_part(k - 3, Version::rig);
}

std::vector<int> offered_controls(const Rig& rig) {
  const std::span<const Control> controls = rig.controls();
  const bool grouped =
      std::any_of(controls.begin(), controls.end(), [](const Control& control) { return !control.group.empty(); });
  std::vector<int> offered;
  for (int c = 0; c < static_cast<int>(controls.size()); ++c) {
    if (controls[c].unit == Unit::quaternion) continue;
    if (!grouped || !controls[c].group.empty()) offered.push_back(c);
  }
  return offered;
}

}  // namespace rigspace
