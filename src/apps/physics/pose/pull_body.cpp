#include "rigspace/apps/physics/pull_body.h"

#include "posable.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// The cell of the lattice that fills the character, scene units; there are about two nodes a cube.
double chosen_cell(const Character& character, const PullBodyOptions& options) {
  const TriMesh surface = rest_surface(character);
  return std::max(options.share * bounding_box(surface.points).diagonal(),
                  std::cbrt(2 * std::abs(signed_volume(surface)) / options.nodes));
}

RigBody filled(const Character& character, const std::vector<int>& bones, const PullBodyOptions& options,
               const ProgressCallback& progress) {
  options.validate();
  report(progress, "filling the body", 0);
  RigBodyOptions filling{.cell = options.cell, .use_cache = options.use_cache, .all_points = true};
  if (filling.cell == 0) filling.cell = chosen_cell(character, options);
  filling.apart = apart_in(character, bones);
  RigBody body = make_rig_body(character, filling);
  report(progress, "filling the body", 1);
  return body;
}

}  // namespace

void PullBodyOptions::validate() const {
  require_option(cell >= 0 && std::isfinite(cell), "cell", cell, "expected at least 0");
  require_option(share > 0 && share < 1, "share of a cell", share, "expected a share of the diagonal");
  require_option(nodes >= 1, "number of nodes", nodes, "expected at least 1");
}

PullBody::PullBody(const Character& character, const PullBodyOptions& options, const ProgressCallback& progress)
    : character_(character), bones_(main_bones(character)), body_(filled(character, bones_, options, progress)) {}

RigBody PullBody::with_points(std::span<const int> points) const {
  require_points(points, *character_.rig, character_.name);
  return rigspace::with_points(body_, points);
}

std::vector<int> PullBody::posable(In p, bool points_are_held, std::span<const int> points) const {
  return posable_with(character_, bones_, p, points_are_held, points);
}

}  // namespace rigspace
