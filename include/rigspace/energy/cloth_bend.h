#pragma once
// Bending of cloth at hinges, the edges between two triangles (Thesis 3.1.2):
//   E(x) = sum_e k/2 w_e (theta_e - theta_rest)^2,   w_e = |e|^2 / (A_1 + A_2),
// k the plate rigidity in N m. Thesis (3.18) weights by the edge's length, which vanishes under refinement. The angle
// is signed, theta = atan2(e/|e| . (n_1 x n_2), n_1 . n_2); the arccos of Thesis (3.17) has no sign and is singular
// where the cloth is flat.

#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/optimize/energy.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace rigspace {

struct ClothMemory;

/// An edge (first two points) and the points opposite to it. The triangles are (0 1 2) and (1 0 3).
using HingePoints = std::array<int, 4>;

/// All edges of exactly two triangles, wound alike. `unusable`, unless null: how many edges of more than two triangles,
/// or of two that are wound against each other, were left out.
std::vector<HingePoints> hinges_of(const TriMesh& mesh, int* unusable = nullptr);

/// theta in (-pi, pi], and its gradient by the four points.
double hinge_angle(In x, const HingePoints& hinge);
double hinge_angle(In x, const HingePoints& hinge, Eigen::Matrix<double, 12, 1>& gradient);

/// The projected Hessian is k w dtheta dtheta^T: the second derivative of theta is indefinite, so the sum has a
/// negative eigenvalue wherever theta differs from its rest value.
class ClothBend final : public Energy {
 public:
  /// Areas and lengths of w_e come from x_rest, m. `rest_angles`: rad, one a hinge; empty: those of x_rest.
  ClothBend(In x_rest, std::vector<HingePoints> hinges, double stiffness, std::span<const double> rest_angles = {});

  /// Damping as in ClothStretch: damping/h times the same quadratic form in theta - theta_start.
  void begin_step(In x_start, double h, double damping);
  void set_stiffness(double stiffness) { stiffness_ = stiffness, ++version_; }

  std::unique_ptr<State> make_state() const override;  ///< keeps the last evaluation
  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;
  int element_count() const override { return static_cast<int>(hinges_.size()); }
  std::unique_ptr<Energy> sampled(std::span<const WeightedElement>) const override;
  std::span<const int> support() const override { return support_; }

 private:
  struct Hinge {
    HingePoints points;
    double weight;  // w_e, times that of a sample
    double rest, start = 0;
  };
  struct Batch {  // four hinges, by lanes
    int points[4][4];
    double scale[4], rest[4], start[4];
  };
  // The angle that is nearest to `near`: no jump of 2 pi where a hinge is folded shut.
  static double continued(double angle, double near);
  double force(const Hinge&, double angle) const;  // dE/dtheta without the weight of the objective
  void find_support();
  void make_batches();
  double evaluate(const Batch&, const double* x, double* forces) const;
  void evaluate(const ClothMemory&, In x) const;

  double stiffness_, damping_ = 0;
  std::vector<Hinge> hinges_;
  std::vector<Batch> batches_;
  std::uint64_t version_ = 0;  // of all that an evaluation depends on but the points
  std::vector<int> corners_, support_;
};

}  // namespace rigspace
