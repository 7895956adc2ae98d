#pragma once
// Private to physics: finished runs of all systems as one motion.

#include "part_system.h"

#include <optional>

namespace rigspace {

/// Turns finished runs into one motion: amounts, limits of limbs and ground, loops, ends.
class MotionCollector {
 public:
  /// `parts`: how many there are. Refers to all that it is given.
  MotionCollector(const Character& character, const KeyedMotion& key, std::size_t parts,
                  const SimulationOptions& options);

  void add(PartSystem& system, Run run);
  /// For a run that is cancelled; `so_far` is the finished part of a system's run.
  void stop(PartSystem& system, const std::optional<Run>& so_far);
  SoftMotion& motion() { return motion_; }

 private:
  const Character& character_;
  const KeyedMotion& key_;
  const SimulationOptions& options_;
  bool ends_at_rest_;
  SoftMotion motion_;
};

}  // namespace rigspace
