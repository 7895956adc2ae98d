#include "rigspace/apps/sketch/sketch_controls.h"

#include "rigspace/base/error.h"
#include "rigspace/body/joint_points.h"
#include "rigspace/cast/sketch_curves.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();
constexpr double kTurn = 100 * kDegree, kFlexed = 150 * kDegree, kStraightened = 5 * kDegree, kSideways = 30 * kDegree;
constexpr double kLeastScale = 0.3, kMostScale = 3;

/// A joint that bends about one axis: rotation about +axis (scene, rest pose) bends it further.
struct Hinge {
  int bone = -1;
  Vec3 axis = Vec3::Zero();
  double bent = 0;  // at rest, radians
};

/// Where feet point: the mean level direction of the last segments of chains that end lowest.
Vec3 forward_of(const std::vector<StickChain>& chains) {
  double low = kNoBound, high = -kNoBound;
  for (const StickChain& chain : chains)
    for (const Vec3& x : chain.joints) low = std::min(low, x.y()), high = std::max(high, x.y());
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 1; k < chains.size(); ++k) {
    const auto& joints = chains[k].joints;
    if (joints.size() < 4 || joints.back().y() > low + 0.15 * (high - low)) continue;
    Vec3 foot = joints.back() - joints[joints.size() - 2];
    foot.y() = 0;
    sum += foot;
  }
  return sum.norm() > 0.02 * (high - low) ? Vec3(sum.normalized()) : Vec3(Vec3::Zero());
}

/// The middle joint of limbs of two long bones. A limb that is bent at rest bends further; a straight one bends as
/// bodies do: legs backward, arms forward. Where neither is known it is no hinge.
std::vector<Hinge> find_hinges(const std::vector<StickChain>& chains) {
  std::vector<Hinge> hinges;
  const Vec3 forward = forward_of(chains);
  for (std::size_t k = 1; k < chains.size(); ++k) {
    const StickChain& limb = chains[k];
    // The two longest segments next to each other.
    std::size_t middle = 0;
    double longest = 0, whole = 0;
    for (std::size_t j = 1; j < limb.joints.size(); ++j) whole += (limb.joints[j] - limb.joints[j - 1]).norm();
    for (std::size_t j = 1; j + 1 < limb.joints.size(); ++j) {
      const double shorter =
          std::min((limb.joints[j] - limb.joints[j - 1]).norm(), (limb.joints[j + 1] - limb.joints[j]).norm());
      if (shorter > longest) longest = shorter, middle = j;
    }
    if (middle == 0 || middle >= limb.bones.size()) continue;
    const double both =
        (limb.joints[middle] - limb.joints[middle - 1]).norm() + (limb.joints[middle + 1] - limb.joints[middle]).norm();
    if (both < 0.55 * whole || longest < 0.2 * whole) continue;  // a tail
    const Vec3 upper = (limb.joints[middle] - limb.joints[middle - 1]).normalized();
    const Vec3 lower = (limb.joints[middle + 1] - limb.joints[middle]).normalized();
    Hinge hinge{.bone = limb.bones[middle], .bent = std::acos(std::clamp(upper.dot(lower), -1.0, 1.0))};
    if (hinge.bent > 8 * kDegree) {
      hinge.axis = upper.cross(lower).normalized();
    } else if (forward.squaredNorm() > 0 && limb.joints.size() >= 4) {
      const bool leg = lower.y() < -0.8 && limb.joints.back().y() < limb.joints.front().y();
      const Vec3 axis = lower.cross(leg ? Vec3(-forward) : forward);
      if (axis.norm() < 0.7) continue;
      hinge.axis = axis.normalized();
    } else {
      continue;
    }
    hinges.push_back(hinge);
  }
  return hinges;
}

/// The axis, scene, about which a control turns a joint at rest; zero if it does not turn it.
Vec3 turning_axis(const BuiltInRig& rig, int slot, int control) {
  const auto workspace = rig.make_workspace();
  const double h = 1e-4;
  Vec p = rig.rest(), u;
  Mat3 sides[2];
  for (int k = 0; k < 2; ++k) {
    Vec moved = p;
    moved[control] += k == 0 ? -h : h;
    rig.evaluate_slots(*workspace, moved, u);
    sides[k] = linear(slot_transform(rig, u, slot));
  }
  const Mat3 spin = (sides[1] - sides[0]) / (2 * h) * (0.5 * (sides[0] + sides[1])).inverse();
  return 0.5 * Vec3(spin(2, 1) - spin(1, 2), spin(0, 2) - spin(2, 0), spin(1, 0) - spin(0, 1));
}

int bone_named(const Character& character, const std::string& name) {
  for (std::size_t b = 0; b < character.bones.size(); ++b)
    if (character.bones[b].name == name) return static_cast<int>(b);
  return -1;
}

bool ends_in(const Control& control, std::string_view kind) {
  return control.name.size() > 3 && control.name[control.name.size() - 3] == '.' &&
         kind.find(control.name[control.name.size() - 2]) != std::string_view::npos;
}

}  // namespace

SketchControls sketch_controls(const Character& character, const Rig& extended, std::span<const int> points, In p,
                               const SketchControlOptions& options) {
  const std::span<const Control> controls = extended.controls();
  const auto* built_in = dynamic_cast<const BuiltInRig*>(&extended);
  const std::unique_ptr<Rig> seen = extended.restricted(points);
  Vec s;
  seen->evaluate(*seen->make_workspace(), p, s);
  Vec whole;
  extended.evaluate(*extended.make_workspace(), extended.rest(), whole);
  const double size = std::max(1e-12, bounding_box(whole).diagonal());

  std::vector<int> candidates = options.free;
  const auto bone_of = [&](int c) { return bone_named(character, controls[c].node); };
  // What a rig does not offer is internal, unless it is a joint: the root of one that keys its pelvis, say.
  const std::vector<int> offered = offered_controls(extended);
  if (candidates.empty())
    for (int c = 0; c < static_cast<int>(controls.size()); ++c) {
      const Control& control = controls[c];
      const int bone = bone_of(c);
      if (bone < 0 && !std::binary_search(offered.begin(), offered.end(), c)) continue;
      const bool below_root = bone >= 0 && character.bones[static_cast<std::size_t>(bone)].parent >= 0;
      if (control.unit == Unit::quaternion || (control.unit == Unit::scale && !options.scales)) continue;
      if (control.unit == Unit::scalar && !options.shapes && built_in != nullptr && !character.bones.empty()) continue;
      if (control.unit == Unit::length && below_root && ends_in(control, "t") && !options.stretch) continue;
      candidates.push_back(c);
    }
  // Only what moves the curves: a control whose large change moves no point of them by 1e-4 of the size is left alone.
  SketchControls result;
  std::vector<double> units;
  for (const int c : candidates) {
    const Control& control = controls[c];
    const double range = control.max - control.min;
    units.push_back(control.unit == Unit::angle    ? 1
                    : control.unit == Unit::length ? size
                    : std::isfinite(range)         ? std::max(1e-9, 0.5 * range)
                                                   : 1);
  }
  std::vector<char> moves(candidates.size(), 1);
  if (built_in != nullptr && options.free.empty()) {
    BlockJacobian J;
    seen->jacobian(*seen->make_workspace(), p, candidates, J);
    std::vector<double> largest(candidates.size(), 0);
    for (int i = 0; i < J.points(); ++i)
      for (int e = J.start[i]; e < J.start[i + 1]; ++e)
        largest[static_cast<std::size_t>(J.column[e])] =
            std::max(largest[static_cast<std::size_t>(J.column[e])], J.value.col(e).norm());
    for (std::size_t k = 0; k < candidates.size(); ++k) moves[k] = largest[k] * units[k] > 1e-4 * size;
  }
  std::vector<double> unit;
  for (std::size_t k = 0; k < candidates.size(); ++k)
    if (moves[k]) result.free.push_back(candidates[k]), unit.push_back(units[k]);
  const auto n = static_cast<Eigen::Index>(result.free.size());
  result.unit = Eigen::Map<const Vec>(unit.data(), n);
  result.lower = Vec::Constant(n, -kNoBound), result.upper = Vec::Constant(n, kNoBound);

  std::vector<Hinge> hinges;
  std::vector<char> root(character.bones.size(), 0);
  if (options.body_limits && built_in != nullptr && !character.bones.empty()) {
    try {
      const std::vector<StickChain> chains = stick_chains(character);
      hinges = find_hinges(chains);
      root[static_cast<std::size_t>(chains.front().bones.front())] = 1;
    } catch (const Error&) {  // a rig without a skeleton worth the name: no hinges
    }
    for (std::size_t b = 0; b < root.size(); ++b) root[b] = root[b] || character.bones[b].parent < 0;
    for (const Hinge& hinge : hinges) result.hinges.push_back(hinge.bone);
  }
  for (Eigen::Index k = 0; k < n; ++k) {
    const int c = result.free[static_cast<std::size_t>(k)];
    const Control& control = controls[c];
    double &low = result.lower[k], &high = result.upper[k];
    if (options.keep_limits) low = control.min, high = control.max;
    // Half a turn either way is where rotation vectors end (Blender's quaternion bones), not a limit of the body.
    const double half_turn = control.unit == Unit::angle ? 179.9 * kDegree : kNoBound;
    const bool free = low - control.rest <= -half_turn && high - control.rest >= half_turn;
    if (options.body_limits && free) {
      const int bone = bone_of(c);
      if (control.unit == Unit::scale) low = kLeastScale * control.rest, high = kMostScale * control.rest;
      if (control.unit == Unit::angle && bone >= 0 && !root[static_cast<std::size_t>(bone)]) {
        low = control.rest - kTurn, high = control.rest + kTurn;
        for (const Hinge& hinge : hinges) {
          if (hinge.bone != bone) continue;
          const double along =
              turning_axis(*built_in, character.bones[static_cast<std::size_t>(bone)].slot, c).dot(hinge.axis);
          if (std::abs(along) < 0.5) {
            low = control.rest - kSideways, high = control.rest + kSideways;
          } else {
            const double straighten = hinge.bent + kStraightened, flex = std::max(kStraightened, kFlexed - hinge.bent);
            low = control.rest - (along > 0 ? straighten : flex), high = control.rest + (along > 0 ? flex : straighten);
          }
        }
      }
    }
    if (options.keep_limits || options.body_limits) low = std::min(low, p[c]), high = std::max(high, p[c]);
  }
  return result;
}

}  // namespace rigspace
