#include "rsp_scenes.h"

#include "rigspace/anim/mode_rig.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/energy/contact.h"
#include "rigspace/rig/black_box.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/points.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace rigspace::bench {
namespace {

constexpr int kLearnedSteps = 16;  // whose principal components are taken

/// Of joints angles are free, of points their places.
Unit wanted(const std::string& name) {
  return name.starts_with("left") || name.starts_with("right") ? Unit::angle : Unit::length;
}

/// Every control of the name, or of the node; ascending.
std::vector<int> controls_named(const Rig& rig, const std::vector<std::string>& names) {
  std::vector<int> found;
  for (int c = 0; c < static_cast<int>(rig.controls().size()); ++c) {
    const Control& control = rig.controls()[c];
    for (const std::string& name : names) {
      const bool whole = control.name == name;
      const bool of_node =
          name.ends_with('*') ? control.node.starts_with(name.substr(0, name.size() - 1)) : control.node == name;
      if (whole || (of_node && control.unit == wanted(name))) found.push_back(c);
    }
  }
  return found;
}

double cell_of(std::string_view member) {
  for (const CastMember& each : cast())
    if (each.name == member) return each.proxy_cell;
  return 0;
}

RigSpaceOptions options_of(const RspScene& scene) {
  return {.step = kRspStep,
          .integrator = IntegratorKind::euler,  // RSP (3)
          .material = {.young = scene.young, .poisson = 0.4},
          .gravity = {0, -9.81, 0},
          .hessian = HessianMode::exact};
}

/// Nodes where controls carry them.
Vec carried(const RigBody& body, In p) {
  Vec s, x;
  body.rig->evaluate(*body.rig->make_workspace(), p, s);
  body.ties.apply(s, x);
  return x;
}

/// How the keys carry the nodes at first; of what falls also the free controls as keyed.
Vec first_velocity(const RspSetup& setup) {
  Vec from = setup.keys[0], to = setup.keys[1];
  if (!setup.falling)
    for (const int c : setup.free) from[c] = to[c] = setup.balance[c];
  return (carried(setup.body, to) - carried(setup.body, from)) / setup.options.step;
}

/// Found once, by structured BFGS, so that all solvers start alike.
void find_balance(RspSetup& setup) {
  setup.balance = setup.keys[0];
  setup.nodes = carried(setup.body, setup.balance);
  if (setup.falling) return;
  RigSpaceOptions options = setup.options;
  options.curvature = RigCurvature::learned;
  RigSpaceSimulation simulation(setup.body, setup.free, options);
  simulation.restart(setup.keys[0]);
  if (!simulation.settle(setup.keys[0]).converged())
    throw Error({.code = ErrorCode::internal, .element = "bench rsp", .problem = "found no balance to start from"});
  setup.balance = simulation.controls();
  setup.nodes = simulation.nodes();
}

/// Six modes of what the controls did in place of them (RSP 6).
void reduce(RspSetup& setup) {
  const RspRun whole = run(setup);
  Animation base{.name = "keys"}, result{.name = "result"};
  for (const int control : setup.free) {
    Track keyed{.control = setup.body.rig->controls()[control].name}, simulated = keyed;
    for (std::size_t k = 0; k < whole.poses.size(); ++k) {
      for (Track* track : {&keyed, &simulated}) track->curve.times.push_back(kRspStep * static_cast<double>(k));
      keyed.curve.values.push_back(setup.keys[k + 1][control]);
      simulated.curve.values.push_back(whole.poses[k][control]);
    }
    base.tracks.push_back(std::move(keyed));
    result.tracks.push_back(std::move(simulated));
  }
  base.duration = result.duration = last_key_time(result);
  const ModeSample sample{&result, &base};
  const ControlModes modes = find_modes(*setup.body.rig, setup.free, {&sample, 1}, {.count = 6, .rate = 1 / kRspStep});
  const auto rig = std::make_shared<ModeRig>(setup.body.rig, modes);
  setup.body.rig = rig;
  setup.free.clear();
  for (int k = 0; k < modes.count(); ++k) setup.free.push_back(rig->first_mode() + k);
  for (Vec& key : setup.keys) {
    const Eigen::Index own = key.size();
    key.conservativeResize(own + modes.count());
    key.tail(modes.count()).setZero();
  }
}

}  // namespace

std::span<const RspScene> rsp_scenes() {
  using Names = std::vector<std::string>;
  const Names belly{"belly_*"}, scaling{"sphere.sx", "sphere.sy", "sphere.sz"};
  const Names passive{"sphere.ty", "sphere.tz", "sphere.sx", "sphere.sy", "sphere.sz"};
  const Names joints{"left_01", "left_02", "right_01", "right_02"};
  static const std::vector<RspScene> scenes = {
      {"elephant belly", "peanut", "Walk", belly, {36, 3990, 2253, 46.47}, 5e4, true},
      {"elephant belly (PCA)", "peanut", "Walk", belly, {6, 3990, 2253, 3.77}, 5e4, true, true},
      {"elephant trunk", "peanut", "Walk", {"trunk_*", "trunk.twist"}, {13, 3990, 2253, 7.24}, 2e5, true},
      {"elephant tail", "peanut", "Walk", {"tail_*"}, {12, 3990, 2253, 3.45}, 2e5, true},
      {"elephant shoulder", "peanut", "Walk", {"shoulders"}, {3, 3990, 2253, 2.51}, 5e4, true},
      {"elephant ears", "peanut", "Walk", {"ear_l.flap", "ear_r.flap"}, {2, 3990, 2253, 1.14}, 2e5, true},
      {"flower", "flower", "Push", {"stem_*", "leaf_*", "blossom_*"}, {24, 1089, 987, 10.54}, 5e5, true},
      {"sphere scaling", "sphere", "Bounce", scaling, {3, 5430, 2580, 1.41}, 1e5, false, false, 1.0, true, true},
      {"sphere passive", "sphere", "Bounce", passive, {5, 5430, 2580, 0.53}, 1e5, false, false, 1.0, true, true},
      {"bar material", "bar", "Swing", {"p1", "p2", "p3", "p4"}, {4, 489, 174, 0.29}, 1e5},
      {"interior dynamics", "bar", "Swing", joints, {12, 489, 174, 1.22}, 1e5},
  };
  return scenes;
}

RigBody body_of(const RspScene& scene, std::shared_ptr<const Rig> rig) {
  Character character = make_character(scene.member);
  if (rig) character.rig = std::move(rig);
  return make_rig_body(character, {.cell = cell_of(scene.member), .use_cache = true});
}

void prepare_on(RspSetup& setup, const Character& character, const RspScene& scene, int steps) {
  setup.options = options_of(scene);
  setup.free = controls_named(*setup.body.rig, scene.free);
  const Animation* clip = character.clip(scene.clip);
  for (int k = 0; k <= steps; ++k) setup.keys.push_back(pose_at(character, clip, scene.start + kRspStep * k));
  setup.falling = scene.falling, setup.floor = scene.floor;
  find_balance(setup);
}

RspSetup prepare(const RspScene& scene, int steps) {
  RspSetup setup{.body = body_of(scene), .options = options_of(scene)};
  const int learned = scene.modes ? std::max(steps, kLearnedSteps) : steps;
  prepare_on(setup, make_character(scene.member), scene, learned);
  if (!scene.modes) return setup;
  reduce(setup);
  setup.keys.resize(static_cast<std::size_t>(steps) + 1);
  find_balance(setup);
  return setup;
}

std::shared_ptr<const Rig> blend_shapes_of(const Rig& rig, const std::vector<int>& controls) {
  const auto workspace = rig.make_workspace();
  Vec rest, moved;
  rig.evaluate(*workspace, rig.rest(), rest);
  auto graph = std::make_shared<ControlGraph>();
  std::vector<MorphTarget> targets;
  for (const int control : controls) {
    Vec p = rig.rest();
    p[control] += rig.controls()[control].typical;
    rig.evaluate(*workspace, p, moved);
    targets.push_back({.weight_slot = add_scalar(*graph, {.name = "shape" + std::to_string(targets.size() + 1)})});
    for (int i = 0; i < rig.point_count(); ++i) {
      const Vec3 offset = (moved - rest).segment<3>(3 * static_cast<Eigen::Index>(i));
      if (offset.norm() > 1e-9) targets.back().points.push_back(i), targets.back().offsets.push_back(offset);
    }
  }
  return std::make_shared<BuiltInRig>(
      graph, rest, std::vector<std::shared_ptr<const Deformer>>{make_blend_shapes(0, rig.point_count(), targets)});
}

RspSetup prepare_blend_shapes(int steps) {
  RspScene belly = rsp_scenes().front();
  belly.free.assign({"belly_233", "belly_333", "belly_223", "belly_323"});
  RspSetup setup{.body = body_of(belly), .options = options_of(belly), .falling = true};
  setup.body.rig = blend_shapes_of(*setup.body.rig, controls_named(*setup.body.rig, belly.free));
  for (int k = 0; k < static_cast<int>(setup.body.rig->controls().size()); ++k) setup.free.push_back(k);
  setup.keys.assign(static_cast<std::size_t>(steps) + 1, setup.body.rig->rest());
  setup.balance = setup.keys[0] + Vec::Ones(setup.keys[0].size());  // let go from far off, so that iterations have work
  setup.nodes = carried(setup.body, setup.balance);
  return setup;
}

std::shared_ptr<const Rig> as_black_box(std::shared_ptr<const Rig> rig) {
  BlackBoxDescription box;
  box.controls.assign(rig->controls().begin(), rig->controls().end());
  box.point_count = rig->point_count();
  box.noise = 0;
  box.evaluate = [rig, memory = std::shared_ptr<Workspace>(rig->make_workspace())](In p, Vec& s) {
    rig->evaluate(*memory, p, s);
  };
  return std::make_shared<BlackBoxRig>(std::move(box));
}

RspRun run(const RspSetup& setup) {
  RigSpaceSimulation simulation(setup.body, setup.free, setup.options);
  std::optional<Contact> contact;
  if (setup.floor) {
    contact.emplace(contact_body(setup.body.mesh.points, setup.body.mesh.tets, setup.options.material.young),
                    std::vector<Collider>{Collider::plane(Vec3::Zero(), Vec3::UnitY())}, ContactOptions{.reach = 0.1});
    simulation.add("floor", *contact);
  }
  simulation.restart(setup.balance, setup.nodes);
  if (!setup.resting) simulation.set_velocity(first_velocity(setup));
  if (contact) contact->accept(simulation.nodes());
  RspRun result;
  for (std::size_t k = 1; k < setup.keys.size(); ++k) {
    const long before = simulation.rig_evaluations(), jacobians = simulation.mapping().rig_jacobians();
    const auto begin = std::chrono::steady_clock::now();
    const double own = thread_seconds();
    if (contact) contact->begin_step(setup.options.step);
    const RigSpaceStep step = simulation.step(setup.keys[k]);
    if (contact) contact->accept(simulation.nodes());
    const double taken = thread_seconds() - own;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.poses.push_back(simulation.controls());
    const Vec apart = simulation.nodes() - carried(setup.body, setup.keys[k]);
    result.motion = std::max(result.motion, apart.cwiseAbs().maxCoeff());
    if (k == 1) continue;
    ++result.steps;
    result.seconds += seconds;
    result.step_seconds.push_back(taken);
    result.fastest = result.steps == 1 ? seconds : std::min(result.fastest, seconds);
    result.iterations += step.iterations;
    result.most_iterations = std::max(result.most_iterations, step.iterations);
    result.halvings += step.halvings;
    result.unconverged += !step.converged;
    result.inverted += step.inverted > 0;
    result.recovered += step.recovered;
    result.rig_evaluations += simulation.rig_evaluations() - before;
    result.rig_jacobians += simulation.mapping().rig_jacobians() - jacobians;
    result.residual = std::max(result.residual, step.residual);
  }
  if (simulation.lineariser() != nullptr) result.linear = simulation.lineariser()->counts();
  return result;
}

}  // namespace rigspace::bench
