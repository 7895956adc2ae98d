#include "rigspace/apps/physics/flesh.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/embedding.h"
#include "rigspace/geometry/signed_distance.h"
#include "sheet_joints.h"
#include "soft_placement.h"
#include "solid_chain.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

namespace rigspace {
namespace {

constexpr double kPoisson = 0.4;
constexpr double kIdle = 0.1;
constexpr double kLimbFade = 0.06;  // of the character's size

/// The number of influences of a point that the written form allows.
int most_influences(const SoftenOptions& options) {
  return options.morphs ? std::numeric_limits<int>::max() : options.max_influences;
}

/// The joint in its parent's space, both in the character's own frame. At rest its axes are those of that frame which
/// are nearest to the scene's, so that its curves mean left, up and forward whichever way the character faces.
SoftJoint joint_in_parent(const Placed& placed, const Affine& parent, const OwnFrame& frame, std::string name) {
  const Mat3 A = linear(parent), axes = frame.turn * frame.axes_near_scene();
  Mat3 R = nearest_orthogonal(A);
  if (R.determinant() < 0) R = -R;
  SoftJoint joint{.name = std::move(name), .parent = placed.parent};
  joint.translation = A.inverse() * (placed.center - translation(parent));
  joint.rotation = Quat(R.transpose() * axes).normalized();
  return joint;
}

/// The skin that other bones hold: arms and legs, seen from a belly.
TriMesh limbs_of(const RiggedSurface& surface, const std::vector<char>& chosen) {
  TriMesh limbs{.points = surface.mesh.points};
  for (const Triangle& triangle : surface.mesh.triangles)
    if (std::all_of(triangle.begin(), triangle.end(),
                    [&](int i) { return !surface.weights[i].empty() && weight_of(surface.weights[i], chosen) < 0.1; }))
      limbs.triangles.push_back(triangle);
  return limbs;
}

/// Per point of the surface: the smallest distance of a limb over all clips, at most `within`; in units of the
/// surface's frame. Points without weight on the chosen bones are skipped.
std::vector<double> nearest_limb(const Character& character, const RiggedSurface& surface,
                                 const std::vector<char>& chosen, double within) {
  const int count = std::clamp(4 * static_cast<int>(character.clips.size()), 32, 240);  // evenly over all clips
  TriMesh limbs = limbs_of(surface, chosen);
  const double unit = surface.frame.size;  // poses are in scene space
  std::vector<double> nearest(surface.weights.size(), unit * within);
  if (limbs.triangles.empty()) return std::vector<double>(surface.weights.size(), within);
  std::vector<Vec> poses{surface.frame.outward_points(surface.mesh.points)};
  double total = 0;
  for (const Animation& clip : character.clips) total += clip.duration;
  const auto workspace = character.rig->make_workspace();
  double next = 0, begun = 0;  // on the time line of all clips
  for (const Animation& clip : character.clips) {
    for (; next < begun + clip.duration && total > 0; next += total / count) {
      poses.emplace_back();
      character.rig->evaluate(*workspace, pose_at(character, &clip, next - begun), poses.back());
    }
    begun += clip.duration;
  }
  TriangleTree tree(limbs);
  for (const Vec& pose : poses) {
    if (!pose.allFinite()) continue;
    tree.refit(pose);
    parallel_ranges(static_cast<int>(nearest.size()), 256, [&](int begin, int end) {
      for (int i = begin; i < end; ++i)
        if (weight_of(surface.weights[i], chosen) >= 0.1)
          nearest[i] = std::min(nearest[i], tree.closest(pose.segment<3>(3 * i), nearest[i]).distance);
    });
  }
  for (double& distance : nearest) distance /= unit;
  return nearest;
}

/// How soft each point of the surface is: that of the flesh where it lies, fading where other bones take over.
class Softness {
 public:
  Softness(const Region& region, const Placement& placement, const std::vector<char>& chosen,
           const std::vector<char>& guarded)
      : region_(region), placement_(placement), chosen_(chosen), guarded_(guarded), tree_(region.mesh) {}

  double at(const Vec3& x, const std::vector<std::pair<int, double>>& bones) const {
    const double guard = 1 - smooth_step(0, 0.05, weight_of(bones, guarded_));
    if (guard == 0 || weight_of(bones, chosen_) == 0) return 0;  // soft joints take weight from the chosen bones only
    const int tet = tree_.nearest(x);
    if (tet < 0) return 0;
    Vec4 weights = tree_.barycentric(tet, x).cwiseMax(0);
    weights /= weights.sum();
    double soft = 0;
    Vec3 nearest = Vec3::Zero();
    for (int k = 0; k < 4; ++k) {
      const int i = region_.mesh.tets[tet][k];
      soft += weights[k] * placement_.softness[i];
      nearest += weights[k] * region_.mesh.points.segment<3>(3 * static_cast<Eigen::Index>(i));
    }
    const double away = (nearest - x).norm() / region_.cell;
    return guard * soft * (1 - smooth_step(1, 2, away));
  }

 private:
  const Region& region_;
  const Placement& placement_;
  const std::vector<char>&chosen_, &guarded_;
  TetTree tree_;
};

class Softener {
 public:
  Softener(const Character& character, const SoftenOptions& options)
      : character_(character), options_(options), surface_(framed_surface(character)) {
    joints_.start.assign(1, 0);
    shares_.resize(static_cast<std::size_t>(surface_.mesh.point_count()));
    guarded_.assign(character.bones.size(), 0);
    for (std::size_t b = 0; b < character.bones.size(); ++b) guarded_[b] = guards(character.bones[b].name);
  }

  /// False if there is no room for flesh.
  bool add(Part& part, int most, std::string& why) {
    std::vector<char> chosen(character_.bones.size(), 0);
    for (const int bone : part.bones) chosen[bone] = 1;
    Region region = flesh_region(character_, surface_, chosen, options_);
    if (region.mesh.tets.empty()) return why = "its bones hold no volume of skin", false;
    if (part.found && region.thickness < options_.least_thickness * surface_.size)
      return why = "its flesh is too thin", false;
    Placement placement;
    std::optional<Softness> softest;
    double extent = 0;
    for (bool again = false;; again = true) {
      placement = place_joints(region, chosen, most, kPoisson);
      softest.emplace(region, placement, chosen, guarded_);
      set_softness(*softest, chosen);
      drop_idle(placement);
      extent = placement.joints.empty() ? 0 : soft_extent();
      // One vertex, or a few at one place, far from all limbs are a spike without extent, which is no flesh.
      if (!placement.joints.empty() && extent >= region.cell) break;
      // Where the softest place is beside a limb, softness is sought away from limbs: a penguin's belly.
      if (again || !hold_near_limbs(region, chosen))
        return why = placement.joints.empty() ? "nothing of its skin can give way"
                                              : "in its clips limbs come near all of its skin",
               false;
    }
    const Softness& softness = *softest;

    const int first = static_cast<int>(joints_.joints.size());
    auto flesh = std::make_shared<Flesh>();
    for (std::size_t j = 0; j < placement.joints.size(); ++j) {
      char number[16];
      std::snprintf(number, sizeof number, "_%02d", static_cast<int>(j) + 1);
      joints_.joints.push_back(joint_in_parent(placement.joints[j], surface_.bones[placement.joints[j].parent],
                                               surface_.frame, "soft_" + part.name + number));
      flesh->joints.push_back(static_cast<int>(character_.bones.size()) + first + static_cast<int>(j));
    }
    flesh->size = surface_.frame.size * extent;
    split_surface(placement, first);
    split_nodes(region, softness, placement, first);
    flesh->mesh = std::move(region.mesh), flesh->nodes = std::move(region.nodes);
    flesh->mesh.points = surface_.frame.outward_points(flesh->mesh.points);
    flesh->on_surface = std::move(region.on_surface), flesh->bones = std::move(region.bones);
    flesh->thickness = surface_.frame.size * region.thickness;
    flesh->turns = !options_.morphs;
    part.flesh = std::move(flesh);
    return true;
  }

  /// Adds chains of joints for a sheet, and a note about them.
  std::string add_sheet(Part& part, int most) {
    SheetJoints sheet = sheet_joints(character_, part, most);
    const int first = static_cast<int>(joints_.joints.size());
    part.joints.clear(), part.columns = sheet.columns;
    for (SoftJoint& joint : sheet.joints) {
      if (joint.above >= 0) joint.above += first;
      part.joints.push_back(static_cast<int>(character_.bones.size() + joints_.joints.size()));
      joints_.joints.push_back(std::move(joint));
    }
    for (std::size_t k = 0; k < part.points.size(); ++k)
      for (const auto& [joint, share] : sheet.shares[k]) shares_[part.points[k]].emplace_back(first + joint, share);
    return part.name + " gets " + std::to_string(part.joints.size()) + " joints of its own, " +
           joints_.joints[first].name + " to " + joints_.joints.back().name + ", " +
           (sheet.columns == 1 ? "in a chain" : "in " + std::to_string(sheet.columns) + " chains side by side") +
           " on " + character_.bones[part.bones.front()].name;
  }

  /// "belly gets 8 soft joints, soft_belly_01 to soft_belly_08, on pelvis, spine_01".
  std::string describe(const Part& part) const {
    const auto joint = [&](int bone) -> const SoftJoint& {
      return joints_.joints[static_cast<std::size_t>(bone) - character_.bones.size()];
    };
    std::set<int> parents;
    for (const int bone : part.flesh->joints) parents.insert(joint(bone).parent);
    std::string on;
    for (const int parent : parents) on += (on.empty() ? "" : ", ") + character_.bones[parent].name;
    const std::size_t count = part.flesh->joints.size();
    const std::string first = joint(part.flesh->joints.front()).name;
    if (options_.morphs)
      return part.name + " gets " + std::to_string(3 * count) + " morph targets, " + first + "_x to " +
             joint(part.flesh->joints.back()).name + "_z, that move with " + on;
    if (count == 1) return part.name + " gets a soft joint, " + first + ", on " + on;
    return part.name + " gets " + std::to_string(count) + " soft joints, " + first + " to " +
           joint(part.flesh->joints.back()).name + ", on " + on;
  }

  SoftJoints finish() {
    for (const auto& shares : shares_) {
      for (const auto& [joint, share] : shares) joints_.joint.push_back(joint), joints_.share.push_back(share);
      joints_.start.push_back(static_cast<int>(joints_.joint.size()));
    }
    return std::move(joints_);
  }

 private:
  bool guards(const std::string& name) const {
    return is_protected(name) || std::any_of(options_.protect.begin(), options_.protect.end(),
                                             [&](const std::string& p) { return matches_pattern(name, p); });
  }

  /// Softness of the points of the surface, 0 where another part has them, or limbs touch the flesh in some clip.
  void set_softness(const Softness& softness, const std::vector<char>& chosen) {
    const double fade = kLimbFade * surface_.size;
    soft_ = nearest_limb(character_, surface_, chosen, fade);
    for (int i = 0; i < surface_.mesh.point_count(); ++i) {
      double& soft = soft_[static_cast<std::size_t>(i)];
      soft = surface_.splittable[i] && shares_[i].empty()
                 ? smooth_step(0, fade, soft) * softness.at(point(i), surface_.weights[i])
                 : 0;
      if (soft < 1e-3) soft = 0;
    }
  }

  Vec3 point(int i) const { return surface_.mesh.points.segment<3>(3 * static_cast<Eigen::Index>(i)); }

  /// Nodes of the skin that a limb comes near in any clip become held. False if all or none do.
  bool hold_near_limbs(Region& region, const std::vector<char>& chosen) const {
    const double fade = kLimbFade * surface_.size;
    const std::vector<double> limb = nearest_limb(character_, surface_, chosen, fade);
    int held = 0, left = 0;
    for (int i = 0; i < region.mesh.point_count(); ++i) {
      FleshNode& node = region.nodes[static_cast<std::size_t>(i)];
      if (node != FleshNode::skin) continue;
      const Vec3 x = region.mesh.points.segment<3>(3 * static_cast<Eigen::Index>(i));
      double distance = std::numeric_limits<double>::infinity(), of_limb = fade;
      for (int k = 0; k < surface_.mesh.point_count(); ++k)
        if (const double away = (point(k) - x).squaredNorm(); away < distance && !surface_.weights[k].empty())
          distance = away, of_limb = limb[static_cast<std::size_t>(k)];
      if (of_limb < 0.5 * fade)
        node = FleshNode::held, ++held;
      else
        ++left;
    }
    return held > 0 && left > 0;
  }

  /// Removes joints whose influence is a small share of that of the strongest joint.
  void drop_idle(Placement& placement) const {
    for (int round = 0; round < 2; ++round) {
      std::vector<double> moved(placement.joints.size(), 0);
      for (int i = 0; i < surface_.mesh.point_count(); ++i)
        if (soft_[i] > 0)
          for (const auto& [joint, share] :
               shares_at(placement, point(i), soft_[i], surface_.weights[i], most_influences(options_)))
            for (const auto& [bone, weight] : surface_.weights[i])
              if (bone == placement.joints[joint].parent) moved[joint] += share * weight;
      const double most = moved.empty() ? 0 : *std::max_element(moved.begin(), moved.end());
      std::vector<Placed> kept;
      for (std::size_t j = 0; j < moved.size(); ++j)
        if (moved[j] > kIdle * most) kept.push_back(placement.joints[j]);
      placement.joints = std::move(kept);
    }
  }

  /// The largest extent, along the axes of the frame, of what is at least half as soft as the softest.
  double soft_extent() const {
    Box box;
    const double softest = *std::max_element(soft_.begin(), soft_.end());
    for (int i = 0; i < surface_.mesh.point_count(); ++i)
      if (soft_[i] > 0.5 * softest) box.include(point(i));
    return box.empty() ? 0 : box.size().maxCoeff();
  }

  void split_surface(const Placement& placement, int first) {
    for (int i = 0; i < surface_.mesh.point_count(); ++i) {
      if (soft_[i] == 0) continue;
      for (const auto& [joint, share] :
           shares_at(placement, point(i), soft_[i], surface_.weights[i], most_influences(options_)))
        shares_[i].emplace_back(first + joint, share);
    }
  }

  /// Skin nodes that are off the surface follow the joints as the skin there does.
  void split_nodes(Region& region, const Softness& softness, const Placement& placement, int first) const {
    for (int i = 0; i < region.mesh.point_count(); ++i) {
      if (region.nodes[i] != FleshNode::skin || !region.on_surface[i].empty()) continue;
      const Vec3 x = region.mesh.points.segment<3>(3 * static_cast<Eigen::Index>(i));
      auto bones = region.bones[i];
      std::vector<std::pair<int, double>> taken;
      for (const auto& [joint, share] : shares_at(placement, x, softness.at(x, bones), bones, 64))
        for (auto& [bone, weight] : bones)
          if (bone == placement.joints[joint].parent) {
            taken.emplace_back(static_cast<int>(character_.bones.size()) + first + joint, share);
          }
      auto& result = region.bones[i];
      result.clear();
      for (const auto& [bone, weight] : bones) {
        double kept = 1;
        for (const auto& [joint, share] : taken) {
          const int parent = joints_.joints[static_cast<std::size_t>(joint) - character_.bones.size()].parent;
          if (parent != bone) continue;
          result.emplace_back(joint, share * weight);
          kept -= share;
        }
        if (kept > 0) result.emplace_back(bone, kept * weight);
      }
    }
  }

  const Character& character_;
  const SoftenOptions& options_;
  RiggedSurface surface_;
  SoftJoints joints_;
  std::vector<std::vector<std::pair<int, double>>> shares_;
  std::vector<char> guarded_;
  std::vector<double> soft_;  // per point, of the part in hand
};

}  // namespace

void SoftenOptions::validate() const {
  require_option(max_joints >= 1 && max_joints <= 200, "number of soft joints", max_joints, "expected 1 to 200");
  require_option(max_per_part >= 1, "number of soft joints of a part", max_per_part, "expected at least 1");
  require_option(max_influences == 4 || max_influences == 8, "number of influences", max_influences, "expected 4 or 8");
  require_option(muted_tolerance >= 0, "tolerance of the muted skin", muted_tolerance, "expected at least 0");
  require_option(hold_ratio > 0 && hold_ratio < 1, "hold ratio", hold_ratio, "expected 0 to 1");
}

Softened soften(const Character& character, std::vector<Part> parts, const SoftenOptions& options) {
  options.validate();
  for (const std::string& pattern : options.protect)
    if (std::none_of(character.bones.begin(), character.bones.end(),
                     [&](const Bone& bone) { return matches_pattern(bone.name, pattern); }))
      throw Error({.file = character.name,
                   .element = "protected joint \"" + pattern + "\"",
                   .value = pattern,
                   .problem = "does not exist",
                   .remedy = "`rigspace info --controls` lists the joints"});
  Softened softened{.morphs = options.morphs};
  fill_chains(character, parts, options, softened.notes);
  int flesh_parts = 0, sheets = 0;
  for (const Part& part : parts)
    (part.points.empty() ? flesh_parts : sheets) += !part.points.empty() || preset_named(part.preset).flesh ? 1 : 0;
  if (sheets > 0 && options.morphs) {
    for (const Part& part : parts)
      if (!part.points.empty() && !part.found)
        throw Error({.file = character.name,
                     .element = "part \"" + part.name + "\"",
                     .problem = "is a sheet, which needs joints: morph targets cannot turn",
                     .remedy = "leave out --soft morphs"});
    std::erase_if(parts, [&](const Part& part) {
      if (!part.points.empty())
        softened.notes.push_back(part.name + " is left as it is: it needs joints, and morph targets are asked for");
      return !part.points.empty();
    });
    sheets = 0;
  }
  if (flesh_parts == 0 && sheets == 0) {
    softened.character = character;
    softened.parts = std::move(parts);
    softened.joints.start.assign(static_cast<std::size_t>(character.rig->point_count()) + 1, 0);
    return softened;
  }
  Softener softener(character, options);
  const int for_sheets = sheets == 0 ? 0 : std::min(12 * sheets, options.max_joints - std::min(8, 4 * flesh_parts));
  for (Part& part : parts)  // sheets first: flesh does not use their points
    if (!part.points.empty()) softened.notes.push_back(softener.add_sheet(part, for_sheets / sheets));
  const int most =
      std::max(1, std::min(options.max_per_part, (options.max_joints - for_sheets) / std::max(1, flesh_parts)));
  int done = 0;
  for (Part& part : parts) {
    if (preset_named(part.preset).flesh) {
      report(options.progress, "placing soft joints", static_cast<double>(done++) / flesh_parts);
      std::string why;
      if (!softener.add(part, most, why)) {
        if (!part.found)
          throw Error({.file = character.name,
                       .element = "part \"" + part.name + "\"",
                       .problem = "cannot be made soft: " + why,
                       .remedy = "name bones with flesh around them"});
        softened.notes.push_back(part.name + " is left as it is: " + why);
        continue;
      }
    }
    if (part.flesh && part.flesh->controls.empty()) softened.notes.push_back(softener.describe(part));
    softened.parts.push_back(std::move(part));
  }
  softened.joints = softener.finish();
  softened.character = with_soft_joints(character, softened.joints, most_influences(options));
  return softened;
}

}  // namespace rigspace
