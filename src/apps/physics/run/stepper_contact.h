#pragma once
// Private to physics: which nodes of a stepped body touch, and which obstacles a system of parts meets.

#include "rigspace/apps/physics/simulation.h"
#include "rigspace/energy/obstacle_contact.h"

#include <span>
#include <vector>

namespace rigspace {

struct SteppedBody;
class PartSystem;

/// The obstacles that a system of parts meets: those of the options, and the skin of the character that belongs to
/// other bones than the parts', as `motion` animates it. Refers to the motion.
std::vector<Obstacle> obstacles_for(const Character& character, const PartSystem& system, const KeyedMotion& motion,
                                    const Collisions& collisions);

/// The nodes that touch, and how stiff they are: of flesh its skin, of chains all that have mass. Held nodes do not.
/// `x_rest`: all nodes.
ContactBody contact_body_of(const SteppedBody& body, In x_rest);

/// Thickness, friction and reference as the options have them, in scene units.
ObstacleContactOptions contact_options(const SteppedBody& body, const SimulationOptions& options);

}  // namespace rigspace
