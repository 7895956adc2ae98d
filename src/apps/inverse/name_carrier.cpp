#include "name_carrier.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"

#include <Eigen/Geometry>

#include <algorithm>

namespace rigspace {

NameCarrier::NameCarrier(const Character& own, const Character& source, std::span<const JointMatch> matches,
                         std::span<const Affine> source_rest)
    : source_rest_(source_rest.begin(), source_rest.end()) {
  const std::vector<Affine> own_world = bone_transforms(own, own.rig->rest());
  const auto index_of = [&](int bone) {
    const auto at = std::ranges::find(matches, bone, &JointMatch::own);
    return at == matches.end() ? -1 : static_cast<int>(at - matches.begin());
  };
  const std::size_t n = matches.size();
  std::vector<int> children(n, 0), child(n, -1);
  for (std::size_t k = 0; k < n; ++k) {
    own_rest_.emplace_back(translation(own_world[static_cast<std::size_t>(matches[k].own)]));
    source_bone_.push_back(matches[k].source);
    int above = own.bones[static_cast<std::size_t>(matches[k].own)].parent;
    while (above >= 0 && index_of(above) < 0) above = own.bones[static_cast<std::size_t>(above)].parent;
    parent_.push_back(above < 0 ? -1 : index_of(above));
    if (parent_.back() >= 0) {
      ++children[static_cast<std::size_t>(parent_.back())];
      child[static_cast<std::size_t>(parent_.back())] = static_cast<int>(k);
    }
  }
  aligned_.assign(n, Mat3::Identity());
  const auto between = [&](std::size_t from, std::size_t to) -> Vec3 {
    if (source_bone_[from] < 0 || source_bone_[to] < 0) return Vec3::Zero();
    return translation(source_rest_[static_cast<std::size_t>(source_bone_[to])]) -
           translation(source_rest_[static_cast<std::size_t>(source_bone_[from])]);
  };
  double own_length = 0, source_length = 0;
  for (std::size_t k = 0; k < n; ++k) {
    if (parent_[k] >= 0) {
      const auto above = static_cast<std::size_t>(parent_[k]);
      own_length += (own_rest_[k] - own_rest_[above]).norm(), source_length += between(above, k).norm();
    }
    if (children[k] != 1) continue;
    const auto below = static_cast<std::size_t>(child[k]);
    const Vec3 a = own_rest_[below] - own_rest_[k], b = between(k, below);
    if (a.norm() > 1e-9 && b.norm() > 1e-9) aligned_[k] = turn_between(a, b).toRotationMatrix();
  }
  if (!(own_length > 0 && source_length > 0))
    throw Error({.file = source.name,
                 .element = "skeleton",
                 .problem = "has no bone with a length",
                 .remedy = "give a motion whose joints are apart"});
  scale_ = own_length / source_length;
}

NameCarrier::Placed NameCarrier::carry(std::span<const Affine> source) const {
  Placed placed;
  std::vector<Mat3> turned;
  for (std::size_t k = 0; k < own_rest_.size(); ++k) {
    const int bone = source_bone_[k];
    const auto b = static_cast<std::size_t>(bone);
    const int above = parent_[k];
    const auto a = static_cast<std::size_t>(above);
    turned.push_back(
        bone >= 0    ? Mat3(nearest_rotation(linear(source[b])) * nearest_rotation(linear(source_rest_[b])).transpose())
        : above >= 0 ? turned[a]
                     : Mat3(Mat3::Identity()));
    placed.turn.push_back(turned.back() * aligned_[k]);
    if (above < 0) {
      const Vec3 path = bone >= 0 ? Vec3(translation(source[b]) - translation(source_rest_[b])) : Vec3(Vec3::Zero());
      placed.at.push_back(own_rest_[k] + scale_ * path);
      continue;
    }
    Vec3 at = placed.at[a] + placed.turn[a] * (own_rest_[k] - own_rest_[a]);
    // What the source's joint moves against its parent (a pelvis that bobs, a limb that is stretched) comes on top.
    if (const int up = source_bone_[a]; bone >= 0 && up >= 0) {
      const auto u = static_cast<std::size_t>(up);
      at += scale_ * (Vec3(translation(source[b]) - translation(source[u])) -
                      turned[a] * Vec3(translation(source_rest_[b]) - translation(source_rest_[u])));
    }
    placed.at.push_back(at);
  }
  return placed;
}

}  // namespace rigspace
