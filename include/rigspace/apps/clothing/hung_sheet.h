#pragma once
// Sheets that the rig carries on one bone: capes, skirts' flaps and scarves of ordinary game characters, as garments.

#include "rigspace/anim/character.h"
#include "rigspace/apps/clothing/simulate_cloth.h"

#include <optional>
#include <string>

namespace rigspace {

/// A piece of a character all of whose points follow one bone.
struct HungSheet {
  int bone = -1;               ///< into Character::bones
  Vec3 top = Vec3::Zero();     ///< the middle of the end by which it hangs, at rest, scene units
  Vec3 down = -Vec3::UnitY();  ///< unit, from there to its free end
  double length = 0;           ///< scene units
};

/// Nothing if the piece is not there or follows several bones, or another kind of rig.
std::optional<HungSheet> hung_sheet(const Character& character, const std::string& piece);

/// Points of the garment (`metres` per scene unit) within the upper 6 % of the sheet's length, by which it hangs: held
/// where they are; PlayedBone moves them.
std::vector<int> held_points(const HungSheet& sheet, const TriMesh& garment, double metres);

/// Of each point of the rig, whether a sheet passes through it: what arms carry (clips swing them through capes, and an
/// elbow that has passed a cape would push it out on the wrong side), and the body within 8 % of the sheet's length
/// around the points that are held, since skin deforms there and the bone does not. `held`: places at rest, scene
/// units.
std::vector<char> passed_through(const Character& character, const HungSheet& sheet, const std::vector<Vec3>& held);

/// Registers what clothing offers for parts that are a whole piece on one bone: `rigspace cloth simulate`
/// (part_claims.h).
void register_cloth_claim();

}  // namespace rigspace
