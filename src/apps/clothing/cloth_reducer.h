#pragma once
// Private to clothing: one step of a reduced garment; contact with the body as planes.

#include "body_planes.h"
#include "rigspace/apps/clothing/cloth_reduction.h"

namespace rigspace {

class ClothReducer {
 public:
  ClothReducer(std::shared_ptr<const ClothReduction> reduction, const TriMesh& body, const BodyPlanesOptions& planes);

  /// Where the garment goes from x in a step between two times: first along with the skin, then solved for in few
  /// directions. The objective has no contact.
  Vec solve(const Objective& objective, const HalfSpaces& body, double from, double to, In x, double decrease);

  BodyPlanes& planes() { return planes_; }
  const SubspaceReport& report() const { return solver_.report(); }
  void restart() { solver_.restart(), planes_.restart(); }

 private:
  std::shared_ptr<const ClothReduction> reduction_;
  KinematicReference moving_, still_;  // in the pose, and in the pose without root motion
  SubspaceSolver solver_;
  BodyPlanes planes_;
  std::vector<Affine> C_;
  Vec y_, shape_;
};

}  // namespace rigspace
