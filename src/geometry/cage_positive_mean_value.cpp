// Positive mean value coordinates (Lipman, Kopf, Cohen-Or and Levin 2007): the mean value integral over what x sees of
// the cage, w_j = integral over directions d of phi_j(p(d)) / |p(d) - x|, with p the first point that a ray meets and
// phi_j linear on faces. No weight is negative. The integral is a sum over fixed pairs of opposite directions, so that
//   sum_j w_j (c_j - x) = sum_d (p(d) - x) / |p(d) - x| = sum_d d = 0
// holds for any number of rays. On a face with corners v_i = c_i - x (against x), the ray d meets it where
//   s_i = d . (v_(i+1) x v_(i+2)) have one sign;  phi_i / |p - x| = s_i / det [v_0, v_1, v_2].
#include "cage_family.h"

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

class PositiveMeanValue final : public CageBasis {
 public:
  PositiveMeanValue(const PreparedCage& cage, int rays) : CageBasis(cage) {
    // Half of a spiral of even density (Vogel 1979); the other half are the opposites.
    const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
    for (int k = 0; k < rays; ++k) {
      const double z = (k + 0.5) / rays, r = std::sqrt(1 - z * z);
      directions_.emplace_back(r * std::cos(golden * k), r * std::sin(golden * k), z);
    }
  }

  void evaluate(const Vec3& x, double* w) const override { gather(x, w, nullptr); }

  void gradients(const Vec3& x, double, Eigen::Matrix3Xd& G) const override {
    Vec w = Vec::Zero(size());
    G.setZero(3, size());
    gather(x, w.data(), &G);
  }

 private:
  struct Face {
    std::array<Vec3, 3> cross;  // v_(i+1) x v_(i+2)
    double det;
  };

  void gather(const Vec3& x, double* w, Eigen::Matrix3Xd* G) const {
    const int n = size(), faces = cage_.face_count();
    thread_local std::vector<Vec3> v;
    thread_local std::vector<Face> face;
    v.resize(n), face.resize(faces);
    for (int j = 0; j < n; ++j) v[j] = cage_.point[j] - x;
    for (int f = 0; f < faces; ++f) {
      const Triangle& t = cage_.mesh.triangles[f];
      for (int i = 0; i < 3; ++i) {  // the same numbers, but for the sign, from both faces of an edge: no ray is lost
        const int a = t[(i + 1) % 3], b = t[(i + 2) % 3];
        face[f].cross[i] = a < b ? Vec3(v[a].cross(v[b])) : Vec3(-v[b].cross(v[a]));
      }
      face[f].det = v[t[0]].dot(face[f].cross[0]);
    }
    for (const Vec3& d : directions_) {
      int hit[2] = {-1, -1};
      double nearest[2] = {0, 0};  // 1 / distance, along d and against it
      for (int f = 0; f < faces; ++f) {
        const auto& [cross, det] = face[f];
        const double a = d.dot(cross[0]), b = d.dot(cross[1]);
        if (a * b < 0 || det == 0) continue;
        const double c = d.dot(cross[2]);
        if (a * c < 0 || b * c < 0) continue;
        const double inverse = (a + b + c) / det;
        const int side = inverse > 0 ? 0 : 1;
        if (std::abs(inverse) > nearest[side]) nearest[side] = std::abs(inverse), hit[side] = f;
      }
      for (int side = 0; side < 2; ++side)
        if (hit[side] >= 0) add(hit[side], face[hit[side]], v, side == 0 ? d : Vec3(-d), w, G);
    }
    double sum = 0;
    for (int j = 0; j < n; ++j) sum += w[j];
    for (int j = 0; j < n; ++j) w[j] /= sum;
    if (G == nullptr) return;
    *G /= sum;
    const Vec3 of_sum = G->rowwise().sum();
    for (int j = 0; j < n; ++j) G->col(j) -= w[j] * of_sum;
  }

  // d s_i / dx = -d x (v_(i+1) - v_(i+2)),  d det / dx = -(sum of the crosses)
  void add(int f, const Face& face, const std::vector<Vec3>& v, const Vec3& d, double* w, Eigen::Matrix3Xd* G) const {
    const Triangle& t = cage_.mesh.triangles[f];
    const Vec3 by_det = face.cross[0] + face.cross[1] + face.cross[2];
    for (int i = 0; i < 3; ++i) {
      const double weight = d.dot(face.cross[i]) / face.det;
      w[t[i]] += weight;
      if (G != nullptr) G->col(t[i]) += (weight * by_det - d.cross(v[t[(i + 1) % 3]] - v[t[(i + 2) % 3]])) / face.det;
    }
  }

  std::vector<Vec3> directions_;
};

}  // namespace

std::unique_ptr<CageBasis> make_positive_mean_value(const PreparedCage& cage, int rays) {
  return std::make_unique<PositiveMeanValue>(cage, rays);
}

}  // namespace rigspace
