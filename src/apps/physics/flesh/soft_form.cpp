#include "rigspace/apps/physics/soft_form.h"

#include "rigspace/anim/character_frame.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"
#include "run/soft_keys.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

namespace rigspace {
namespace {

std::string morph_suffix(const SoftJoint& joint, int axis) { return ":" + joint.name + "_" + "xyz"[axis]; }

/// The motion without soft joints, and for each soft joint the row of its tx in the whole motion.
struct Apart {
  SoftMotion chains;
  std::map<int, std::size_t> first_row;  // by soft joint
};

Apart take_apart(const Softened& softened, const SoftMotion& motion) {
  std::map<std::string, int> joint_named;
  for (std::size_t j = 0; j < softened.joints.joints.size(); ++j)
    joint_named.emplace(softened.joints.joints[j].name, static_cast<int>(j));
  Apart apart;
  std::vector<int> kept;
  const auto controls = softened.character.rig->controls();
  for (std::size_t c = 0; c < motion.controls.size(); ++c) {
    const Control& control = controls[motion.controls[c]];
    const auto joint = joint_named.find(control.node);
    if (joint == joint_named.end())
      kept.push_back(static_cast<int>(c));
    else if (control.name.ends_with(".tx"))
      apart.first_row.emplace(joint->second, c);
    else if (control.unit == Unit::angle)
      throw Error({.element = "curve \"" + control.name + "\"",
                   .value = control.name,
                   .problem = "turns a soft joint, which morph targets cannot do",
                   .remedy = "make all of it anew: leave out clips and range"});
  }
  apart.chains = {.times = motion.times,
                  .deviation = motion.deviation(kept, Eigen::all),
                  .looped = motion.looped,
                  .period = motion.period,
                  .corrected = motion.corrected};
  for (const int c : kept) apart.chains.controls.push_back(motion.controls[c]);
  return apart;
}

/// Curves of the morph weights w = A dt along x, y and z of the scene.
std::array<Curve, 3> weights_of(const SoftMotion& motion, std::size_t row, const Mat3& A,
                                const std::vector<double>& times) {
  const Curve dt[3] = {deviation_curve(motion, row), deviation_curve(motion, row + 1),
                       deviation_curve(motion, row + 2)};
  std::array<Curve, 3> weights;
  weights.fill({.interpolation = Interpolation::linear, .times = times});
  for (const double time : times) {
    const Vec3 w = A * Vec3(dt[0](time), dt[1](time), dt[2](time));
    for (int axis = 0; axis < 3; ++axis) weights[axis].values.push_back(w[axis]);
  }
  if (motion.closes())
    for (Curve& curve : weights) curve.values.back() = curve.values.front();
  return weights;
}

}  // namespace

double muted_share(const Character& character, const Softened& softened) {
  const double size = character_frame(character).extent();
  return size > 0 ? muted_change(character, softened.character, character.clips) / size : 0;
}

Softened soften_as(SoftForm form, const Character& character, const std::vector<Part>& parts, SoftenOptions options) {
  options.morphs = form == SoftForm::morphs;
  Softened softened = soften(character, parts, options);
  if (form != SoftForm::automatic || softened.joints.joints.empty()) return softened;
  const double share = muted_share(character, softened);
  if (share <= options.muted_tolerance) return softened;
  const auto is_sheet = [](const Part& part) { return !part.points.empty(); };
  if (std::any_of(parts.begin(), parts.end(), is_sheet)) {
    // Sheets need joints, which rules out morphs: found flesh is left out instead, so that the muted skin is the
    // original.
    std::vector<Part> kept = parts;
    std::erase_if(kept, [&](const Part& part) {
      return part.found && part.flesh == nullptr && !is_sheet(part) && preset_named(part.preset).flesh;
    });
    if (kept.size() == parts.size()) return softened;
    softened = soften(character, kept, options);
    softened.notes.emplace_back(
        "flesh is left as it is: its joints would change the muted skin, and sheets need joints");
    return softened;
  }
  options.morphs = true;
  softened = soften(character, parts, options);
  char text[160];
  std::snprintf(
      text, sizeof text,
      "soft joints would change the muted skin by %.2g %% of its size, so that morph targets take their place",
      100 * share);
  softened.notes.emplace_back(text);
  return softened;
}

std::vector<std::string> morph_controls(const Character& morphs, const SoftJoint& joint) {
  std::vector<std::string> names;
  for (const Control& control : morphs.rig->controls())
    for (int axis = 0; axis < 3; ++axis)
      if (control.name.ends_with(morph_suffix(joint, axis))) names.push_back(control.name);
  return names;
}

Animation morph_clip(const Softened& softened, const Character& morphs, const Animation* clip, const SoftMotion& motion,
                     double rate) {
  const Apart apart = take_apart(softened, motion);
  Animation soft = soft_clip(softened.character, clip, apart.chains, rate);
  const auto& rig = dynamic_cast<const BuiltInRig&>(*softened.character.rig);
  Vec u_rest;
  rig.evaluate_slots(*rig.make_workspace(), rig.rest(), u_rest);
  const std::vector<double> times = key_times(motion, rate);
  for (const auto& [j, row] : apart.first_row) {
    const SoftJoint& joint = softened.joints.joints[j];
    const int slot = softened.character.bones[joint.parent].slot;
    const auto weights = weights_of(motion, row, linear(transform_at(u_rest, rig.graph().slots()[slot])), times);
    for (const std::string& control : morph_controls(morphs, joint))
      soft.tracks.push_back({.control = control, .curve = weights[control.back() - 'x']});
  }
  return soft;
}

}  // namespace rigspace
