#pragma once
// A character as one elastic body whose skin follows its rig (RSP 3): the setting of the papers, for any rig, black
// boxes included.

#include "rigspace/anim/character.h"
#include "rigspace/body/point_ties.h"
#include "rigspace/geometry/tet_mesh.h"
#include "rigspace/rig/pose_blend.h"

#include <memory>
#include <vector>

namespace rigspace {

/// Where nodes are beside what carries them, in balance under load, by the keyed pose.
struct LoadedOffsets {
  Vec p;            ///< all controls, of which a response counts deviations
  Mat values;       ///< 3 rows a node, a column a pose, in the frame of the rest pose
  Mat forces;       ///< of few elements: what keeps the body in balance there, a row a free control; may be empty
  PoseBlend poses;  ///< that mixes the columns

  bool empty() const { return values.cols() == 0; }
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
  /// Of a body that is a part of another: skin that stays in the keyed pose, however the free controls would move it.
  /// One per node; empty: none. Training heeds it (shake, interior_response, train_cubature).
  std::vector<char> held = {};
  /// Of a reduced body whose inside is carried in keyed form: what takes each node away from where it is carried with
  /// the free controls at rest. Empty: the ties themselves.
  PointTies moves = {};
  /// Of a reduced body too: what nodes do beside their ties, per node (interior_response.h). Takes a linear rig.
  BlockJacobian response = {};
  LoadedOffsets loaded = {};  ///< where the response is about states under load (LoadedResponse)
  /// Of a body of which a few elements stand for all (reduced_body.h): how many each stands for, and the volume that
  /// each node has the mass of. Empty: 1, and a quarter of each element around.
  std::vector<double> shares = {};
  Vec volumes = {};

  int node_count() const { return mesh.point_count(); }
  int skin_count() const;
  bool is_held(int node) const { return !held.empty() && held[node] != 0; }
};

struct RigBodyOptions {
  double cell = 0;         ///< edge of a lattice cube, scene units; 0: 2 % of the diagonal
  bool use_cache = false;  ///< bodies from the cache, and into it
  /// Points of the rig that get nodes of their own, on the skin and without mass, after those of the mesh: where pulls
  /// take hold, exactly.
  std::vector<int> points = {};
};

/// Fills a surface, given at the rig's rest pose: its points are the rig's, all of them. Throws Error if it encloses
/// nothing.
RigBody make_rig_body(std::shared_ptr<const Rig> rig, const TriMesh& surface, const RigBodyOptions& options = {});

/// Of the character's proxy, or of its surface where it has none.
RigBody make_rig_body(const Character& character, const RigBodyOptions& options = {});

/// A body that somebody meshed: nodes of its boundary are skin; those beside the surface (by more than 1e-6 of its
/// diagonal) go with the points around them.
RigBody make_rig_body(std::shared_ptr<const Rig> rig, const TriMesh& surface, TetMesh mesh);

}  // namespace rigspace
