#pragma once
// A fine shape that follows a coarse rigged one: within one rig as a deformer, or around any rig.

#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/deformer.h"
#include "rigspace/rig/rig.h"

#include <memory>

namespace rigspace {

struct WrapOptions {
  /// Triangles up to this much further away than the nearest one count, with weights that fall to zero there; in mean
  /// edge lengths of the base mesh. Positive.
  double blend = 1;
  int max_triangles = 16;  ///< of one wrapped point: the nearest; 1 to 64
  /// WrapRig only: the base's points come first, then the wrapped ones; false: only the wrapped ones.
  bool keep_base = true;

  void validate() const;
};

/// Some points of a rig that follow others of it, as WrapRig's follow its base; what the deformers before did to them
/// is lost where the weight is 1.
struct WrapDescription {
  int first_point = 0;
  std::vector<double> weights;  ///< one per wrapped point: how far it follows
  TriMesh surface;              ///< all points of the rig where they rest at this place of the stack, and the triangles
                                ///< to follow: none without area, none of wrapped points
  std::vector<Mat3> rest_slopes;  ///< per wrapped point, d rest / dX: what the deformers before do at rest
  WrapOptions options;
};

/// A Follower (follower.h).
std::unique_ptr<Deformer> make_wrap(const WrapDescription&);

struct WrapBinding;

/// Wrapped points keep their place relative to the nearest triangles of the base, blended:
///
///   y = sum_i w_i (a_i + alpha_i e1_i + beta_i e2_i + gamma_i n_i),   n = e1 x e2 / sqrt(|e1 x e2|)
///
/// with coordinates alpha, beta, gamma and weights w from rest. So rigid motions and uniform scalings of the base move
/// the wrapped points likewise. The Jacobian is exact where the base's is; restricted evaluates only the base points
/// that the chosen ones follow.
class WrapRig final : public Rig {
 public:
  /// `base_mesh`: the base's points at rest (all of them, or the first ones) and the triangles to follow, none without
  /// area. `wrapped_rest`: flattened, in the same space.
  WrapRig(std::shared_ptr<const Rig> base, const TriMesh& base_mesh, In wrapped_rest, const WrapOptions& = {});
  ~WrapRig() override;

  std::span<const Control> controls() const override;
  int point_count() const override;
  Traits traits() const override;
  std::unique_ptr<Workspace> make_workspace() const override;
  void evaluate(Workspace&, In p, Vec& s) const override;
  void evaluate_batch(Workspace&, const Mat& P, Mat& S) const override;
  void jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian&) const override;
  void pull(Workspace&, In p, In g, Vec& g_p) const override;
  /// Of wrapped points: with the weights held, as a skin's are.
  bool rest_jacobian(Workspace&, In p, std::vector<Mat3>& B) const override;
  std::unique_ptr<Rig> restricted(std::span<const int> points) const override;

  int passed_count() const;   ///< points of the base that come first
  int wrapped_count() const;  ///< points that follow

 private:
  struct Memory;
  void pose(Memory&, In base_points) const;
  void by_corners(const Memory&, int wrapped, Mat3* by_corner) const;
  void follow(const Memory&, In base_points, Eigen::Ref<Vec> s) const;
  WrapRig(std::vector<std::shared_ptr<const Rig>> origins, std::shared_ptr<const Rig> base, WrapBinding binding);

  std::vector<std::shared_ptr<const Rig>> origins_;  // what base_ may refer to, where it was restricted
  std::shared_ptr<const Rig> base_;
  std::unique_ptr<const WrapBinding> binding_;
};

}  // namespace rigspace
