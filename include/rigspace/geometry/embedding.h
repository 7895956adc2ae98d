#pragma once
// Ties between a rigged surface and a body of tetrahedra: the body's boundary follows the surface, b = B s, and points
// that are not rigged follow the body.

#include "rigspace/geometry/bvh.h"
#include "rigspace/geometry/tet_mesh.h"

#include <Eigen/SparseCore>

#include <vector>

namespace rigspace {

/// Nodes of a body bound to triangles of a surface:
///   b_i = sum_k weights_i[k] s[corners_i[k]] + F_i(s) offsets_i.
/// The sum is linear, b = B s, so that its Jacobian through any rig is B J_s exactly. The frame F_i of a triangle has
/// the columns e / |e|, n x e / |e|, n, with e its first edge and n its unit normal; it turns with the triangle but
/// does not stretch. Offsets are zero for nodes that lie on the surface, and are what is missing for others: where the
/// body was thickened, closes a hole or keeps two sheets apart.
struct SurfaceBinding {
  std::vector<int> nodes;         ///< of the body, ascending
  std::vector<Triangle> corners;  ///< points of the surface
  std::vector<Vec3> weights;      ///< barycentric, none negative, sum 1
  std::vector<Vec3> offsets;      ///< scene units, in the triangle's frame
  std::vector<char> off_surface;  ///< 1 where the offset is longer than the tolerance, or the surface faces away
  int surface_points = 0;

  int count() const { return static_cast<int>(nodes.size()); }

  /// B, 3 count() x 3 surface_points.
  Eigen::SparseMatrix<double> matrix() const;
  /// b = B s + F(s) offsets, flattened. Allocates only if b has another size.
  void evaluate(In s, Vec& b) const;
  /// B s alone; also for derivatives.
  void apply(In s, Vec& b) const;
  /// Adds B^T g.
  void add_transposed(In g, Vec& g_s) const;
};

struct BindingOptions {
  double tolerance = 0;  ///< scene units: farther nodes are off_surface; 0: 1e-6 of the diagonal of the surface's box
};

/// Binds the boundary of `body` to `surface` (as it came: unwelded, any orientation), both at rest. Each node goes to
/// the nearest place of a triangle that, turned outward as its part is, faces the way the boundary does there; if none
/// is as near as a boundary edge is long beyond the nearest of all, to that one, and is off_surface. Throws Error if
/// the surface has no triangles and the body has nodes.
SurfaceBinding bind_boundary(const TetMesh& body, const TriMesh& surface, const BindingOptions& options = {});

/// Places in tetrahedra. Holds a copy of the mesh; const calls from any number of threads.
class TetTree {
 public:
  explicit TetTree(const TetMesh& mesh);

  /// A tetrahedron that contains x, the first of several; -1 if there is none.
  int containing(const Vec3& x) const;
  /// The nearest one; -1 if there are none.
  int nearest(const Vec3& x) const;
  /// Coordinates of x: sum 1, none negative inside. Also beyond the tetrahedron, by extrapolation. Those of a flat one
  /// are equal.
  Vec4 barycentric(int tet, const Vec3& x) const;

 private:
  TetMesh mesh_;
  Bvh bvh_;
};

/// Points that follow a body: x_i = sum_k weights_i[k] body[corners_i[k]].
struct TetEmbedding {
  std::vector<Tet> corners;
  std::vector<Vec4> weights;  ///< barycentric in the tetrahedron that contains the point, or is nearest to it
  std::vector<char> outside;  ///< 1 where a weight is negative

  int count() const { return static_cast<int>(corners.size()); }
  void evaluate(In body, Vec& x) const;
};

/// Throws Error if the body is empty and there are points.
TetEmbedding embed(const TetMesh& body, In points);

}  // namespace rigspace
