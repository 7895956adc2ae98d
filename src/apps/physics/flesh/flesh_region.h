#pragma once
// Private to physics: which volume of a character is the flesh of some bones, and how it is tied to skin and skeleton.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/geometry/tri_mesh.h"

#include <utility>
#include <vector>

namespace rigspace {

/// For each of a list of points, bones and weights.
using BoneWeights = std::vector<std::vector<std::pair<int, double>>>;

/// What a character's surface is held by, at rest.
struct RiggedSurface {
  TriMesh mesh;                  ///< all points of the rig
  BoneWeights weights;           ///< by Character::bones; empty lists for points that no skin holds
  std::vector<char> splittable;  ///< held by a linear skin, so that its weights can be split
  std::vector<Affine> bones;     ///< world transforms at rest
  double size = 0;               ///< diagonal of its box
};
RiggedSurface rigged_surface(const Character& character);

/// Sum of the weights of some bones at a point.
double weight_of(const std::vector<std::pair<int, double>>& weights, const std::vector<char>& chosen);

struct Region {
  TetMesh mesh;
  std::vector<FleshNode> nodes;
  BoneWeights on_surface;  ///< of skin nodes on the surface: its points, and barycentric weights
  BoneWeights bones;       ///< of all nodes
  double cell = 0;
  double thickness = 0;  ///< largest distance of a skin node from what is held
};

/// The tetrahedra that have a free node, their nodes renumbered; returns the old numbers of those.
std::vector<int> cut_free(const TetMesh& body, const std::vector<char>& free, TetMesh& part);

/// The region as a part's flesh: its size is that of its skin. What moves it is to be filled in.
std::shared_ptr<Flesh> flesh_of(Region region);

/// The flesh of the chosen bones: what is nearer to the skin than to them. Empty mesh if there is none.
Region flesh_region(const Character& character, const RiggedSurface& surface, const std::vector<char>& chosen,
                    const SoftenOptions& options);

constexpr double kLimb = 0.1;  ///< of the weight: skin that a part's bones hold by less is a limb's
constexpr double kMoved = 0.08;  ///< of the farthest: what controls move less is held

/// How far controls take each point of the surface, at their typical changes, of the farthest.
Vec motion_of(const Character& character, std::span<const int> controls);

/// The cell of a solid of this extent.
double region_cell(const Box& box, double surface_size);

/// What some controls move: `motion` says how far they take each point of the surface, of the farthest. Nodes follow
/// the animation where that is little, and near bones.
Region moved_region(const Character& character, const RiggedSurface& surface, const Vec& motion,
                    const SoftenOptions& options);

/// The same where the controls turn a chain of joints: its own bones hold nothing, and all of its skin moves with them.
Region chain_region(const Character& character, const RiggedSurface& surface, const Vec& motion,
                    const SoftenOptions& options, std::span<const int> chain, double cell);

/// The same of a rig that has no bones anybody knows of: every node is carried by points of the surface, `on_surface`
/// of all nodes is filled, and `bones` are empty. The rest shape is where the surface carries it.
Region carried_region(const TriMesh& surface, const Vec& motion, const SoftenOptions& options);

}  // namespace rigspace
