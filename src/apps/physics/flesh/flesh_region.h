#pragma once
// Private to physics: finds the volume of a character that is the flesh of some bones or controls, meshes it, and ties
// its nodes to skin and skeleton.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/geometry/own_frame.h"
#include "rigspace/geometry/tri_mesh.h"

#include <array>
#include <utility>
#include <vector>

namespace rigspace {

/// For each point or node, pairs of bone and weight.
using BoneWeights = std::vector<std::vector<std::pair<int, double>>>;

/// A character's surface at rest, and the bones that it is skinned to, in scene space or in the character's own frame.
struct RiggedSurface {
  TriMesh mesh;                  ///< all points of the rig
  BoneWeights weights;           ///< indices into Character::bones; empty lists for points without a skin
  std::vector<char> splittable;  ///< per point: has a linear skin, so that soft joints can take a share of its weights
  std::vector<Affine> bones;     ///< world transforms at rest
  double size = 0;               ///< diagonal of the bounding box, in units of the points
  OwnFrame frame;                ///< of the points and bones; the scene's unless framed
};
RiggedSurface rigged_surface(const Character& character);

/// The same in a frame that turns, shifts and scales with the character, the points rounded to its grid. Regions are
/// cut from it, so that lattices and all that is measured of them do so too.
RiggedSurface framed(RiggedSurface surface, const OwnFrame& frame);
/// In the character's own frame (character_frame.h).
RiggedSurface framed_surface(const Character& character);

/// The controls that turn a bone, by its name: the slot of one that a constraint or IK moves is that of the constraint,
/// and has no controls. Throws Error where it has none.
std::array<int, 3> turns_of(const Character& character, int bone);

/// Sum of the weights of some bones at a point.
double weight_of(const std::vector<std::pair<int, double>>& weights, const std::vector<char>& chosen);

/// A part's volume, in the frame of the surface that it was cut from.
struct Region {
  TetMesh mesh;
  std::vector<FleshNode> nodes;
  BoneWeights on_surface;  ///< per node: for skin nodes on the surface, points of the surface and barycentric weights
  BoneWeights bones;       ///< per node
  double cell = 0;         ///< edge of a lattice cube
  double thickness = 0;    ///< largest distance of a skin node from the nearest held node
};

/// Sets `part` to the tetrahedra with a free node, their nodes renumbered; returns the old numbers of these nodes.
std::vector<int> cut_free(const TetMesh& body, const std::vector<char>& free, TetMesh& part);

/// The region as a part's flesh, in scene space, with the size of its skin. The caller sets the joints or controls that
/// move it.
std::shared_ptr<Flesh> flesh_of(Region region, const OwnFrame& frame);

/// The flesh of the chosen bones. Free are the nodes with over 80 % of their weight on these bones whose distance to
/// the bones is more than options.hold_ratio of the way from bone to skin. An empty mesh if there is none.
Region flesh_region(const Character& character, const RiggedSurface& surface, const std::vector<char>& chosen,
                    const SoftenOptions& options);

constexpr double kLimb = 0.1;    ///< of the weight: skin that a part's bones hold by less is a limb's
constexpr double kMoved = 0.08;  ///< of the farthest: what controls move less is held

/// For each point of the surface the largest displacement by a typical change of any of the controls, as a share of
/// that of the most moved point: 0..1.
Vec motion_of(const Character& character, std::span<const int> controls);

/// The lattice cell for a solid of this extent.
double region_cell(const Box& box, double surface_size);

/// The volume that some controls move; `motion` from motion_of. Nodes that move less than kMoved, or lie within half a
/// cell of a bone, are held.
Region moved_region(const Character& character, const RiggedSurface& surface, const Vec& motion,
                    const SoftenOptions& options);

/// The same for controls that turn a chain of joints: the bones of the chain hold no nodes, and all of its skin moves.
Region chain_region(const Character& character, const RiggedSurface& surface, const Vec& motion,
                    const SoftenOptions& options, std::span<const int> chain, double cell);

/// The same for a rig whose bones are not known (a black box): every node is a weighted sum of points of the surface,
/// in `on_surface`, and `bones` are empty. The rest shape is that of these sums.
Region carried_region(const TriMesh& surface, const Vec& motion, const SoftenOptions& options);

}  // namespace rigspace
