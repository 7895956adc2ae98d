#pragma once
// How near operators of inverse kinematics came to their targets.

#include "rigspace/rig/ik.h"

namespace rigspace {

class IkSolver {
 public:
  virtual ~IkSolver() = default;
  virtual IkReport report(In p, std::span<const double* const> inputs) const = 0;
};

}  // namespace rigspace
