#pragma once
// Contact of a body with obstacles that move over time: the bookkeeping of one step after another around a Contact.

#include "rigspace/energy/contact.h"
#include "rigspace/energy/obstacle.h"

#include <span>
#include <vector>

namespace rigspace {

struct ObstacleContactOptions {
  ContactOptions contact = {};  ///< lengths in scene units
  /// Whether the keyed pose is the reference: obstacles with `artist_first` then push out only what goes deeper than
  /// the keyed pose does by itself.
  bool keyed_reference = true;
  double size = 1;  ///< scene units: an obstacle that moves by less than 1e-7 of it stands still
};

/// A motion is: start, then per step begin, a solve with energy(), accept. Times are those of the obstacles, s.
class ObstacleContact {
 public:
  static constexpr int kMostSteps = 256;  ///< the most that steps() gives

  /// Obstacles are copied; what their functions refer to must outlive this. Throws Error as Contact does.
  ObstacleContact(ContactBody body, std::span<const Obstacle> obstacles, const ObstacleContactOptions& options = {});

  /// To be added to an objective over the points of the body.
  const Contact& energy() const { return contact_; }

  /// Clears the history; the points are at x, in the keyed pose at x_key.
  void start(double time, In x, In x_key);
  /// Places the obstacles at the beginning and the end of a step. `x_key`: the keyed pose at its end.
  void begin(double from, double to, In x_key);
  /// The step ends with the points at x. True if nothing touched before and something does now: velocities before the
  /// impact then say nothing about those after it.
  bool accept(In x);
  /// How many steps the motion x_now -> x_next between two times needs, so that nothing tunnels: 1 to kMostSteps.
  int steps(double from, double to, In x_now, In x_next);
  /// Whether no obstacle moves between two times.
  bool still(double from, double to);

  /// All that later steps depend on, as numbers; restored, they come out to the bit.
  Vec saved_state() const { return contact_.saved_state(); }
  void restore(In state) { contact_.restore(state); }

 private:
  void place(double from, double to);

  std::vector<Obstacle> obstacles_;
  ObstacleContactOptions options_;
  Contact contact_;
  Vec from_, to_;  // points of one obstacle, at the two times
};

}  // namespace rigspace
