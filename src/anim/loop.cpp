#include "rigspace/anim/loop.h"

#include "rigspace/anim/key_fitting.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {
namespace {

constexpr double kOneDegree = 0.0175, kClose = 1e-3, kOwnRange = 0.02;

struct NodeTravel {
  Vec3 gap = Vec3::Zero();
  double reach = 0;  // largest distance of an axis from its start: a scaled armature makes node units large
};

double reach_of(const Curve& curve) {
  double reach = 0;
  for (const double value : curve.values) reach = std::max(reach, std::abs(value - curve.values.front()));
  return reach;
}

bool is_translation(const Control& control) {
  const char axis = control.name.back();
  return axis >= 'x' && axis <= 'z' && control.name == control.node + ".t" + axis;
}

}  // namespace

void LoopOptions::validate() const {
  require_option(min_period > 0 && std::isfinite(min_period), "shortest period", min_period, "expected more than 0 s");
  require_option(blend >= 0 && std::isfinite(blend), "blend of a loop", blend, "expected 0 s or more");
  require_option(rate >= 0 && std::isfinite(rate), "frame rate of a loop", rate, "expected 0 or more");
}

Seam find_seam(const Rig& rig, const Animation& clip) {
  Seam seam;
  if (!(clip.duration > 0)) return seam;
  const double height = rest_height(rig);
  for (const RotationTrack& track : clip.rotations) {
    const double half = std::min(1.0, std::abs(track(0).dot(track(clip.duration))));
    if (2 * std::acos(half) > kOneDegree) return seam;
  }
  std::map<std::string, NodeTravel> travels;
  for (const Track& track : clip.tracks) {
    const int index = rig.find(track.control);
    if (index < 0 || track.curve.times.empty()) continue;
    const Control& control = rig.controls()[index];
    const double gap = track.curve(clip.duration) - track.curve(0), reach = reach_of(track.curve);
    if (control.unit == Unit::length && !control.node.empty() && is_translation(control)) {
      NodeTravel& travel = travels[control.node];
      travel.gap[control.name.back() - 'x'] = gap;
      travel.reach = std::max(travel.reach, reach);
    } else if (std::abs(gap) > (control.unit == Unit::angle    ? kOneDegree
                                : control.unit == Unit::length ? std::max(kClose * height, kOwnRange * reach)
                                                               : std::max(kClose, kOwnRange * reach))) {
      return seam;
    }
  }
  for (const auto& [node, travel] : travels) {
    if (travel.gap.norm() <= std::max(kClose * height, kOwnRange * travel.reach)) continue;
    if (!seam.traveller.empty()) return {};  // two nodes that do not come back
    seam.traveller = node;
    seam.travel = travel.gap;
  }
  seam.loops = true;
  for (const auto& [node, travel] : travels) seam.moved.push_back(node);
  return seam;
}

}  // namespace rigspace
