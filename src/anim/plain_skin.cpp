#include "plain_skin.h"

#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/follower.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>

namespace rigspace {

Affine blended(const PieceSkin& skin, int i, const std::vector<Affine>& world) {
  Affine A = Affine::Zero();
  for (const Influence& each : skin.influences[i])
    A += each.weight * compose(world[each.joint], skin.inverse_bind.at(each.joint));
  return A;
}

int bone_at_slot(const std::vector<Bone>& bones, int slot) {
  const auto found = std::find_if(bones.begin(), bones.end(), [&](const Bone& b) { return b.slot == slot; });
  return found == bones.end() ? -1 : static_cast<int>(found - bones.begin());
}

PieceSkins::PieceSkins(const Character& character, const BuiltInRig& rig, const std::vector<Bone>& bones,
                       const std::vector<Affine>& rest_world, double size)
    : character_(character), rig_(rig), bones_(bones), rest_world_(rest_world), size_(size) {
  for (const Piece& piece : character.pieces) skins_.push_back(skin_of(piece));
  for (const auto& deformer : rig.deformers())
    if (const auto* follower = dynamic_cast<const Follower*>(deformer.get()))
      if (!is_skinned_after(*follower)) follow_skin(*follower);
}

PieceSkin PieceSkins::skin_of(const Piece& piece) const {
  PieceSkin result;
  std::vector<const Deformer*> stack;
  for (const auto& deformer : rig_.deformers())
    if (deformer->first() <= piece.first_point &&
        deformer->first() + deformer->count() >= piece.first_point + piece.point_count)
      stack.push_back(deformer.get());
  // The last linear skin; what comes after it is left to the shapes, as is what comes before.
  const Deformer* skin = nullptr;
  for (const Deformer* deformer : stack)
    if (is_linear_skin(*deformer) && skin_description(*deformer) != nullptr) skin = deformer;
  result.influences.assign(piece.point_count, {});
  if (skin != nullptr) {
    const SkinDescription& description = *skin_description(*skin);
    for (std::size_t j = 0; j < description.joint_slots.size(); ++j)
      result.inverse_bind[bone_at_slot(bones_, description.joint_slots[j])] = description.inverse_bind[j];
    for (int k = 0; k < piece.point_count; ++k)
      for (const Influence& each : description.influences[piece.first_point - skin->first() + k])
        result.influences[k].push_back({bone_at_slot(bones_, description.joint_slots[each.joint]), each.weight});
  }
  // What no joint holds stays with the first bone; the shapes undo its motion.
  for (auto& list : result.influences)
    if (list.empty()) {
      list.push_back({0, 1.0});
      result.inverse_bind.try_emplace(0, inverse(rest_world_[0]));
    }
  const bool shaped = stack.size() == 2 && skin == stack.back() && skin != nullptr &&
                      !morph_targets(*stack[0]).empty() && stack[0]->first() == piece.first_point &&
                      stack[0]->count() == piece.point_count;
  result.exact = skin != nullptr && (stack.size() == 1 || shaped);
  if (shaped) result.shapes = stack[0];
  return result;
}

/// Whether a linear skin acts on the points of a follower after it.
bool PieceSkins::is_skinned_after(const Follower& follower) const {
  bool after = false, skinned = false;
  for (const auto& deformer : rig_.deformers()) {
    if (after && is_linear_skin(*deformer))
      skinned = skinned || (deformer->first() <= follower.first() &&
                            deformer->first() + deformer->count() >= follower.first() + follower.count());
    after = after || deformer.get() == &follower;
  }
  return skinned;
}

void PieceSkins::follow_skin(const Follower& follower) {
  const auto piece = std::find_if(character_.pieces.begin(), character_.pieces.end(), [&](const Piece& each) {
    return each.first_point == follower.first() && each.point_count == follower.count();
  });
  if (piece == character_.pieces.end()) return;
  Vec s;
  const auto state = follower.make_state();
  rig_.evaluate(*rig_.make_workspace(), rig_.rest(), s);
  follower.pose(s, *state);
  PieceSkin skin;
  Mat3 D[kMaxFollowed];
  for (int k = 0; k < follower.count(); ++k) {
    follower.by_followed(*state, k, D);
    std::map<int, double> sums;
    double rest = 1;  // share of the point's own joints
    for (std::size_t c = 0; c < follower.followed(k).size(); ++c) rest -= D[c].trace() / 3;
    add_joints_of(follower.first() + k, std::max(0.0, rest), sums, skin);
    for (std::size_t c = 0; c < follower.followed(k).size(); ++c)
      add_joints_of(follower.followed(k)[c], std::max(0.0, D[c].trace() / 3), sums, skin);
    std::vector<Influence> list;
    for (const auto& [bone, weight] : sums) list.push_back({bone, weight});
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
    if (list.size() > 4) list.resize(4);
    double sum = 0;
    for (const Influence& each : list) sum += each.weight;
    for (Influence& each : list) each.weight /= sum;
    skin.influences.push_back(std::move(list));
  }
  // Where the joints are bound in another space, points would not rest where they do: the skin stays as it was.
  for (int k = 0; k < follower.count(); ++k) {
    const int v = follower.first() + k;
    if ((apply(blended(skin, k, rest_world_), point(rig_.points_rest(), v)) - point(s, v)).norm() > 1e-3 * size_)
      return;
  }
  skins_[piece - character_.pieces.begin()] = std::move(skin);
}

/// Adds the joints of a point of the rig to `sums`, weighted by `share`, and their bind matrices to the skin.
void PieceSkins::add_joints_of(int v, double share, std::map<int, double>& sums, PieceSkin& skin) const {
  for (std::size_t k = 0; k < character_.pieces.size(); ++k) {
    const int own = v - character_.pieces[k].first_point;
    if (own < 0 || own >= character_.pieces[k].point_count || share == 0) continue;
    for (const Influence& each : skins_[k].influences[own]) {
      sums[each.joint] += share * each.weight;
      skin.inverse_bind.try_emplace(each.joint, skins_[k].inverse_bind.at(each.joint));
    }
  }
}

}  // namespace rigspace
