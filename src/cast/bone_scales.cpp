#include "bone_scales.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace rigspace {
namespace {

// Names of the controls that scale local x, y, z; empty: none does.
std::array<std::string, 3> axes_of(const BoneScale& scale) {
  const std::string stem = (scale.stem.empty() ? scale.joint : scale.stem) + ".";
  switch (scale.growth) {
    case Growth::along_and_across: return {stem + "girth", stem + "length", stem + "girth"};
    case Growth::along: return {"", stem + "length", ""};
    case Growth::across: return {stem + "girth", "", stem + "girth"};
    case Growth::size: return {stem + "size", stem + "size", stem + "size"};
    case Growth::each_axis: return {stem + "width", stem + "height", stem + "depth"};
  }
  return {};
}

std::string text_of(double number) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

}  // namespace

void add_bone_scales(const puppet::Skeleton& skeleton, std::span<const BoneScale> scales, const std::string& group,
                     Assembly& assembly) {
  RigPlan& plan = assembly.plan;
  for (const BoneScale& scale : scales) {
    const std::array<std::string, 3> axes = axes_of(scale);
    const bool whole = scale.growth == Growth::size;
    const std::string flesh = whole ? scale.joint : scale.joint + "_flesh";
    if (!whole) {
      plan.nodes.push_back({.name = flesh, .parent = scale.joint, .typical_length = 0.1});
      assembly.carriers[scale.joint] = flesh;
    }
    for (int axis = 0; axis < 3; ++axis) {
      if (axes[axis].empty()) continue;
      const auto known = [&](const Control& control) { return control.name == axes[axis]; };
      if (std::none_of(plan.controls.begin(), plan.controls.end(), known)) {
        plan.controls.push_back({.name = axes[axis],
                                 .node = axes[axis].substr(0, axes[axis].find('.')),
                                 .unit = Unit::scale,
                                 .rest = 1,
                                 .min = scale.least,
                                 .max = scale.most,
                                 .group = group,
                                 .typical = 0.2});
      }
      drive(plan, flesh + ".s" + "xyz"[axis], axes[axis] + " - 1");
    }
    if (whole) continue;
    const int joint = skeleton.find(scale.joint);
    for (int child = 0; child < skeleton.size(); ++child) {
      if (skeleton[child].parent != joint) continue;
      const Vec3 offset = skeleton.local_translation(child);
      for (int axis = 0; axis < 3; ++axis) {
        if (axes[axis].empty() || std::abs(offset[axis]) < 1e-9) continue;
        drive(plan, skeleton[child].name + ".t" + "xyz"[axis], text_of(offset[axis]) + " * (" + axes[axis] + " - 1)");
      }
    }
  }
}

}  // namespace rigspace
