#pragma once
// The data of a body that is stepped in rig space: nodes, what they follow, masses, stiffness, limits. No solver.

#include "rigspace/body/rig_body.h"
#include "rigspace/body/rig_space.h"
#include "rigspace/energy/rods.h"
#include "rigspace/geometry/harmonic.h"
#include "rigspace/rig/jacobian_sample.h"

#include <memory>
#include <string>
#include <vector>

namespace rigspace {

/// Nodes that belong to one part: each has its own mass, damping and load.
struct MassGroup {
  std::string name;
  Vec masses;          ///< per node, zero outside the part; any unit, the same for all and for the stiffness
  double damping = 0;  ///< 1/s, against the velocity of the animation
  double drag = 0;     ///< 1/s, against that of the character's travel
  double sag = 0;      ///< of gravity
  double load = 1;     ///< factor of the inertial load that the animation's acceleration makes
  double travel = 0;   ///< of the character's travel, the mean over a second: what of its velocity counts as wind
  double push = 1;     ///< what of its acceleration counts as load
  double wind = 1;     ///< factor of the load that drag makes
  double pull = 0;     ///< 1/s^2, toward the animation: a force per mass and deviation
};

enum class NodeRole : char { held, interior, bound };

struct WholeBody;

/// All nodes follow points of a rig: in the animation node i is row i of `ties`. Held nodes stay there, bound ones
/// follow the free controls too, interior ones are unknowns themselves.
struct SteppedBody {
  std::shared_ptr<const Rig> rig;
  std::vector<int> free;  ///< controls, ascending; in groups of three where there are rods or limits
  PointTies ties;         ///< one row a node
  std::vector<NodeRole> roles;

  /// Of a reduced body (fast_body.h): bound nodes go by these points away from the keyed pose, the rig is linear within
  /// a step, and `whole` is what it stands for. Empty: by those above.
  PointTies moves;
  BlockJacobian response;  ///< beside that, per node (interior_response.h)
  bool linear = false;
  std::shared_ptr<const WholeBody> whole;
  std::shared_ptr<const std::vector<JacobianSample>> known;  ///< of a black box; none if null
  std::shared_ptr<const BlockJacobian> rest_jacobian;        ///< of a black box: at rest; null: not known yet

  std::vector<MassGroup> groups;
  std::vector<Tet> tets;         ///< of flesh, over the nodes; empty for rods
  double poisson = 0.4;          ///< of flesh
  double stiffness = 1;          ///< Young's modulus of flesh, in units of the masses
  std::vector<double> factors;   ///< of that, per tet; 1 if empty
  double stiffness_damping = 0;  ///< s
  std::vector<RodJoint> rods;    ///< on the free controls: `first` counts among them
  Vec springs;                   ///< per free control, toward the animation; none if empty
  std::vector<double> limits;    ///< per three free controls: how far from the animation; none if empty
  double limit_stiffness = 1;
  double reach_limit = 0;      ///< scene units: how far any node may be from the animation; 0: any way
  double reach_stiffness = 1;  ///< of that limit, per node
  double size = 1;             ///< scene units: errors are measured by it
  double gravity = 9.81;       ///< scene units / s^2
  double force_floor = 0;      ///< forces on controls below this are nothing

  int node_count() const { return static_cast<int>(roles.size()); }
};

/// What a reduced body was made of, for what is measured of its shape.
struct WholeBody {
  SteppedBody body;
  CarrierWeights interior;  ///< what carries nodes inside
};

/// Its map: which nodes are what.
RigSpaceDescription description_of(const SteppedBody& body);

}  // namespace rigspace
