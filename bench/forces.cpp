// Force rigs: how fast a template follows the hand, how fast a pose is solved,
// how far the linear system of a pose is from the nonlinear solid, and what
// splitting cells only where a sculpt needs it saves.

#include "bench.h"

#include "rigspace/apps/forces/adaptive_fit.h"
#include "rigspace/apps/forces/adaptive_simulation.h"
#include "rigspace/apps/forces/force_rig.h"
#include "rigspace/apps/forces/force_simulation.h"
#include "rigspace/apps/forces/other_equilibria.h"
#include "rigspace/apps/forces/template_drag.h"
#include "rigspace/cast/cast.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>

namespace rigspace::bench {
namespace {

/// Of this process, seconds: what a busy machine does not stretch.
double processor_time() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

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

/// A hand pulls five points of the biceps 4 mm up and back again, and the bulge
/// follows from where it is.
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
  const double before = processor_time();
  const Timing timing = measure(options.seconds, [&] {
    const double up = 2e-3 * (1 - std::cos(0.2 * updates));
    for (std::size_t k = 0; k < targets.size(); ++k) places[k] = targets[k].place + Vec3(0, up, 0);
    drag.move(places);
    const DragResult result = drag.solve(g, {.prior = 1e-4, .max_iterations = 12});
    g = result.parameters, dragged += up, missed += result.after;
    evaluations += result.summary.evaluations, ++updates;
  });
  const double spent = processor_time() - before;
  const Timing start = measure(0.2 * options.seconds, [&] { TemplateDrag(lattice, force, targets); });
  Row row{.scene = "five points of the arm's skin dragged", .method = "response of the points, once a drag"};
  row.metrics["updates_per_second"] = 1 / timing.median;
  row.metrics["processor_seconds_per_update"] = spent / updates;
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

/// Without forces and with the bulge: distances of the linear equilibrium from
/// the nonlinear one, against what flesh does beyond the blend of bones.
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

/// The elbow bends to and fro where the forearm lies on the upper arm: a step
/// with creases held apart, and without, by the same conjugate gradients and by
/// a factorisation.
Row crease_row(const BenchOptions& options, const BenchArm& arm) {
  constexpr double kBent = 130, kSway = 5;  // degrees
  const auto rig = std::make_shared<const ForceRig>(arm.body, std::vector<ForceRigPart>{});
  const auto pose = [&](double degrees) {
    Vec p = rig->rest();
    p[rig->find("forearm.rx")] = degrees * kDegree;
    return p;
  };
  const auto begin = std::chrono::steady_clock::now();
  const CreaseSeeds seeds = find_crease_seeds(*rig, slow_motion(pose(0), pose(kBent + kSway), 36));
  const double looked = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ForceSimulation held(rig), gradients(rig), factored(rig);
  held.hold_creases(Creases(std::make_shared<const CreaseSurface>(*arm.body), seeds));
  gradients.use_conjugate_gradients({});
  for (ForceSimulation* each : {&held, &gradients, &factored}) {
    each->restart(pose(0));
    for (int k = 1; k <= 60; ++k) each->step(pose(kBent * k / 60));
  }
  int k = 0, unsettled = 0;
  double active = 0, iterations = 0, without = 0;
  const auto bent = [&](int step) { return pose(kBent + kSway * std::sin(0.1 * step)); };
  const Timing with_creases = measure(options.seconds, [&] {
    held.step(bent(++k));
    active += held.last_solve().active, iterations += held.last_solve().iterations;
    unsettled += held.last_solve().complete ? 0 : 1;
  });
  int j = 0, i = 0;
  const Timing plain = measure(options.seconds, [&] {
    gradients.step(bent(++j));
    without += gradients.last_solve().iterations;
  });
  const Timing direct = measure(options.seconds, [&] { factored.step(bent(++i)); });
  Row row{.scene = "a forearm on its upper arm, creases", .method = "active set in conjugate gradients"};
  row.metrics["seconds_per_step"] = timing_json(with_creases);
  row.metrics["seconds_per_step_without"] = timing_json(plain);
  row.metrics["seconds_per_step_without_factored"] = timing_json(direct);
  row.metrics["cost_ratio"] = with_creases.median / std::min(plain.median, direct.median);
  row.metrics["points_held"] = active / k;
  row.metrics["iterations"] = iterations / k;
  row.metrics["iterations_without"] = without / j;
  row.metrics["unsettled_share"] = static_cast<double>(unsettled) / k;
  row.metrics["seeds"] = seeds.pairs.size();
  row.metrics["seconds_to_find_seeds"] = looked;
  row.required = "cost_ratio at most 1.5, against the quicker of both without";
  row.ok = with_creases.median <= 1.5 * std::min(plain.median, direct.median);
  return row;
}

/// A torso that sways with its breast tensed: steps on one body.
struct BenchTorso {
  Character character = make_character("torso", Version::skeleton);
  std::shared_ptr<const AdaptiveBody> bodies;
  TriMesh target;

  explicit BenchTorso(int cells)
      : bodies(std::make_shared<const AdaptiveBody>(
            std::make_shared<const ForceBody>(make_force_body(character, {.cover = {.cells = cells}})))) {
    Vec p = character.rig->rest(), s;
    p[character.rig->find("skin:flex")] = 1;
    character.rig->evaluate(*character.rig->make_workspace(), p, s);
    target = {s, bodies->whole()->triangles};
  }
  std::vector<Affine> joints() const {
    const ForceRig rig(bodies->whole(), {});
    std::vector<Affine> C;
    rig.joints_at(rig.rest(), C);
    return C;
  }
  Timing step(const BenchOptions& options, const std::vector<ForceRigPart>& parts, double& processor) const {
    AdaptiveSimulation simulation(bodies, parts, {.step = 1.0 / 120});
    const ForceRig& rig = *simulation.rig();
    Vec p = rig.rest();
    p[rig.find("flex")] = 1;
    simulation.restart(p);
    int k = 0;
    const double before = processor_time();
    const Timing timing = measure(options.seconds, [&] {
      p[rig.find("spine.rx")] = 0.1 * std::sin(0.05 * ++k);
      simulation.step(p);
    });
    processor = (processor_time() - before) / k;
    return timing;
  }
};

/// The breast's sculpt: whole cells everywhere split `levels` times, and split
/// only where the sculpt is missed, until the surface is as near. The same
/// simulation and the same factorisation on both sides.
Row adaptive_row(const BenchOptions& options, const BenchTorso& torso, int levels) {
  const auto joints = torso.joints();
  SplitLattice lattice = torso.bodies->lattice();
  for (int level = 0; level < levels; ++level)
    for (const int k : lattice.leaves()) lattice.split(k);
  AdaptiveFit uniform{.lattice = lattice, .body = torso.bodies->body(lattice), .fit = {}, .rounds = {}};
  PosedLattice posed(*uniform.body);
  posed.set_pose(joints);
  uniform.fit = fit_surface(posed, torso.target);
  AdaptiveFit adaptive;
  double tolerance = 4 * uniform.fit.after;
  do {  // root mean squares are compared, tolerances are of points
    adaptive = fit_adaptively(*torso.bodies, joints, torso.target, {.tolerance = tolerance, .levels = levels});
    tolerance *= 0.93;
  } while (adaptive.fit.after > 1.02 * uniform.fit.after && tolerance > 0.1 * uniform.fit.after);
  double fast_processor = 0, slow_processor = 0;
  const Timing fast = torso.step(options, {rig_of_fit("flex", "flex", 0, 1, adaptive)}, fast_processor),
               slow = torso.step(options, {rig_of_fit("flex", "flex", 0, 1, uniform)}, slow_processor);
  Row row{.scene = "a torso's breast tensed, split where needed",
          .method = fmt::format("{} levels, against all cells split", levels),
          .paper = Paper{"PBR 5: 1.2 s against 0.18 s a step", 1.2 / 0.18}};
  row.metrics["seconds_per_step"] = timing_json(fast);
  row.metrics["seconds_per_step_uniform"] = timing_json(slow);
  row.metrics["processor_seconds_per_step"] = fast_processor;
  row.metrics["processor_seconds_per_step_uniform"] = slow_processor;
  row.metrics["time_ratio"] = slow.median / fast.median;
  row.metrics["unknowns"] = 3 * adaptive.body->free_count();
  row.metrics["unknowns_uniform"] = 3 * uniform.body->free_count();
  row.metrics["unknowns_whole"] = 3 * torso.bodies->whole()->free_count();
  row.metrics["error_before_mm"] = 1e3 * adaptive.fit.before;
  row.metrics["error_whole_mm"] = 1e3 * adaptive.rounds.front().after;
  row.metrics["error_mm"] = 1e3 * adaptive.fit.after;
  row.metrics["error_uniform_mm"] = 1e3 * uniform.fit.after;
  row.metrics["rounds"] = adaptive.rounds.size();
  row.required = "time_ratio at least 6.7 at an error within 2 %, at most 0.02 s a step";
  row.ok = slow.median >= 6.7 * fast.median && fast.median <= 0.02 && adaptive.fit.after <= 1.02 * uniform.fit.after;
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
  if (wanted(options, "a forearm on its upper arm, creases")) rows.push_back(crease_row(options, arm));
  if (wanted(options, "a torso's breast tensed, split where needed")) {
    const BenchTorso torso(16);
    rows.push_back(adaptive_row(options, torso, options.quick ? 1 : 2));
  }
  return rows;
}

}  // namespace rigspace::bench
