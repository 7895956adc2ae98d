#pragma once
// Private to physics: the nodes of a stepped body that take part in contact, and the obstacles of a system of parts.

#include "rigspace/apps/physics/simulation.h"
#include "rigspace/energy/obstacle_contact.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace rigspace {

struct SteppedBody;
class PartSystem;

/// The skin that other bones than a system's parts hold.
struct LimbMesh {
  TriMesh mesh;                    ///< at rest
  std::shared_ptr<const Rig> rig;  ///< of its points alone
};
/// Nothing if there is no such skin. Throws Error unless the rig is built in.
std::optional<LimbMesh> limbs_of(const Character& character, const PartSystem& system);

/// The obstacles of a system of parts: those of the options, and with Collisions::limbs the skin that other bones than
/// the parts' hold, as `motion` animates it. Refers to the motion.
std::vector<Obstacle> obstacles_for(const Character& character, const PartSystem& system, const KeyedMotion& motion,
                                    const Collisions& collisions);

/// The nodes in contact and their stiffness: for flesh its skin, for chains all nodes with mass; held nodes are left
/// out. `x_rest`: all nodes.
ContactBody contact_body_of(const SteppedBody& body, In x_rest);

/// Thickness, friction and reference of the options, in scene units.
ObstacleContactOptions contact_options(const SteppedBody& body, const SimulationOptions& options);

}  // namespace rigspace
