#pragma once
// Private to physics: contact of a stepped body with obstacles that move along a clip.

#include "rigspace/apps/physics/simulation.h"
#include "rigspace/energy/contact.h"

#include <span>
#include <vector>

namespace rigspace {

struct SteppedBody;
class PartSystem;

/// The obstacles that a system of parts meets: those of the options, and the skin of the character that belongs to
/// other bones than the parts', as `motion` animates it. Refers to the motion.
std::vector<Obstacle> obstacles_for(const Character& character, const PartSystem& system, const KeyedMotion& motion,
                                    const Collisions& collisions);

class StepperContact {
 public:
  static constexpr int kMostSteps = 256;  ///< in place of one of the grid

  /// x_rest: all nodes. Obstacles are copied; what they refer to must stay.
  StepperContact(const SteppedBody& body, In x_rest, std::span<const Obstacle> obstacles,
                 const SimulationOptions& options);

  const Contact& energy() const { return contact_; }

  /// At the beginning of a motion, in this state; x_key is the animation's.
  void start(double time, In x, In x_key);
  /// Before the solve of a step.
  void begin(double from, double to, In x_key);
  /// After it. True if contact begins: what was before it tells nothing about what comes.
  bool accept(In x);
  /// How many steps the motion x_now -> x_next between two times needs, so that nothing tunnels.
  int steps(double from, double to, In x_now, In x_next);
  /// Whether no obstacle moves between two times.
  bool still(double from, double to);

  Vec memory() const { return contact_.memory(); }
  void recall(In memory) { contact_.recall(memory); }

 private:
  void place(double from, double to);

  std::vector<Obstacle> obstacles_;
  Contact contact_;
  bool follow_;
  double size_;
  Vec from_, to_;
};

}  // namespace rigspace
