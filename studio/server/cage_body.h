#pragma once
// A cage around the open character while its points are moved: the skin inside in bind space, and where its points are
// in the pose that is shown.

#include "rigspace/io/cage_file.h"
#include "rigspace/rig/built_in_rig.h"

#include <memory>
#include <string>
#include <vector>

namespace rigspace::studio {

/// Takes places between the space in which a mesh was bound and the pose that is shown: y = s R x + t, fitted to the
/// points of the skin around.
struct CageFrame {
  Mat3 turn = Mat3::Identity();  ///< s R
  Vec3 shift = Vec3::Zero();

  Vec3 shown(const Vec3& x) const { return turn * x + shift; }
  /// Of a displacement in the scene.
  Vec3 bound(const Vec3& d) const { return turn.inverse() * d; }
};

/// Immutable.
class CageBody {
 public:
  /// With a cage that was made. Binds the skin to it; throws Error, Cancelled.
  CageBody(CagedCharacter caged, CageRequest request);
  /// The first cage that a rig file has; null: it has none.
  static std::unique_ptr<const CageBody> of_file(RiggedCharacter rigged);

  const RiggedCharacter& rigged() const { return caged_.rigged; }
  const CagedCharacter& caged() const { return caged_; }
  const CageRequest& request() const { return request_; }
  const TriMesh& cage() const { return caged_.cage.mesh; }
  int point_count() const { return cage().point_count(); }
  /// The controls tx ty tz of a point of the cage; empty: it stays.
  const std::string& node(int point) const { return nodes_[static_cast<std::size_t>(point)]; }

  /// All points of the rig in bind space, with the cage's points moved: three numbers each, scene units.
  void shape(In offsets, Vec& points) const;
  /// The pose on the controls of the rig, which has to be built with the cage; `pose` is on `from`.
  Vec pose_with(std::span<const Control> from, In pose, In offsets) const;
  /// One frame a point of the cage. `skin`: all points of the rig in the pose, the cage at rest.
  std::vector<CageFrame> frames(In skin) const;

 private:
  CageBody() = default;
  void prepare(const plan::Deformer& cage);

  CagedCharacter caged_;
  CageRequest request_;
  std::vector<std::string> nodes_;
  std::shared_ptr<const BuiltInRig> bare_;  // of the cage alone
  std::vector<std::vector<int>> around_;    // by point of the cage: points of the rig nearest at bind
};

}  // namespace rigspace::studio
