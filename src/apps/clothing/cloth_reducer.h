#pragma once
// Private to clothing: one step of a reduced garment, without contact.

#include "rigspace/apps/clothing/cloth_reduction.h"

namespace rigspace {

class ClothReducer {
 public:
  explicit ClothReducer(std::shared_ptr<const ClothReduction> reduction);

  /// Where the garment goes from x in a step between two times: first along with the skin, then solved for in few
  /// directions. The objective has no contact.
  Vec solve(const Objective& objective, double from, double to, In x, double decrease);

  const SubspaceReport& report() const { return solver_.report(); }

 private:
  std::shared_ptr<const ClothReduction> reduction_;
  KinematicReference moving_, still_;  // in the pose, and in the pose without root motion
  SubspaceSolver solver_;
  std::vector<Affine> C_;
  Vec y_, shape_;
};

}  // namespace rigspace
