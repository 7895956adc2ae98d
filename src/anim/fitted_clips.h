#pragma once
// Private to anim: clips of a template on nodes that stand elsewhere.

#include "rigspace/anim/animation.h"
#include "rigspace/rig/rig_plan.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// How a node's keys change.
struct KeyChange {
  Vec3 rest = Vec3::Zero(), new_rest = Vec3::Zero();  ///< its translation at rest
  double scale = 1;                                   ///< of what keys move it from there
  bool turned = false;                                ///< its rotation at rest is another one now
  Quat rotation = Quat::Identity();                   ///< the template's, at rest
};

/// Translations t become new_rest + scale (t - rest). A clip that keys no rotation of a turned node gets a key of the
/// template's rest rotation, so that it poses the limb as it posed the template's. Tracks of controls that are not in
/// `controls` are left out; their names are added to `dropped`.
Animation fitted_clip(const Animation& clip, const std::map<std::string, KeyChange>& changes,
                      std::span<const Control> controls, std::vector<std::string>& dropped);

}  // namespace rigspace
