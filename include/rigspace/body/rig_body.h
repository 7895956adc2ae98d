#pragma once
// A character as one elastic body whose skin follows its rig (RSP 3): the setting of the papers, for any rig, black
// boxes included.

#include "rigspace/anim/character.h"
#include "rigspace/body/point_ties.h"
#include "rigspace/geometry/tet_mesh.h"
#include "rigspace/rig/pose_blend.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace rigspace {

/// How far nodes in balance under load are from where their ties carry them, as a function of the keyed pose.
struct LoadedOffsets {
  Vec p;       ///< all controls: a response is linear in the deviation from these
  Mat values;  ///< 3 rows a node, a column a pose, in the frame of the rest pose
  Mat forces;  ///< on the free controls (rows), a column a pose: what a sampled body lacks to be in balance; may be
               ///< empty
  PoseBlend poses;  ///< weights of the columns for a keyed pose

  bool empty() const { return values.cols() == 0; }
  /// Sum of the columns, weighted for p_now: three numbers a node.
  void at(In p_now, Vec& offset) const;
};

/// Every node is carried by points of the rig, row i of `ties` for node i. Nodes of the skin are there, b = B s(p);
/// those inside are free to be elsewhere, and what carries them, by harmonic weights of the skin, is where they would
/// be if the flesh had no dynamics of its own. The rest shape is that of the rig's rest pose.
struct RigBody {
  std::shared_ptr<const Rig> rig;  ///< for the points that nodes need alone
  PointTies ties;                  ///< one row a node
  TetMesh mesh;
  std::vector<char> skin;  ///< one per node
  int left_out = 0;  ///< cells that are not in the mesh: the ties would turn them inside out at rest, or they join
                     ///< what is apart (RigBodyOptions)
  /// Of a body that is a part of another: skin nodes that stay in the keyed pose, whatever the free controls do. One
  /// per node; empty: none. Used by training (shake, interior_response, train_cubature).
  std::vector<char> held = {};
  /// Of a reduced body whose inside is carried in keyed form: row i moves node i from its place in the keyed pose by
  /// sum of weight (s(p) - s(p_key)). Empty: `ties` does.
  PointTies moves = {};
  /// Of a reduced body: added to the ties, per node and free control (interior_response.h). Needs a linear rig.
  BlockJacobian response = {};
  LoadedOffsets loaded = {};  ///< where the response is about states under load (LoadedResponse)
  /// Of a sampled body (reduced_body.h): the weight of each element, and per node the volume whose mass it has. Empty:
  /// 1, and a quarter of each element around the node.
  std::vector<double> shares = {};
  Vec volumes = {};

  int node_count() const { return mesh.point_count(); }
  int skin_count() const;
  bool is_held(int node) const { return !held.empty() && held[node] != 0; }
};

struct RigBodyOptions {
  double cell = 0;         ///< edge of a lattice cube, scene units; 0: 2 % of the diagonal
  bool use_cache = false;  ///< reads meshes from the cache and writes them there
  /// Points of the rig that get nodes of their own, on the skin and without mass, after those of the mesh: where pulls
  /// take hold, exactly.
  std::vector<int> points = {};
  /// Of two points of the rig, whether no cell may join them: limbs that touch where the surface was modelled would be
  /// one piece of flesh. Cells between such nodes are left out. None: all cells stay.
  std::function<bool(int, int)> apart = {};
  bool all_points = false;  ///< the body's rig is the whole one, for with_points
};

/// Fills a surface, given at the rig's rest pose: its points are the rig's, all of them. Throws Error if it encloses
/// nothing.
RigBody make_rig_body(std::shared_ptr<const Rig> rig, const TriMesh& surface, const RigBodyOptions& options = {});

/// Of the character's proxy, or of its surface where it has none.
RigBody make_rig_body(const Character& character, const RigBodyOptions& options = {});

/// A body that was made with RigBodyOptions::all_points, with further nodes at points of the rig as
/// RigBodyOptions::points has them. Nothing is meshed.
RigBody with_points(const RigBody& body, std::span<const int> points);

/// A body with a mesh of the user's: nodes of its boundary are skin; those beside the surface (by more than 1e-6 of its
/// diagonal) go with the points around them.
RigBody make_rig_body(std::shared_ptr<const Rig> rig, const TriMesh& surface, TetMesh mesh);

}  // namespace rigspace
