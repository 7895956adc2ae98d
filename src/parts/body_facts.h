#pragma once
// Private to parts: measurements of a character that need no knowledge of its kind.

#include "part_words.h"

#include "rigspace/anim/character.h"
#include "rigspace/geometry/tri_mesh.h"

namespace rigspace {

struct BoneFacts {
  JointName name;
  std::vector<int> children;
  Vec3 rest = Vec3::Zero();     ///< of the joint, scene
  double skin = 0;              ///< share of the character's surface with weight on it, by weight
  Box box;                      ///< of the skin that hangs on it more than on any other
  std::vector<Vec3> soles;      ///< of that skin, points that are next to the ground at rest
  double keyed = 0;             ///< degrees by which clips turn it: the most of the median clip that keys it
  double squash = 0;            ///< clips scale its height against its width by this share, at most
  double cloth = 0, plate = 0;  ///< of its skin, shares in pieces named after clothes, or after armour
  double grounded = 0;          ///< share of the moments of clips (and rest) at which its skin is on the ground
  bool grounded_at_rest = false;
  int twin = -1;            ///< its mirror image
  bool end_marker = false;  ///< shows where its parent ends
};

struct BodyFacts {
  std::vector<BoneFacts> bones;  ///< as Character::bones
  bool has_skin = false;
  bool has_clips = false;
  double size = 0, height = 0;  ///< diagonal of the box, and its height; scene units
  /// Scene units: the height, or a quarter of the size of what lies flat: bands above the ground are shares of it.
  double tall = 0;
  double ground = 0;            ///< y
  Vec3 across = Vec3::UnitX();  ///< from right to left
  Vec3 middle = Vec3::Zero();   ///< a point of the mirror plane
  double one_bone = 0;          ///< share of the surface whose points follow one bone alone
  double shells = 0;            ///< share of the surface in separate pieces that follow one bone each
  bool hard_words = false;      ///< the file is named after armour or machines
  bool fish_words = false;      ///< file, meshes, materials or clips are named after fish or swimming

  const BoneFacts& operator[](int bone) const { return bones[static_cast<std::size_t>(bone)]; }
  /// Distance from the mirror plane, of the size.
  double off_middle(const Vec3& x) const { return size > 0 ? std::abs((x - middle).dot(across)) / size : 0; }
};

BodyFacts measure_body(const Character& character);

}  // namespace rigspace
