// Wachspress coordinates of convex polyhedra, by polar duals (Ju, Schaefer, Warren and Desbrun 2005, "A geometric
// construction of coordinates for convex polyhedra using polar duals"). Facet f with outward normal n_f, at distance
// h_f from x, has the dual point p_f = n_f / h_f. The facets around point j of the cage, in order, span a flat face of
// the dual; its cone is the weight:
//   w_j = sum_i det [p_0, p_i, p_(i+1)].
// The dual is closed, so sum_j w_j (c_j - x) = 0. Coplanar triangles are one facet. h_f is at least 1e-12 of the size:
// on a facet the coordinates are those of a point as near to it.
#include "cage_family.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace rigspace {
namespace {

class Wachspress final : public CageBasis {
 public:
  explicit Wachspress(const PreparedCage& cage) : CageBasis(cage) {
    for (int f = 0; f < cage.face_count(); ++f) check_convex(f);
    const std::vector<int> facet = facets();
    std::vector<std::map<int, std::pair<int, int>>> fans(cage.point.size());  // next point -> (point before it, face)
    for (int f = 0; f < cage.face_count(); ++f)
      for (int k = 0; k < 3; ++k) {
        const Triangle& t = cage.mesh.triangles[f];
        fans[t[k]][t[(k + 1) % 3]] = {t[(k + 2) % 3], f};
      }
    around_.resize(cage.point.size());
    for (std::size_t j = 0; j < fans.size(); ++j) {  // `next` runs clockwise around the point
      int at = fans[j].begin()->first;
      for (std::size_t n = 0; n < fans[j].size(); ++n) {
        const auto& [next, face] = fans[j].at(at);
        if (around_[j].empty() || around_[j].back() != facet[face]) around_[j].push_back(facet[face]);
        at = next;
      }
    }
  }

  void evaluate(const Vec3& x, double* w) const override {
    thread_local std::vector<Vec3> dual;
    dual.resize(normal_.size());
    for (std::size_t f = 0; f < normal_.size(); ++f) {
      const double h = normal_[f].dot(cage_.point[cage_.mesh.triangles[f][0]] - x);
      dual[f] = normal_[f] / std::max(h, 1e-12 * cage_.size);
    }
    for (std::size_t j = 0; j < around_.size(); ++j) {
      const auto& fan = around_[j];
      for (std::size_t i = 1; i + 1 < fan.size(); ++i) w[j] += dual[fan[0]].dot(dual[fan[i]].cross(dual[fan[i + 1]]));
    }
    normalise(w, size());
  }
  bool follows_faces() const override { return false; }  // follows facets: rational on a facet of several triangles

 private:
  void check_convex(int f) {
    const auto [a, b, c] = cage_.corners(f);
    normal_.push_back((b - a).cross(c - a).normalized());
    for (int j = 0; j < cage_.point_count(); ++j)
      if (normal_.back().dot(cage_.point[j] - a) > 1e-9 * cage_.size)
        throw Error({.element = "cage",
                     .value = std::to_string(j),
                     .problem = "is not convex: its point " + std::to_string(j) + " lies outside of face " +
                                std::to_string(f) + "'s plane, and Wachspress coordinates need a convex cage",
                     .remedy = "choose mean-value or harmonic for concave cages"});
  }

  /// Of each face, the first of its facet: triangles that an edge joins and whose normals agree.
  std::vector<int> facets() const {
    const EdgeTable edges = edge_table(cage_.mesh);
    std::vector<int> facet(normal_.size());
    std::iota(facet.begin(), facet.end(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (int e = 0; e < edges.count(); ++e) {
        const int f = edges.uses(e)[0] / 3, g = edges.uses(e)[1] / 3;
        if (facet[f] == facet[g] || normal_[f].cross(normal_[g]).norm() > 1e-9) continue;
        facet[f] = facet[g] = std::min(facet[f], facet[g]);
        changed = true;
      }
    }
    return facet;
  }

  std::vector<Vec3> normal_;              // of the faces
  std::vector<std::vector<int>> around_;  // the facets around each point, in order; the first and the last may be one
};

}  // namespace

std::unique_ptr<CageBasis> make_wachspress(const PreparedCage& cage) { return std::make_unique<Wachspress>(cage); }

}  // namespace rigspace
