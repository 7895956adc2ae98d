#include "rigspace/geometry/automatic_cage.h"

#include "progressive_hull.h"
#include "solids.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/cage_coordinates.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/polygonise.h"
#include "rigspace/geometry/triangle_overlap.h"
#include "rigspace/geometry/winding_number.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kGrids = 4;

/// The surface at `offset` around the shape. On a coarse grid sheets of it that are near each other may cross: finer
/// ones are tried.
TriMesh offset_surface(const TriMesh& shape, const Solids& solids, double offset, double cell,
                       const ProgressCallback& progress) {
  const TriangleTree tree(shape);
  const auto field = [&](const Vec3& x) {
    const double distance = tree.closest(x).distance;
    return (solids.inside(x) ? -distance : distance) - offset;
  };
  const Box box = bounding_box(shape.points);
  TriMesh surface;
  for (int grid = 0; grid < kGrids; ++grid, cell *= 0.8) {
    report(progress, "making the surface around the shape", static_cast<double>(grid) / kGrids);
    const Vec3 margin = Vec3::Constant(offset + 2.5 * cell);
    surface = polygonise(field, {.low = box.low - margin, .high = box.high + margin, .cell = cell});
    if (self_crossings(surface).crossing() == 0) break;
  }
  return surface;
}

}  // namespace

void AutomaticCageOptions::validate() const {
  require_option(faces >= 4 && faces <= 100000, "number of the cage's faces", faces, "expected 4 to 100000");
  require_option(offset >= 0 && std::isfinite(offset), "cage's offset", offset, "give a length, or 0");
  require_option(cell >= 0 && std::isfinite(cell), "cage's cell", cell, "give a length, or 0");
}

AutomaticCage automatic_cage(const TriMesh& shape, const AutomaticCageOptions& options) {
  options.validate();
  shape.validate("shape");
  const TriMesh surface = weld(shape).mesh;
  const Solids solids(surface);
  if (std::none_of(solids.parts().begin(), solids.parts().end(), [](const SkinPart& part) { return part.solid; }))
    throw Error({.element = "shape",
                 .value = std::to_string(solids.parts().size()),
                 .problem = "has no inside: all of its " + std::to_string(solids.parts().size()) +
                            " parts are sheets, and a cage needs something to enclose",
                 .remedy = "give a closed mesh"});
  AutomaticCage cage;
  cage.offset = options.offset > 0 ? options.offset : 0.025 * bounding_box(surface.points).diagonal();
  const TriMesh fine = offset_surface(surface, solids, cage.offset, options.cell > 0 ? options.cell : 0.8 * cage.offset,
                                      options.progress);
  cage.grid_faces = fine.triangle_count();
  cage.mesh = progressive_hull(fine, options.faces, options.progress);
  cage.reached = cage.mesh.triangle_count() <= options.faces;
  cage.mesh = checked_cage(cage.mesh, "automatic cage");
  cage.volume = signed_volume(cage.mesh);
  const WindingTree around(cage.mesh);
  const TriangleTree cage_tree(cage.mesh);
  cage.clearance = std::numeric_limits<double>::infinity();
  for (int i = 0; i < surface.point_count(); ++i) {
    const Vec3 x = point(surface.points, i);
    const double distance = cage_tree.closest(x).distance;
    cage.clearance = std::min(cage.clearance, around.exact(x) > 0.5 ? distance : -distance);
  }
  if (!(cage.clearance > 0) || count_crossings(cage.mesh, surface).crossing() > 0)
    throw Error({.element = "automatic cage",
                 .problem = "does not enclose the shape on this grid",
                 .remedy = "give a smaller cell or a larger offset"});
  return cage;
}

}  // namespace rigspace
