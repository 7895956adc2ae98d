#pragma once
// Tetrahedral bodies from artists' surfaces: isosurface stuffing (Labelle and Shewchuk 2007) of what the surface
// encloses. Any soup of triangles is fine: it is welded by position, each part is turned outward, the inside of a part
// is where its winding number exceeds 1/2, and the body is the union of the insides. Angles between faces lie between
// about 10 and 165 degrees (10.7 and 164.8 in the paper; holding thin parts together costs a little), no tetrahedron is
// inverted, and the boundary is a manifold on, or near, the surface.
//
// Where two sheets of skin are nearer than a cell, the lattice is split between them: nodes belong to one sheet only,
// and a body's fingers, lips or thighs stay apart although they touch. Where a part is hardly thicker than a cell it
// is thickened by up to `dilation`, so that it stays connected; what is still lost is reported as thin.

#include "rigspace/base/progress.h"
#include "rigspace/geometry/tet_mesh.h"
#include "rigspace/geometry/tri_mesh.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rigspace {

struct StuffingOptions {
  double cell = 0;        ///< edge of a lattice cube, scene units; 0: 2 % of the diagonal of the surface's box
  int vertices = 0;       ///< unless 0: choose the cell such that the body has about this many nodes
  double dilation = 0.3;  ///< in cells, 0 to 0.6: how far parts hardly thicker than a cell are thickened to each side
  ProgressCallback progress;

  void validate() const;
};

/// How the body represents a point of the surface.
enum class Cover : std::uint8_t {
  body,   ///< a tetrahedron is there, or within a cell
  thin,   ///< belongs to something with an inside, but too thin for the cells: nothing is there
  sheet,  ///< belongs to a sheet, which has no inside: a cape, a hair card
};

/// A part of the surface: triangles joined by edges once points are welded.
struct SkinPart {
  int triangles = 0;
  bool closed = false;  ///< no holes
  bool solid = false;   ///< it encloses something; otherwise it is a sheet and gives nothing
  double area = 0;      ///< square scene units
  int points = 0;       ///< of the surface as it came
  int thin_points = 0;  ///< of those, how many are Cover::thin
};

struct Body {
  TetMesh mesh;
  double cell = 0;                    ///< scene units, as used
  std::vector<SkinPart> parts;        ///< of the surface
  std::vector<int> part_of_triangle;  ///< of the surface as it came; -1: no area left after welding
  std::vector<int> part_of_point;     ///< -1: no triangle uses it
  std::vector<Cover> cover;           ///< one per point of the surface as it came
  int flipped_triangles = 0;          ///< turned to face outward
  int dropped = 0;                    ///< crumbs smaller than half a cell that were left out
  int off_lattice = 0;                ///< lattice points given up so that close sheets stay apart
  int boundary_defects = 0;           ///< boundary points that no repair made manifold; zero, as far as known
};

/// The body of a surface, at most `kMaxLatticePoints` lattice points. The same bits for any number of threads. A
/// surface that encloses nothing gives an empty mesh; `parts` shows why. Throws Error if the surface is broken or the
/// cell too small for the limit; Cancelled if the callback returns false.
Body stuff(const TriMesh& surface, const StuffingOptions& options = {});

/// The same, to the bit, from the cache (base/cache.h) where it was made before, and into it.
Body stuff_with_cache(const TriMesh& surface, const StuffingOptions& options = {});

inline constexpr std::int64_t kMaxLatticePoints = 6'000'000;

}  // namespace rigspace
