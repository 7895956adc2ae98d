// Force rigs: how fast a template follows the hand, how fast a pose is solved, and how far the linear system of a pose
// is from the nonlinear solid.

#include "bench.h"

#include "rigspace/apps/forces/force_rig.h"
#include "rigspace/apps/forces/other_equilibria.h"
#include "rigspace/apps/forces/template_drag.h"
#include "rigspace/cast/cast.h"

#include <fmt/format.h>

#include <cmath>

namespace rigspace::bench {
namespace {

struct BenchArm {
  std::shared_ptr<const ForceBody> body;
  std::shared_ptr<const ForceRig> rig;
  ForceRigPart biceps{.name = "biceps", .control = "forearm.rx"};

  explicit BenchArm(int cells) {
    const Character arm = make_character("arm", Version::skeleton);
    body = std::make_shared<const ForceBody>(make_force_body(arm, {.cover = {.cells = cells}}));
    biceps.force.push_back({ForceTemplate::bulge, bone_guide(*body, "upper_arm", false)});
    Vec full(6);
    full << 0.7, 0.06, 0.5, 0.03, 0, 0;
    Vec none = full;
    none[0] = 0;
    biceps.samples = {{0, none}, {100 * kDegree, full}};
    rig = std::make_shared<const ForceRig>(body, std::vector{biceps});
  }
  Vec pose(double degrees) const {
    Vec p = rig->rest();
    p[rig->find("forearm.rx")] = degrees * kDegree;
    return p;
  }
  void take_pose(double degrees, PosedLattice& lattice) const {
    std::vector<Affine> C;
    rig->joints_at(pose(degrees), C);
    lattice.set_pose(C);
  }
};

/// A hand pulls five points of the biceps 4 mm up and back again, and the bulge follows from where it is.
Row drag_row(const BenchOptions& options, const BenchArm& arm) {
  PosedLattice lattice(*arm.body);
  arm.take_pose(70, lattice);
  const ForceTemplate kind = ForceTemplate::bulge;
  const TemplateForce force{kind, arm.biceps.force.front().guide};
  Vec g = arm.biceps.samples.back().value, y;
  g[0] = 0.2;
  lattice.shape_of(Vec(), y);
  std::vector<DragTarget> targets;
  for (const double along : {0.10, 0.13, 0.16, 0.19, 0.22}) {
    int best = 0;
    const auto from = [&](int i) { return (point(arm.body->points_rest, i) - Vec3(along, 0.46, 0)).norm(); };
    for (int i = 0; i < arm.body->surface.count(); ++i)
      if (from(i) < from(best)) best = i;
    targets.push_back({best, arm.body->surface.evaluate(y, best)});
  }
  double dragged = 0, missed = 0, evaluations = 0;
  int updates = 0;
  TemplateDrag drag(lattice, force, targets);
  std::vector<Vec3> places(targets.size());
  const Timing timing = measure(options.seconds, [&] {
    const double up = 2e-3 * (1 - std::cos(0.2 * updates));
    for (std::size_t k = 0; k < targets.size(); ++k) places[k] = targets[k].place + Vec3(0, up, 0);
    drag.move(places);
    const DragResult result = drag.solve(g, {.prior = 1e-4, .max_iterations = 12});
    g = result.parameters, dragged += up, missed += result.after;
    evaluations += result.summary.evaluations, ++updates;
  });
  const Timing start = measure(0.2 * options.seconds, [&] { TemplateDrag(lattice, force, targets); });
  Row row{.scene = "five points of the arm's skin dragged", .method = "response of the points, once a drag"};
  row.metrics["updates_per_second"] = 1 / timing.median;
  row.metrics["seconds_to_start_a_drag"] = timing_json(start);
  row.metrics["evaluations_per_update"] = evaluations / updates;
  row.metrics["cells"] = arm.body->elements.cell_count();
  row.metrics["unknowns"] = 3 * (arm.body->vertex_count() - static_cast<int>(arm.body->held.size()));
  row.metrics["mean_drag_mm"] = 1e3 * dragged / updates;
  row.metrics["mean_miss_mm"] = 1e3 * missed / updates;
  row.required = "at least 30 updates_per_second, missing at most half of the drag";
  row.ok = timing.median <= 1.0 / 30 && missed <= 0.5 * dragged;
  return row;
}

Row pose_row(const BenchOptions& options, const BenchArm& arm) {
  const auto workspace = arm.rig->make_workspace();
  Vec s;
  double degrees = 0;
  const Timing timing = measure(options.seconds, [&] {
    degrees = degrees < 100 ? degrees + 1 : 0;
    arm.rig->evaluate(*workspace, arm.pose(degrees), s);
  });
  Row row{.scene = "the arm bends", .method = "a factorisation a pose"};
  row.metrics["seconds_per_pose"] = timing_json(timing);
  return row;
}

/// Without forces and with the bulge: distances of the linear equilibrium from the nonlinear one, against what flesh
/// does beyond the blend of bones.
Row departure_row(const BenchArm& arm, double degrees) {
  PosedLattice lattice(*arm.body);
  arm.take_pose(degrees, lattice);
  const Vec Q = degrees > 0 ? arm.rig->force_at(arm.pose(degrees)) : Vec(0.1 * arm.rig->force_at(arm.pose(100)));
  Vec y, carried, nonlinear, a, b, c;
  lattice.shape_of(Q, y);
  lattice.carried(carried);
  nonlinear = y;
  const Summary summary = nonlinear_shape(lattice, Q, nonlinear);
  arm.body->surface.evaluate(y, a), arm.body->surface.evaluate(nonlinear, b), arm.body->surface.evaluate(carried, c);
  const double points = arm.body->surface.count();
  Row row{.scene = fmt::format("elbow at {:.0f} degrees, with the bulge", degrees),
          .method = "linear against nonlinear"};
  row.metrics["distance_mm"] = 1e3 * (a - b).norm() / std::sqrt(points);
  row.metrics["nonlinear_from_carried_mm"] = 1e3 * (b - c).norm() / std::sqrt(points);
  row.metrics["newton_iterations"] = summary.iterations;
  row.required = "the nonlinear solve converges";
  row.ok = summary.converged();
  return row;
}

}  // namespace

std::vector<Row> bench_forces(const BenchOptions& options) {
  std::vector<Row> rows;
  const BenchArm arm(options.quick ? 100 : 350);
  if (wanted(options, "dragged")) rows.push_back(drag_row(options, arm));
  if (wanted(options, "bends")) rows.push_back(pose_row(options, arm));
  for (const double degrees : {0.0, 50.0, 100.0})
    if (wanted(options, "elbow")) rows.push_back(departure_row(arm, degrees));
  return rows;
}

}  // namespace rigspace::bench
