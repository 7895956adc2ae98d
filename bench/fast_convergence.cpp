// The full method as steps get smaller, and as tetrahedra do: the belly over a smooth bounce. Each level is compared
// with the next finer one; the order is that of the last two differences.

#include "fast_scenes.h"
#include "fast_swing.h"

#include "rigspace/cast/cast.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>
#include <tuple>

namespace rigspace::bench {
namespace {

constexpr double kDuration = 0.25, kCoarsest = 0.0125;  // s
constexpr double kBounce = 0.06, kPeriod = 0.5;         // m, s
constexpr double kTight = 1e-9;                         // residual: errors of the solves must not show

/// The rest pose that goes up and down from standing still, u (1 - cos w t)^2 / 4: position, velocity, acceleration and
/// its change begin at 0, so that nothing rings that the steps are too long for.
Vec bounced(const Character& character, double time) {
  Vec p = character.rig->rest();
  const double wave = 1 - std::cos(2 * std::numbers::pi * time / kPeriod);
  p[character.rig->find("root.ty")] += kBounce * wave * wave / 4;
  return p;
}

/// The belly with tetrahedra `finer` times as small, stepped by h.
RspSetup bounce(double finer, double h, IntegratorKind integrator) {
  const RspScene& belly = fast_scenes()[1].scene;
  const Character character = make_character(belly.member);
  double cell = 0;
  for (const CastMember& member : cast())
    if (member.name == belly.member) cell = member.proxy_cell / finer;
  RspSetup setup{.body = make_rig_body(character, {.cell = cell, .use_cache = true})};
  prepare_on(setup, character, belly, 1);  // for the options and what is free
  setup.keys.clear();
  setup.options.step = h, setup.options.integrator = integrator, setup.options.gradient_tolerance = kTight;
  setup.options.keep_factor = 0.3, setup.resting = true;
  for (int k = 0; k <= static_cast<int>(std::lround(kDuration / h)); ++k)
    setup.keys.push_back(bounced(character, k * h));
  RigSpaceOptions options = setup.options;
  options.curvature = RigCurvature::learned, options.keep_factor = 0;
  RigSpaceSimulation simulation(setup.body, setup.free, options);
  simulation.restart(setup.keys[0]);
  simulation.settle(setup.keys[0]);
  setup.balance = simulation.controls(), setup.nodes = simulation.nodes();
  return setup;
}

/// The same controls at the times of the coarsest steps.
std::vector<Vec> sampled(const std::vector<Vec>& poses, int every) {
  std::vector<Vec> some;
  for (std::size_t k = static_cast<std::size_t>(every) - 1; k < poses.size(); k += static_cast<std::size_t>(every))
    some.push_back(poses[k]);
  return some;
}

struct Level {
  double size;  ///< h, s; or the edge of a lattice cube as a share of the shipped one
  std::vector<Vec> poses;
  int tets, unconverged;
};

/// `ratio`: of the sizes of two levels.
Row row_of(std::string method, const std::string& size, const RspSetup& setup, std::span<const Level> levels,
           double ratio, double least_order) {
  Row row{.scene = std::string(kConvergenceScene), .method = std::move(method)};
  const Apart swing = apart(setup, levels.back().poses, unmoved(setup));
  double before = 0, order = 0;
  int unconverged = levels.back().unconverged;
  for (std::size_t k = 0; k + 1 < levels.size(); ++k) {
    const double change = apart(setup, levels[k].poses, levels[k + 1].poses).rms / swing.rms;
    row.metrics[size][fmt::format("{:g}", levels[k].size)] = 100 * change;
    order = before > 0 ? std::log(before / change) / std::log(ratio) : 0;
    before = change, unconverged += levels[k].unconverged;
  }
  row.metrics["order"] = order;
  row.metrics["swing_percent_of_height"] = 100 * swing.rms / height_of(setup);
  row.metrics["unconverged_steps"] = unconverged;
  row.required = fmt::format("every step converged, an order of at least {:g}", least_order);
  row.ok = unconverged == 0 && order >= least_order;
  return row;
}

}  // namespace

std::vector<Row> convergence_rows(bool quick) {
  std::vector<Row> rows;
  for (const auto& [integrator, name, order] :
       {std::tuple{IntegratorKind::euler, "implicit Euler", 0.8}, std::tuple{IntegratorKind::bdf2, "BDF2", 1.6}}) {
    if (quick && integrator == IntegratorKind::bdf2) continue;
    std::vector<Level> levels;
    std::optional<RspSetup> coarsest;
    for (int k = 0; k < (quick ? 4 : 6); ++k) {
      RspSetup setup = bounce(1, kCoarsest / (1 << k), integrator);
      const RspRun stepped = run(setup);
      levels.push_back(
          {setup.options.step, sampled(stepped.poses, 1 << k), setup.body.mesh.tet_count(), stepped.unconverged});
      if (!coarsest) coarsest = std::move(setup);
    }
    rows.push_back(row_of(fmt::format("full, smaller steps, {}", name), "change_percent_of_swing_at_halved_step_of_s",
                          *coarsest, levels, 2, order));
  }
  if (quick) return rows;
  std::vector<Level> levels;
  std::optional<RspSetup> shipped;
  for (const double finer : {0.5, 0.7071, 1.0, 1.4142, 2.0}) {
    RspSetup setup = bounce(finer, kCoarsest, IntegratorKind::bdf2);
    const RspRun stepped = run(setup);
    levels.push_back({1 / finer, stepped.poses, setup.body.mesh.tet_count(), stepped.unconverged});
    if (finer == 1.0) shipped = std::move(setup);
  }
  rows.push_back(row_of("full, smaller tetrahedra", "change_percent_of_swing_at_next_smaller_cells_of", *shipped,
                        levels, std::sqrt(2.0), 0.5));
  for (const Level& level : levels)
    rows.back().metrics["tetrahedra_at_cells_of"][fmt::format("{:g}", level.size)] = level.tets;
  return rows;
}

}  // namespace rigspace::bench
