#pragma once
// The dragon's six parts (Thesis, figure 5.4): joints, flesh, and an icon of a few curves each.

#include "assembly.h"
#include "dragon_shape.h"

#include <array>

namespace rigspace::dragon {

enum class Kind { torso, wings, head, tail, front_legs, hind_legs };
inline constexpr std::array kKinds{Kind::torso, Kind::wings, Kind::head, Kind::tail, Kind::front_legs, Kind::hind_legs};

/// Also the name of the part's root joint.
std::string name_of(Kind kind);

/// Where the part sits on a dragon at rest: its root joint.
Vec3 socket_of(Kind kind);

/// The joint of a torso that carries the part; of the torso itself: empty.
std::string carrier_of(Kind kind);

/// The part's joints below `parent` (empty: a dragon's part by itself).
void add_joints(Kind kind, const std::string& parent, puppet::Skeleton& skeleton);

/// Joints that are mirrored, or stand in a row, by their stems: `stem_l`, `stem_r`, or `stem_01` ..
std::vector<std::string> joints_of(Kind kind);

/// How the part's skin hangs on its joints.
std::vector<flesh::Part> weights_of(Kind kind, const puppet::Skeleton& skeleton);

/// All surfaces of a part; together 2700, 4300, 3500, 1800, 1500 and 1660 points: 15460 on the whole dragon.
std::vector<flesh::Flesh> make_flesh(Kind kind, const puppet::Skeleton& skeleton);

/// What is turned or blown, not modelled: horns, eyes, fangs, claws. Empty for parts that have none.
flesh::Flesh make_details(Kind kind, const puppet::Skeleton& skeleton);

/// The icon of a part as seen from its left: 100 points.
AbstractionDraft icon_of(Kind kind, const puppet::Skeleton& skeleton);

}  // namespace rigspace::dragon
