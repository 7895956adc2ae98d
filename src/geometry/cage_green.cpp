// Green coordinates (Lipman, Levin and Cohen-Or 2008): Green's third identity for the function x itself,
//   x = sum_j phi_j(x) c_j + sum_t psi_t(x) n_t,
//   phi_j = 1/(4 pi) integral over the surface of Gamma_j h / r^3,   psi_t = 1/(4 pi) integral over face t of 1 / r,
// with Gamma_j linear on faces and 1 at c_j, r the distance from x, and h = n_t . (xi - x), the same all over a face.
// The integrals are those of potentials of panels (Wilton et al. 1984). With p the projection of x to the plane, m_l
// the outward normal of edge l within it, d_l = m_l . (edge - p), f_l = integral of 1/r along the edge, and Omega the
// signed solid angle of the face,
//   integral of 1/r             = sum_l d_l f_l - h Omega
//   integral of h / r^3         = Omega
//   integral of (xi - p) h / r^3 = -h sum_l m_l f_l
// so that phi_j gets  Gamma_j(p) Omega - h grad Gamma_j . sum_l m_l f_l.
// Near an edge rounding turns Omega by 1e-16 / distance; on one it has no value. But all faces together cover the
// sphere around an inner point, and faces that meet at x have one Gamma_j there: what is missing of 4 pi goes to the
// nearest.
#include "cage_family.h"

#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/winding_number.h"

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

class Green final : public CageBasis {
 public:
  using CageBasis::CageBasis;

  int size() const override { return cage_.point_count() + cage_.face_count(); }
  bool follows_faces() const override { return false; }

  void evaluate(const Vec3& x, double* w) const override {
    constexpr double kSphere = 4 * std::numbers::pi;
    double missing = kSphere;
    bool near = false;
    for (int f = 0; f < cage_.face_count(); ++f) {
      const auto c = cage_.corners(f);
      const Vec3 cross = (c[1] - c[0]).cross(c[2] - c[0]);
      const double twice_area = cross.norm();
      const Vec3 n = cross / twice_area;
      double h = n.dot(c[0] - x), omega = kSphere * solid_angle(x, c[0], c[1], c[2]);
      if (std::abs(h) < kNear * cage_.size) {
        const Vec3 at = closest_barycentric(x, c[0], c[1], c[2]);
        const double distance = (at[0] * c[0] + at[1] * c[1] + at[2] * c[2] - x).norm();
        near |= distance < kNear * cage_.size;
        if (distance < kOn * cage_.size) h = omega = 0;
      }
      missing -= omega;
      const Vec3 p = x + h * n;
      Vec3 bow = Vec3::Zero();  // sum_l m_l f_l
      double potential = -h * omega;
      for (int l = 0; l < 3; ++l) {
        const Vec3 &a = c[l], &b = c[(l + 1) % 3];
        const double length = (b - a).norm(), around = (a - x).norm() + (b - x).norm();
        if (around - length <= 1e-14 * length) continue;  // on the edge: d_l and h are zero
        const double line = std::log((around + length) / (around - length));
        const Vec3 m = (b - a).cross(n) / length;
        potential += m.dot(a - p) * line;
        bow += line * m;
      }
      const Triangle& t = cage_.mesh.triangles[f];
      for (int k = 0; k < 3; ++k) {
        // Gamma_k is 0 along the opposite edge, from `a` to `b`, and grows across it.
        const Vec3 &a = c[(k + 1) % 3], &b = c[(k + 2) % 3];
        const Vec3 slope = n.cross(b - a) / twice_area;
        w[t[k]] += (slope.dot(p - a) * omega - h * slope.dot(bow)) / kSphere;
      }
      w[cage_.point_count() + f] = potential / kSphere;
    }
    if (!near) return;
    const SurfacePoint nearest = cage_.tree.closest(x);
    for (int k = 0; k < 3; ++k)
      w[cage_.mesh.triangles[nearest.triangle][k]] += nearest.barycentric[k] * missing / kSphere;
  }

 private:
  static constexpr double kNear = 1e-6, kOn = 1e-10;  // of the size
};

}  // namespace

std::unique_ptr<CageBasis> make_green(const PreparedCage& cage) { return std::make_unique<Green>(cage); }

double green_stretch(const Vec3& u, const Vec3& v, const Vec3& a, const Vec3& b) {
  const double twice_area = u.cross(v).norm();
  const double sum = a.squaredNorm() * v.squaredNorm() - 2 * a.dot(b) * u.dot(v) + b.squaredNorm() * u.squaredNorm();
  return std::sqrt(std::max(sum, 0.0)) / (std::numbers::sqrt2 * twice_area);
}

}  // namespace rigspace
