#pragma once
// Private to anim: the linear skin of each piece of a character, as far as a file of joints and shapes can hold it.

#include "rigspace/anim/character.h"
#include "rigspace/base/affine.h"
#include "rigspace/rig/built_in_rig.h"

#include <map>
#include <vector>

namespace rigspace {

class Follower;

/// Which bones move the points of a piece.
struct PieceSkin {
  std::vector<std::vector<Influence>> influences;  ///< per point of the piece; joints are indices of bones
  std::map<int, Affine> inverse_bind;              ///< per bone
  const Deformer* shapes = nullptr;                ///< blend shapes that can be kept; null: none
  bool exact = false;                              ///< skin and kept shapes are all that moves the piece
};

/// A x = sum_j w_j T_j G_j x for point i of a piece: T the world transforms of the bones, G the inverse bind matrices.
Affine blended(const PieceSkin& skin, int i, const std::vector<Affine>& world);

/// The index of the bone at this slot of the control graph; -1 if there is none.
int bone_at_slot(const std::vector<Bone>& bones, int slot);

/// The skins of all pieces, in order. A point without a joint is held by bone 0. A piece that follows another one (a
/// wrap) and has no skin after that gets the joints of the points that it follows, at most four a point, unless its
/// points would then not rest where they do now.
class PieceSkins {
 public:
  /// `rest_world`: the bones at rest. `size`: the largest extent of the points at rest, scene units. Refers to its
  /// arguments.
  PieceSkins(const Character& character, const BuiltInRig& rig, const std::vector<Bone>& bones,
             const std::vector<Affine>& rest_world, double size);

  const PieceSkin& operator[](std::size_t piece) const { return skins_[piece]; }

 private:
  PieceSkin skin_of(const Piece& piece) const;
  bool is_skinned_after(const Follower& follower) const;
  void follow_skin(const Follower& follower);
  void add_joints_of(int point, double share, std::map<int, double>& sums, PieceSkin& skin) const;

  const Character& character_;
  const BuiltInRig& rig_;
  const std::vector<Bone>& bones_;
  const std::vector<Affine>& rest_world_;
  double size_;
  std::vector<PieceSkin> skins_;
};

}  // namespace rigspace
