#pragma once
// What each family of cage coordinates implements.

#include "rigspace/geometry/cage_coordinates.h"
#include "rigspace/geometry/closest_point.h"

#include <memory>
#include <string>

namespace rigspace {

/// A cage as all families need it.
struct PreparedCage {
  TriMesh mesh;  ///< checked_cage
  TriangleTree tree;
  std::vector<Vec3> point;
  double size = 1;  ///< diagonal of its box, scene units

  explicit PreparedCage(TriMesh checked);
  int point_count() const { return static_cast<int>(point.size()); }
  int face_count() const { return mesh.triangle_count(); }
  std::array<Vec3, 3> corners(int face) const {
    const Triangle& t = mesh.triangles[static_cast<std::size_t>(face)];
    return {point[t[0]], point[t[1]], point[t[2]]};
  }
};

/// Called from several threads. `w` has one number per point of the cage (Green: and one per face), zero before.
class CageBasis {
 public:
  explicit CageBasis(const PreparedCage& cage) : cage_(cage) {}
  virtual ~CageBasis() = default;

  virtual void evaluate(const Vec3& x, double* w) const = 0;
  /// Fills G, columns dw_j/dx. By central differences; a point stays where it is.
  virtual void gradients(const Vec3& x, double step, Eigen::Matrix3Xd& G) const;

  virtual int size() const { return cage_.point_count(); }
  /// On a face, the coordinates are those of the face.
  virtual bool follows_faces() const { return true; }
  /// On the surface the formula has no value, and one from nearby is taken.
  virtual bool ends_on_surface() const { return false; }
  virtual bool extends_outside() const { return false; }
  /// sum_j w_j c_j = x.
  virtual bool reproduces_places() const { return true; }
  /// Of differences, scene units.
  virtual double step() const { return 1e-4 * cage_.size; }

 protected:
  const PreparedCage& cage_;
};

std::unique_ptr<CageBasis> make_barycentric(const PreparedCage&);
std::unique_ptr<CageBasis> make_wachspress(const PreparedCage&);
std::unique_ptr<CageBasis> make_natural_neighbour(const PreparedCage&);
std::unique_ptr<CageBasis> make_mean_value(const PreparedCage&);
std::unique_ptr<CageBasis> make_positive_mean_value(const PreparedCage&, int rays);
std::unique_ptr<CageBasis> make_green(const PreparedCage&);
std::unique_ptr<CageBasis> make_harmonic(const PreparedCage&, int nodes);
std::unique_ptr<CageBasis> make_maximum_entropy(const PreparedCage&);
std::unique_ptr<CageBasis> make_biharmonic(const PreparedCage&, int nodes);

/// Divides w by its sum.
inline void normalise(double* w, int count) {
  double sum = 0;
  for (int j = 0; j < count; ++j) sum += w[j];
  for (int j = 0; j < count; ++j) w[j] /= sum;
}

}  // namespace rigspace
