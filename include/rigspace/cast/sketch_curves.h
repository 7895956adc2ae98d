#pragma once
// Members of the cast that come with sketch abstractions (Thesis 5.2.1): curves that the rig moves with the surface.

#include "rigspace/cast/cast.h"
#include "rigspace/rig/deformer.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

struct CastCurve {
  std::string name;
  int first_point = 0, point_count = 0;  ///< among the points of the abstraction
  bool closed = false;                   ///< an edge joins the last point to the first
};

/// z(p) before projection: curves as points of a rig that has the controls of the character, in the same order.
struct CastAbstraction {
  std::string name;  ///< "stick", "outline", "icon" ..
  std::vector<CastCurve> curves;
  Vec points_rest;  ///< flattened; of all curves, one after another
  /// How each point hangs on the character's bones; empty if the points are points of its surface, `surface_points`.
  std::vector<std::vector<Influence>> influences;
  std::vector<int> surface_points;
  std::shared_ptr<const Rig> rig;  ///< moves points_rest

  int point_count() const { return static_cast<int>(points_rest.size() / 3); }
};

/// A rigged character with its abstractions; as a RiggedCharacter it is the same without them.
struct CastSketch : RiggedCharacter {
  std::vector<CastAbstraction> abstractions;
};

/// Names that make_cast_sketch takes, a part of the cast.
std::span<const std::string_view> sketch_cast();

/// A member, version `rig`, with its abstractions. Throws Error, with the names, if the member has none.
CastSketch make_cast_sketch(std::string_view name);

/// The icons of the dragon's six parts, named `torso`, `wings`, `head`, `tail`, `front_legs` and `hind_legs`, without
/// the parts' surfaces: what a classifier of drawings is trained on. Same controls as the parts have.
std::vector<CastAbstraction> dragon_icons();

/// The controls that table 5.1 counts as p: those in a group, ascending. A rig without groups: all but quaternions.
std::vector<int> offered_controls(const Rig& rig);

}  // namespace rigspace
