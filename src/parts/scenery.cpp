#include "rigspace/parts/scenery.h"

#include "rigspace/base/affine.h"
#include "rigspace/parts/part.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/cluster.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace rigspace {
namespace {

constexpr int kMoments = 5;        // of each clip
constexpr int kMostClips = 8;      // that are looked at
constexpr double kStill = 1e-4;    // of what moves: such a distance is no motion
constexpr double kBeneath = 0.05;  // of the height of what moves: a floor's top may be so far above its lowest point
constexpr double kWide = 0.5;      // of what moves: a floor is as wide, in x and in z
constexpr double kAround = 0.1;    // of what moves: what encloses it ends so far outside

bool names_scenery(std::string_view name) {
  static constexpr std::string_view kWords[] = {
      "floor",    "ground", "terrain", "sky",     "skybox", "skydome", "environment", "backdrop", "background",
      "pedestal", "plinth", "podium",  "scenery", "boden",  "sockel",  "suelo",       "diorama"};
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) { return has_word(name, word); });
}

/// The bones that hold each piece: by skin weights, or the nearest above the node that it hangs on.
std::vector<std::set<int>> holders_of(const Character& character, const BuiltInRig& rig, std::vector<char>& skinned) {
  std::map<int, int> bone_of_slot;
  for (std::size_t b = 0; b < character.bones.size(); ++b) bone_of_slot[character.bones[b].slot] = static_cast<int>(b);
  const auto bone_of = [&](int slot) {
    for (int steps = 0; slot >= 0 && steps < 1000; ++steps) {
      if (const auto found = bone_of_slot.find(slot); found != bone_of_slot.end()) return found->second;
      const NodeDescription* node = node_description(rig.graph(), slot);
      slot = node != nullptr ? node->parent_slot : -1;
    }
    return -1;
  };
  std::vector<std::set<int>> holders(character.pieces.size());
  skinned.assign(character.pieces.size(), 0);
  for (const auto& deformer : rig.deformers()) {
    const SkinDescription* skin = skin_description(*deformer);
    if (skin == nullptr) continue;
    for (std::size_t k = 0; k < character.pieces.size(); ++k) {
      if (character.pieces[k].first_point != skin->first_point) continue;
      std::set<int> joints;
      for (const auto& list : skin->influences)
        for (const Influence& each : list)
          if (each.weight > 0) joints.insert(each.joint);
      for (const int joint : joints)
        if (const int bone = bone_of(skin->joint_slots[static_cast<std::size_t>(joint)]); bone >= 0)
          holders[k].insert(bone);
      skinned[k] |= skin->joint_slots.size() > 1 ? 1 : 0;
    }
  }
  return holders;
}

using Points = Eigen::Map<const Eigen::Matrix3Xd>;

/// Per piece: the farthest that a point goes from its place at rest, over the clips.
std::vector<double> reach_of_pieces(const Character& character, const Vec& rest) {
  std::vector<double> reach(character.pieces.size(), 0);
  const auto workspace = character.rig->make_workspace();
  const double size = bounding_box(rest).diagonal();
  Vec p, s;
  int clips = 0;
  for (const Animation& clip : character.clips) {
    if (!(clip.duration > 0) || ++clips > kMostClips) continue;
    if (std::all_of(reach.begin(), reach.end(), [&](double each) { return each > kStill * size; })) break;
    const Sampler sampler(clip, character.rig->controls());
    for (int m = 0; m < kMoments; ++m) {
      p = character.rig->rest();
      sampler.sample(clip.duration * m / (kMoments - 1), p);
      character.rig->evaluate(*workspace, p, s);
      if (!s.allFinite()) continue;
      for (std::size_t k = 0; k < reach.size(); ++k) {
        const Piece& piece = character.pieces[k];
        const Eigen::Index from = 3 * static_cast<Eigen::Index>(piece.first_point);
        const Vec moved = s.segment(from, 3 * piece.point_count) - rest.segment(from, 3 * piece.point_count);
        if (piece.point_count > 0)
          reach[k] = std::max(reach[k], Points(moved.data(), 3, piece.point_count).colwise().norm().maxCoeff());
      }
    }
  }
  return reach;
}

Box box_of(const Vec& rest, const Piece& piece) {
  Box box;
  for (int i = 0; i < piece.point_count; ++i) box.include(point(rest, piece.first_point + i));
  return box;
}

/// Beneath what moves and as wide, or around it.
bool is_setting(const Box& box, const Box& moving) {
  const Vec3 size = moving.size(), own = box.size();
  const bool wide = own.x() > kWide * size.x() && own.z() > kWide * size.z();
  const bool beneath = box.high.y() < moving.low.y() + kBeneath * size.y() && wide;
  const auto beyond = [&](int axis) {
    return box.low[axis] < moving.low[axis] - kAround * size[axis] &&
           box.high[axis] > moving.high[axis] + kAround * size[axis];
  };
  // The body of a truck is around its wheels, but does not go down to the ground.
  const bool high = box.low.y() < moving.low.y() + kBeneath * size.y() && box.high.y() > moving.high.y();
  return beneath || (beyond(0) && beyond(2) && high);
}

/// The bone with the most skin by count of points, and a place amid them at rest; -1 if none holds any.
std::pair<int, Vec3> largest_bone(const Character& character, const BuiltInRig& rig, const Vec& rest,
                                  const std::vector<char>& left_out) {
  std::map<int, int> bone_of_slot;
  for (std::size_t b = 0; b < character.bones.size(); ++b) bone_of_slot[character.bones[b].slot] = static_cast<int>(b);
  std::vector<double> weight(character.bones.size(), 0);
  std::vector<Vec3> sum(character.bones.size(), Vec3::Zero());
  for (const auto& deformer : rig.deformers()) {
    const SkinDescription* skin = skin_description(*deformer);
    if (skin == nullptr) continue;
    for (std::size_t k = 0; k < skin->influences.size(); ++k) {
      const int i = skin->first_point + static_cast<int>(k);
      if (left_out[static_cast<std::size_t>(i)]) continue;
      for (const Influence& each : skin->influences[k])
        if (const auto found = bone_of_slot.find(skin->joint_slots[static_cast<std::size_t>(each.joint)]);
            found != bone_of_slot.end()) {
          const auto b = static_cast<std::size_t>(found->second);
          weight[b] += each.weight, sum[b] += each.weight * point(rest, i);
        }
    }
  }
  const auto most = std::max_element(weight.begin(), weight.end());
  if (most == weight.end() || !(*most > 0)) return {-1, Vec3::Zero()};
  const auto b = static_cast<std::size_t>(most - weight.begin());
  return {static_cast<int>(b), sum[b] / weight[b]};
}

}  // namespace

std::vector<int> scenery_of(const Character& character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr || character.pieces.size() < 2 || character.clips.empty()) return {};
  Vec rest;
  rig->evaluate(*rig->make_workspace(), rig->rest(), rest);
  const std::vector<double> reach = reach_of_pieces(character, rest);
  Box moving;
  for (std::size_t k = 0; k < reach.size(); ++k) {
    const Box box = box_of(rest, character.pieces[k]);
    if (!box.empty() && reach[k] > kStill * box.diagonal()) moving.include(box.low), moving.include(box.high);
  }
  if (moving.empty()) return {};
  std::vector<char> skinned;
  const std::vector<std::set<int>> holders = holders_of(character, *rig, skinned);
  const bool any_skin = std::find(skinned.begin(), skinned.end(), 1) != skinned.end();
  std::vector<int> scenery;
  for (std::size_t k = 0; k < reach.size(); ++k) {
    const Piece& piece = character.pieces[k];
    const Box box = box_of(rest, piece);
    if (box.empty() || reach[k] > kStill * std::min(box.diagonal(), moving.diagonal())) continue;
    const bool shared = std::any_of(holders[k].begin(), holders[k].end(), [&](int bone) {
      for (std::size_t other = 0; other < holders.size(); ++other)
        if (other != k && reach[other] > 0 && holders[other].contains(bone)) return true;
      return false;
    });
    if (shared || holders[k].size() > 1) continue;
    std::string names = piece.name;
    if (piece.material >= 0 && piece.material < std::ssize(character.materials))
      names += " " + character.materials[static_cast<std::size_t>(piece.material)].name;
    if ((any_skin && holders[k].empty()) || is_setting(box, moving) || names_scenery(names))
      scenery.push_back(static_cast<int>(k));
  }
  return scenery;
}

Character without_scenery(Character character) {
  const std::vector<int> scenery = scenery_of(character);
  if (scenery.empty()) return character;
  const auto& rig = static_cast<const BuiltInRig&>(*character.rig);
  std::vector<char> left_out(static_cast<std::size_t>(rig.point_count()), 0);
  for (const int k : scenery) {
    Piece& piece = character.pieces[static_cast<std::size_t>(k)];
    std::fill_n(left_out.begin() + piece.first_point, piece.point_count, 1);
    piece.triangles.clear();
  }
  Vec rest, u;
  const auto workspace = rig.make_workspace();
  rig.evaluate(*workspace, rig.rest(), rest);
  rig.evaluate_slots(*workspace, rig.rest(), u);
  const auto [bone, place] = largest_bone(character, rig, rest, left_out);
  if (bone < 0) return character;
  const int slot = character.bones[static_cast<std::size_t>(bone)].slot;
  const Affine inverse_rest = inverse(transform_at(u, rig.graph().slots()[slot]));
  Vec points = rig.points_rest();
  std::vector<std::shared_ptr<const Deformer>> deformers;
  for (const auto& deformer : rig.deformers())
    if (!left_out[static_cast<std::size_t>(deformer->first())]) deformers.push_back(deformer);
  for (const int k : scenery) {
    const Piece& piece = character.pieces[static_cast<std::size_t>(k)];
    for (int i = 0; i < piece.point_count; ++i) point(points, piece.first_point + i) = place;
    deformers.push_back(make_clusters(
        {.first_point = piece.first_point,
         .transform_slots = {slot},
         .inverse_rest = {inverse_rest},
         .influences = std::vector<std::vector<Influence>>(static_cast<std::size_t>(piece.point_count), {{0, 1.0}})}));
  }
  character.rig = std::make_shared<BuiltInRig>(rig.shared_graph(), std::move(points), std::move(deformers));
  return character;
}

}  // namespace rigspace
