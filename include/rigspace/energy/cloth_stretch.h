#pragma once
// Stretch and shear of cloth: triangles of constant strain (Thesis 3.1.2).
//   E(x) = sum_t A_t psi(E_t),   E = (F^T F - I)/2,   F = sum_k x_k b_k^T   (3x2; Thesis (3.13) is this outer product),
//   psi = warp/2 E_11^2 + weft/2 E_22^2 + shear/2 (2 E_12)^2 + limit(E_11) + limit(E_22),
// axis 1 along the warp, 2 along the weft. With warp = weft = Y and shear = Y/2 this is the Saint Venant-Kirchhoff
// material of Thesis (3.15) at nu = 0, psi = Y/2 |E|^2.

#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/optimize/energy.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

struct ClothMemory;

/// Stiffness of a woven sheet: force per width of cloth, N/m, at small strain.
struct ClothMaterial {
  double warp = 500;       ///< N/m along the warp, the first axis of the rest shape
  double weft = 500;       ///< N/m across it
  double shear = 250;      ///< N/m; half of the others for an isotropic sheet
  double bending = 2e-5;   ///< N m: plate rigidity
  double density = 0.2;    ///< kg/m^2; 200 grams per square metre
  double damping = 2e-3;   ///< s: strain rates are damped as stiffness * damping, bending too
  double limit = 0.1;      ///< Green strain along warp or weft beyond which the cloth stiffens; 0: never
  double limit_gain = 30;  ///< how many times stiffer it then is, reached at 1.5 limits

  void validate() const;
};

/// The Saint Venant-Kirchhoff sheet of Young's modulus times thickness Y, N/m.
ClothMaterial isotropic_cloth(double stiffness);

/// Triangles whose rest shape is flat pieces: from points in space, each triangle in a frame of its own whose second
/// axis (weft) lies across the direction `warp` as seen in it; or from 2D panels.
std::vector<std::array<double, 6>> flat_triangles(In points, std::span<const Triangle> triangles,
                                                  const Vec3& warp = Vec3::UnitY());
/// Panels in metres: three (u, v) a triangle, u along the warp. Seams are triangles that share points in space and have
/// corners of their own in the panels.
std::vector<std::array<double, 6>> flat_triangles(std::span<const double> uv, std::span<const Triangle> corners);

/// limit(e) = 0 for e <= l, K t^3 / (6 w) for t = e - l < w, K (w^2/6 + w (t - w)/2 + (t - w)^2/2) beyond, K = gain *
/// stiffness, w = l/2: twice continuously differentiable, convex, finite.
///
/// Damping: begin_step keeps the strains of its start, and psi gains damping/h of the same quadratic form in E -
/// E_start: no force on rigid motion.
class ClothStretch final : public Energy {
 public:
  /// `flat`: see flat_triangles. Throws Error for a triangle without area or with points that are not there.
  ClothStretch(int points, std::span<const Triangle> triangles, std::span<const std::array<double, 6>> flat,
               const ClothMaterial& material = {});

  void set_material(const ClothMaterial&);
  /// Damping over a step of h seconds from x_start; h = 0: none.
  void begin_step(In x_start, double h);

  std::unique_ptr<State> make_state() const override;  ///< keeps the last evaluation
  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;
  int element_count() const override { return static_cast<int>(elements_.size()); }
  std::unique_ptr<Energy> sampled(std::span<const WeightedElement>) const override;
  std::span<const int> support() const override { return support_; }

  /// E_11, E_22, E_12 of a triangle.
  Vec3 strain(In x, int triangle) const;
  double rest_area(int triangle) const { return elements_[static_cast<std::size_t>(triangle)].area; }

 private:
  struct Element {
    Triangle corners;
    double b[3][2];  // gradients of the shape functions
    double area;     // m^2
    double weight = 1;
    Vec3 start = Vec3::Zero();  // strains at the start of the step
  };
  struct Response {
    double psi;
    Vec3 stress, stiffness;  // by E_11, E_22, E_12
  };
  struct Batch {  // four elements, by lanes
    int corners[3][4];
    double b[3][2][4], scale[4], start[3][4];  // scale: weight times area
  };
  using Frame = Eigen::Matrix<double, 3, 2>;

  Frame deformation(const Element&, In x) const;
  Response response(const Element&, const Frame& F) const;
  void find_support();
  void make_batches();
  double evaluate(const Batch&, const double* x, double* forces) const;
  void evaluate(const ClothMemory&, In x) const;

  int points_ = 0;
  ClothMaterial material_;
  double damping_ = 0;  // beta / h
  std::vector<Element> elements_;
  std::vector<Batch> batches_;
  std::uint64_t version_ = 0;  // of all that an evaluation depends on but the points
  std::vector<int> corners_, support_;
};

/// Mass of each point, kg: a third of its triangles'.
Vec cloth_masses(int points, std::span<const Triangle> triangles, std::span<const std::array<double, 6>> flat,
                 double density);

}  // namespace rigspace
