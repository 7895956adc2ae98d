#pragma once
// Coordinates of points within a cage, a coarse closed surface around a shape: x = sum_j w_j(x) c_j, with c_j the
// points of the cage. Moving those moves what is inside: y = sum_j w_j(x) c_j'. One source file a family, each with its
// formula; docs/cages.md has the table of what each family keeps and what it costs.

#include "rigspace/geometry/tri_mesh.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace rigspace {

enum class CageFamily {
  barycentric,          ///< of a tetrahedron (Moebius 1827)
  wachspress,           ///< convex cages (Warren 1996, by polar duals: Ju et al. 2005)
  natural_neighbour,    ///< Laplace's weights of the Voronoi cells of the cage's points (Belikov et al. 1997)
  mean_value,           ///< Floater 2003, in space: Ju et al. 2005
  positive_mean_value,  ///< what is seen of the cage alone (Lipman et al. 2007)
  green,                ///< points and faces, nearly conformal (Lipman et al. 2008)
  harmonic,             ///< Joshi et al. 2007
  maximum_entropy,      ///< Hormann and Sukumar 2008
  biharmonic,           ///< bounded biharmonic weights (Jacobson et al. 2011)
};

/// As options and files spell it: "mean-value".
std::string_view name(CageFamily);
/// Throws Error that lists the names.
CageFamily cage_family(std::string_view name);
std::span<const CageFamily> cage_families();

/// What becomes of points outside the cage.
enum class CageOutside {
  refuse,  ///< Error: the cage does not enclose them
  still,   ///< they get no coordinates
  extend,  ///< the formula goes on, for families that have one there: barycentric, natural neighbour (within the hull),
           ///< mean value, maximum entropy (within the hull). Error for others
};

struct CageOptions {
  CageFamily family = CageFamily::mean_value;
  CageOutside outside = CageOutside::refuse;
  int nodes = 0;           ///< grid points inside the cage, harmonic and biharmonic; 0: 12000 and 2500
  int rays = 1024;         ///< pairs of opposite directions, positive mean value
  double drop_below = 0;   ///< smaller weights are left out, and the others changed to keep what the family keeps; not
                           ///< of Green coordinates, which cancel
  bool gradients = false;  ///< also dw/dx, by central differences where there is no formula

  void validate() const;
};

/// Weights of points, row by row: those of row i are at start[i] .. start[i + 1].
struct CageRows {
  std::vector<int> start{0};
  std::vector<int> index;  ///< ascending within a row: points of the cage, or faces
  std::vector<double> weight;
  std::vector<Vec3> gradient;  ///< per weight, per scene unit; empty without CageOptions::gradients

  int count() const { return static_cast<int>(start.size()) - 1; }
};

struct CageCoordinates {
  CageFamily family = CageFamily::mean_value;
  TriMesh cage;              ///< at rest, faces outward (of cavities: into the cavity)
  CageRows points;           ///< w_j, one row per point
  CageRows faces;            ///< Green's psi_t, scene units; else rows without entries
  std::vector<char> inside;  ///< one per point: 0 if it is outside (and, with CageOutside::still, has no weights)

  int count() const { return points.count(); }
  /// The points, flattened, for other positions of the cage's: y = sum_j w_j c_j + sum_t psi_t s_t n_t, where s_t is
  /// the stretch of face t (green_stretch) and n_t its unit normal.
  Vec evaluate(In cage_points) const;
};

/// Throws Error if the cage is no closed surface, has a face without area, passes through itself, or does not suit the
/// family (a tetrahedron, a convex one); if points are outside and may not be; if options are out of range. A face is
/// turned outward where it is not. A point on the surface, to 1e-10 of the size, gets the barycentric coordinates of
/// its face, or the limit from inside of those that are not linear there: Wachspress, natural neighbour, Green. The
/// same bits for any number of threads.
CageCoordinates cage_coordinates(const TriMesh& cage, In points, const CageOptions& options = {});

/// The same for several sets of points: what belongs to the cage alone, the solution on a grid for one, is found once.
/// Const calls from any number of threads.
class CageSolver {
 public:
  explicit CageSolver(const TriMesh& cage, const CageOptions& options = {});
  ~CageSolver();
  CageSolver(CageSolver&&) noexcept;

  CageCoordinates coordinates(In points) const;

 private:
  struct Prepared;
  std::unique_ptr<const Prepared> prepared_;
};

/// The checks of the cage alone; gives it with its faces turned outward, those around cavities into the cavity.
/// `what` begins the sentences.
TriMesh checked_cage(const TriMesh& cage, std::string_view what = "cage");

/// How much a face is stretched, from edges u, v at rest to a, b (Lipman et al. 2008; 1 at rest, s under a uniform
/// scale):
///   s = sqrt(|a|^2 |v|^2 - 2 (a.b) (u.v) + |b|^2 |u|^2) / (sqrt(8) area),   area = |u x v| / 2.
double green_stretch(const Vec3& u, const Vec3& v, const Vec3& a, const Vec3& b);

}  // namespace rigspace
