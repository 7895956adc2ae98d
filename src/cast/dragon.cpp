// A dragon of six parts, each a rig of its own, after the Thesis's (5.3.2, figure 5.4); and the whole dragon with 25
// controls and 15460 points (table 5.1).

#include "assembly.h"
#include "dragon_rig.h"
#include "members.h"

#include <string>
#include <utility>

namespace rigspace {
namespace dragon {
namespace {

using puppet::Skeleton;

CastSketch make_part(Kind kind, Version version) {
  Skeleton skeleton;
  add_joints(kind, "", skeleton);
  Assembly assembly("dragon_" + name_of(kind), {"hide", "details"});
  assembly.add_joints(skeleton);
  for (const flesh::Flesh& flesh : make_flesh(kind, skeleton)) assembly.add(flesh);
  assembly.character.clips = part_clips(kind, skeleton);
  if (version == Version::rig) add_part_rig(kind, skeleton, assembly);
  return std::move(assembly).finish(version, std::array{icon_of(kind, skeleton)});
}

CastSketch make_whole(Version version) {
  Skeleton skeleton;
  for (const Kind kind : kKinds) add_joints(kind, carrier_of(kind), skeleton);
  Assembly assembly("dragon", {"hide", "details"});
  assembly.add_joints(skeleton);
  AbstractionDraft icons{"icons", {}};
  for (const Kind kind : kKinds) {
    for (const flesh::Flesh& flesh : make_flesh(kind, skeleton)) assembly.add(flesh);
    for (CurveDraft& curve : icon_of(kind, skeleton).curves) {
      curve.name = name_of(kind) + "." + curve.name;
      icons.curves.push_back(std::move(curve));
    }
  }
  assembly.character.clips = whole_clips(skeleton);
  if (version == Version::rig) add_whole_rig(skeleton, assembly);
  return std::move(assembly).finish(version, std::array{icons});
}

}  // namespace
}  // namespace dragon

std::vector<CastAbstraction> dragon_icons() {
  using namespace dragon;
  std::vector<CastAbstraction> icons;
  for (const Kind kind : kKinds) {
    puppet::Skeleton skeleton;
    add_joints(kind, "", skeleton);
    Assembly assembly(name_of(kind), {});
    assembly.add_joints(skeleton);
    add_part_rig(kind, skeleton, assembly);
    CastSketch made = std::move(assembly).finish(Version::rig, std::array{icon_of(kind, skeleton)});
    icons.push_back(std::move(made.abstractions.front()));
    icons.back().name = name_of(kind);
  }
  return icons;
}

CastSketch make_dragon(Version version) { return dragon::make_whole(version); }

CastSketch make_dragon_part(int part, Version version) {
  return dragon::make_part(dragon::kKinds[static_cast<std::size_t>(part)], version);
}

}  // namespace rigspace
