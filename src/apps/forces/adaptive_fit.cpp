#include "rigspace/apps/forces/adaptive_fit.h"

#include "rigspace/base/require.h"
#include "rigspace/geometry/closest_point.h"

#include <cmath>
#include <numeric>

namespace rigspace {
namespace {

std::vector<int> chosen_points(const SurfaceFitOptions& options, int count) {
  std::vector<int> chosen = options.points;
  if (chosen.empty()) {
    chosen.resize(count);
    std::iota(chosen.begin(), chosen.end(), 0);
  }
  return chosen;
}

/// Splits around the points that are missed; how many there are, and how many of them could be helped.
std::pair<int, int> split_where_missed(const AdaptiveBody& bodies, In skin, const TriMesh& target,
                                       const TriangleTree& tree, const AdaptiveFitOptions& options,
                                       SplitLattice& lattice) {
  int missed = 0;
  std::vector<std::pair<int, int>> around;
  for (const int i : chosen_points(options.fit, static_cast<int>(skin.size() / 3))) {
    const Vec3 x = point(skin, i);
    const SurfacePoint near = options.fit.correspond ? SurfacePoint{} : tree.closest(x);
    if (!options.fit.correspond && options.fit.farthest > 0 && near.distance > options.fit.farthest) continue;
    const double off = options.fit.correspond ? (x - point(target.points, i)).norm() : near.distance;
    if (off <= options.tolerance) continue;
    ++missed;
    const HexPlace leaf = bodies.leaf_of(lattice, i);
    const auto& cell = lattice.cell(leaf.cell);
    if (cell.level >= options.levels) continue;
    const int octant = (leaf.u.x() > 0.5 ? 1 : 0) | (leaf.u.y() > 0.5 ? 2 : 0) | (leaf.u.z() > 0.5 ? 4 : 0);
    around.emplace_back(cell.corners[octant], cell.level);
  }
  for (const auto& [vertex, level] : around) lattice.split_around(vertex, level);
  return {missed, static_cast<int>(around.size())};
}

}  // namespace

void AdaptiveFitOptions::validate() const {
  require_option(tolerance > 0 && std::isfinite(tolerance), "tolerance of the surface", tolerance,
                 "expected scene units above 0");
  require_option(levels >= 1 && levels <= 4, "levels of finer functions", levels, "expected 1 to 4");
  require_option(rounds >= 1, "rounds of fits", rounds, "expected at least 1");
  fit.validate();
}

AdaptiveFit fit_adaptively(const AdaptiveBody& bodies, std::span<const Affine> joints, const TriMesh& target,
                           const AdaptiveFitOptions& options) {
  options.validate();
  AdaptiveFit made{.lattice = bodies.lattice(), .body = {}, .fit = {}, .rounds = {}};
  const TriangleTree tree(options.fit.correspond ? TriMesh{} : target);
  double before = 0;
  for (;;) {
    made.body = bodies.body(made.lattice);
    PosedLattice posed(*made.body);
    posed.set_pose(joints);
    made.fit = fit_surface(posed, target, options.fit);
    if (made.rounds.empty()) before = made.fit.before;
    Vec skin;
    made.body->surface.evaluate(made.fit.y, skin);
    SplitLattice finer = made.lattice;
    const auto [missed, helped] = split_where_missed(bodies, skin, target, tree, options, finer);
    made.rounds.push_back({3 * made.body->free_count(), made.body->elements.cell_count(), made.fit.after, missed});
    if (helped == 0 || static_cast<int>(made.rounds.size()) >= options.rounds) break;
    made.lattice = std::move(finer);
  }
  made.fit.before = before;
  return made;
}

ForceRigPart rig_of_fit(std::string name, std::string control, double none_at, double at, const AdaptiveFit& fit) {
  ForceRigPart part = rig_of_fit(std::move(name), std::move(control), none_at, at, fit.fit.Q);
  part.splits = fit.lattice.splits();
  return part;
}

}  // namespace rigspace
