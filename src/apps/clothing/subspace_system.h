#pragma once
// Private to clothing: the linear system of one iteration in few directions, H dy = -p before the skin.
//
// H = kept + local. What is kept over iterations and poses is B^T H B of all that holds points together, with what it
// makes of every vector of the database, so that a later iteration neither assembles nor multiplies. Local are blocks
// of single points that change from step to step: planes of contact.

#include "rigspace/apps/clothing/pose_space_database.h"
#include "turned_hessian.h"

#include <span>
#include <vector>

namespace rigspace {

/// Takes Hessians of single points.
class PointBlocks final : public BlockSink {
 public:
  void clear() { points.clear(), blocks.clear(); }
  void add(std::span<const int> at, const double* H) override {
    assert(at.size() == 1);
    const Eigen::Map<const Mat3> block(H);
    if (block.isZero(0)) return;
    points.push_back(at[0]), blocks.push_back(block);
  }
  void add_coordinates(std::span<const int>, const double*) override { assert(false); }

  std::vector<int> points;
  std::vector<Mat3> blocks;
};

class SubspaceSystem {
 public:
  explicit SubspaceSystem(const PoseSpaceDatabase& database) : database_(database) {}

  bool empty() const { return hessian_.empty(); }
  void clear() { hessian_.clear(); }
  void set(const SparseAssembly& H, const KinematicReference& reference);
  /// Blocks of single points, turned here: B^T D B.
  void set_local(const PointBlocks& D, const KinematicReference& reference);

  /// Solves in the span of vectors of the database and of others, then goes on from there over all points by some
  /// steps of conjugate gradients, preconditioned by the blocks of points: what the vectors lack is short-waved, and
  /// that is what few such steps find.
  const Eigen::VectorXf& direction(std::span<const int> vectors, std::span<const Eigen::VectorXf> others,
                                   const Eigen::VectorXf& p, int smoothing);
  /// sqrt(p^T D^-1 p), D the blocks of points: a size of what is left to do.
  double size_of(const Eigen::VectorXf& p) const;

 private:
  using Vector = Eigen::VectorXf;

  void use(int vector);
  void multiply(const Vector& u, Vector& y) const;
  void precondition(const Vector& r, Vector& z) const;
  Mat reduced(std::span<const int> vectors, std::span<const Vector> others);
  void add_local(std::span<const int> vectors, std::span<const Vector> others, Mat& K) const;
  void smooth(int steps);

  const PoseSpaceDatabase& database_;
  TurnedHessian hessian_;
  std::vector<Vector> H_a_;  // of vectors used since the Hessian was made
  Mat K_;                    // a_i^T H_kept a_j; not a number where not yet used
  std::vector<int> local_points_;
  std::vector<Eigen::Matrix3f> local_, inverse_;  // inverse_: of the blocks of points, local ones included
  Vector dy_, r_, z_, d_, H_d_;
};

}  // namespace rigspace
