// Barycentric coordinates of a tetrahedron: w_j = V_j / V, V_j the volume with x in the place of corner j.
#include "cage_family.h"

#include "rigspace/base/error.h"
#include "rigspace/geometry/tet_mesh.h"

namespace rigspace {
namespace {

class Barycentric final : public CageBasis {
 public:
  explicit Barycentric(const PreparedCage& cage) : CageBasis(cage) {
    if (cage.point_count() != 4 || cage.face_count() != 4)
      throw Error({.element = "cage",
                   .value = std::to_string(cage.point_count()),
                   .problem = "has " + std::to_string(cage.point_count()) + " points and " +
                              std::to_string(cage.face_count()) +
                              " faces, and barycentric coordinates need a tetrahedron",
                   .remedy = "choose mean-value or harmonic for any closed cage"});
    const auto& c = cage.point;
    volume_ = tet_volume(c[0], c[1], c[2], c[3]);
  }

  void evaluate(const Vec3& x, double* w) const override {
    for (int j = 0; j < 4; ++j) {
      std::array<Vec3, 4> corner{cage_.point[0], cage_.point[1], cage_.point[2], cage_.point[3]};
      corner[j] = x;
      w[j] = tet_volume(corner[0], corner[1], corner[2], corner[3]) / volume_;
    }
  }
  bool extends_outside() const override { return true; }

 private:
  double volume_;
};

}  // namespace

std::unique_ptr<CageBasis> make_barycentric(const PreparedCage& cage) { return std::make_unique<Barycentric>(cage); }

}  // namespace rigspace
