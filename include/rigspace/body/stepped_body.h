#pragma once
// The data of a body that is stepped in rig space: nodes, their ties to the rig, masses, stiffness, limits. No solver.

#include "rigspace/body/rig_body.h"
#include "rigspace/body/rig_space.h"
#include "rigspace/energy/rods.h"
#include "rigspace/geometry/harmonic.h"
#include "rigspace/rig/jacobian_sample.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// Nodes that belong to one part: each has its own mass, damping and load.
struct MassGroup {
  std::string name;
  Vec masses;                  ///< per node, zero outside the part; any unit, the same for all and for the stiffness
  double damping = 0;          ///< 1/s, of the velocity relative to the animation
  double drag = 0;             ///< 1/s, of the velocity relative to the character's travel
  Vec3 weight = Vec3::Zero();  ///< scene units / s^2: the acceleration by gravity that is felt as a load
  double load = 1;             ///< factor of the inertial load that the animation's acceleration makes
  double travel = 0;           ///< share of the velocity of travel, the mean over a second, that counts as wind
  double push = 1;             ///< share of the acceleration of travel that counts as load
  double wind = 1;             ///< factor of the load that drag makes
  double pull = 0;             ///< 1/s^2, toward the animation: a force per mass and deviation
};

enum class NodeRole : char { held, interior, bound };

struct WholeBody;

/// How far a body was trained to deviate: d^T K d <= most, with the deviation d of the free controls.
struct TrainedRange {
  Mat K;            ///< stiffness by the free controls at rest, any unit
  double most = 0;  ///< of the shapes in training; 0: not known

  bool has(In d) const { return most <= 0 || d.dot(K * d) <= most; }
};

/// All nodes follow points of a rig: in the animation node i is row i of `ties`. Held nodes stay there, bound ones
/// follow the free controls too, interior ones are unknowns themselves.
struct SteppedBody {
  std::shared_ptr<const Rig> rig;
  std::vector<int> free;  ///< controls, ascending; in groups of three where there are rods or limits
  PointTies ties;         ///< one row a node
  std::vector<NodeRole> roles;

  /// Of a reduced body (fast_body.h): row i moves bound node i from its place in the keyed pose, as RigBody::moves
  /// does; the rig is linear within a step, and `whole` is the body before its reduction. Empty: `ties` does.
  PointTies moves;
  BlockJacobian response;  ///< added to that, per node and free control (interior_response.h)
  /// Of a reduced body: the last so many of `free` are amounts of shapes of its inside (inside_shapes.h), idle controls
  /// of its rig that are 0 in the animation.
  int shapes = 0;
  bool linear = false;
  std::shared_ptr<const WholeBody> whole;
  std::shared_ptr<const TrainedRange> trained;  ///< of a reduced body; may be null
  std::shared_ptr<const std::vector<JacobianSample>>
      known;                                           ///< of a black box: Jacobians evaluated in training; may be null
  std::shared_ptr<const BlockJacobian> rest_jacobian;  ///< of a black box: ds/dp at rest; null: not evaluated yet

  std::vector<MassGroup> groups;
  std::vector<Tet> tets;         ///< of flesh, over the nodes; empty for rods
  double poisson = 0.4;          ///< of flesh
  double stiffness = 1;          ///< Young's modulus of flesh, in units of the masses
  std::vector<double> factors;   ///< of that, per tet; 1 if empty
  double stiffness_damping = 0;  ///< s; of rods with it `springs` are dampers
  std::vector<RodJoint> rods;    ///< on the free controls: `first` counts among them
  /// Per free control, toward the animation; none if empty. Of rods with stiffness_damping: dampers of the velocity
  /// relative to the animation, stiffness times s.
  Vec springs;
  /// Free controls squared: springs between them, of differences; none if empty. Of a reduced body with few elements:
  /// what these lack of the stiffness of all at rest.
  Mat coupling;
  std::vector<double> limits;              ///< per three free controls: how far from the animation; none if empty
  std::vector<double> limit_weights = {};  ///< of each limit: factor on its stiffness, which has its unit; empty: 1
  double limit_stiffness = 1;
  double reach_limit = 0;      ///< scene units: how far any node may be from the animation; 0: any way
  double reach_stiffness = 1;  ///< of that limit, per node
  double size = 1;             ///< scene units: errors are measured by it
  /// Scene: the directions in which the body is pushed to find its natural frequency, as columns. They turn with the
  /// character, so that its rate does not depend on the way it faces.
  Mat3 axes = Mat3::Identity();
  double force_floor = 0;  ///< a gradient by the controls below this counts as converged

  int node_count() const { return static_cast<int>(roles.size()); }
  /// `free` without the amounts of shapes: controls of the character.
  std::span<const int> own_controls() const {
    return std::span(free).first(free.size() - static_cast<std::size_t>(shapes));
  }
};

/// The body that a reduced one was made of: shapes are measured on it.
struct WholeBody {
  SteppedBody body;
  CarrierWeights interior;  ///< per node inside: skin nodes and weights
};

/// The roles and ties of its nodes, for RigSpaceMapping.
RigSpaceDescription description_of(const SteppedBody& body);

}  // namespace rigspace
