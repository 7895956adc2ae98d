#pragma once
// A cage as a part of a rig plan, and so of rig files: type "cage".

#include "rigspace/rig/cage.h"
#include "rigspace/rig/rig_plan.h"

#include <memory>
#include <string>
#include <vector>

namespace rigspace::plan {

/// A point of a cage: one of the rig's points or nodes, which moves it, or a place where it stays.
struct CagePoint {
  std::string node;              ///< empty: it stays
  Vec3 position = Vec3::Zero();  ///< then
};

/// Moves all points of its pieces; where those points and nodes rest is the cage at rest.
class Cage final : public OwnDeformer {
 public:
  std::vector<CagePoint> points;
  std::vector<Triangle> faces;  ///< of these points, counted from 0
  CageOptions coordinates;

  Cage() = default;
  ~Cage() override;

  std::string_view type() const override { return "cage"; }
  std::unique_ptr<rigspace::Deformer> make(const DeformerSite&) const override;

 private:
  struct Solved;
  /// Of the last cage at rest: pieces share it. Not for use by several threads at once, as building is not.
  mutable std::shared_ptr<const Solved> solved_;
};

/// Adds a point `<name>_0`, `<name>_1` .. to the plan for each point of the cage, with its controls, in a group of the
/// cage's name, and the deformer, in front of all others (in bind space: a skin carries what the cage has shaped).
/// Throws Error if the name is taken.
void add_cage(RigPlan& plan, const std::string& name, const TriMesh& cage, const CageOptions& coordinates,
              std::vector<std::string> pieces = {});

}  // namespace rigspace::plan
