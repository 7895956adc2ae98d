// Mean value coordinates of triangle meshes (Ju, Schaefer and Warren 2005, "Mean value coordinates for closed
// triangular meshes"). Seen from x, a face covers a spherical triangle with corners u_i = v_i / |v_i|, v_i = c_i - x.
// The integral of the unit vector over it is, by Stokes,
//   m = 1/2 sum_i theta_i n_i,   n_i the unit normal of u_(i+1) x u_(i+2), theta_i the angle between those,
// and the weights are what writes m in the corners:  sum_i w_i v_i = m. Neighbouring faces share an arc, run through
// the other way round, so the m of all faces sum to zero: sum_j w_j (c_j - x) = 0, as exactly as the small systems are
// solved. Edge-on faces have m = 0 and a singular system, solved in the columns that count.
#include "cage_family.h"

#include <Eigen/QR>

#include <cmath>

namespace rigspace {
namespace {

/// (theta / sin theta) a x b for unit vectors.
Vec3 arc(const Vec3& a, const Vec3& b) {
  const Vec3 cross = a.cross(b);
  const double sine = cross.norm();
  return sine > 1e-150 ? Vec3(std::atan2(sine, a.dot(b)) / sine * cross) : cross;
}

class MeanValue final : public CageBasis {
 public:
  using CageBasis::CageBasis;

  void evaluate(const Vec3& x, double* w) const override {
    const int n = size();
    thread_local std::vector<Vec3> u;
    thread_local std::vector<double> distance;
    u.resize(n), distance.resize(n);
    for (int j = 0; j < n; ++j) {
      const Vec3 v = cage_.point[j] - x;
      distance[j] = v.norm();
      u[j] = v / distance[j];
    }
    for (const Triangle& t : cage_.mesh.triangles) {
      const Vec3 &a = u[t[0]], &b = u[t[1]], &c = u[t[2]];
      const Vec3 m = 0.5 * (arc(b, c) + arc(c, a) + arc(a, b));
      const Vec3 bc = b.cross(c);
      const double det = a.dot(bc);
      Vec3 by_corner;
      if (std::abs(det) > 1e-4) {
        by_corner = Vec3(m.dot(bc), m.dot(c.cross(a)), m.dot(a.cross(b))) / det;
      } else {
        Mat3 U;
        U << a, b, c;
        Eigen::ColPivHouseholderQR<Mat3> solver;
        solver.setThreshold(1e-8);
        by_corner = solver.compute(U).solve(m);
      }
      for (int k = 0; k < 3; ++k) w[t[k]] += by_corner[k] / distance[t[k]];
    }
    normalise(w, n);
  }
  bool extends_outside() const override { return true; }
};

}  // namespace

std::unique_ptr<CageBasis> make_mean_value(const PreparedCage& cage) { return std::make_unique<MeanValue>(cage); }

}  // namespace rigspace
