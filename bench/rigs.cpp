// Built-in rigs: how often they can be evaluated and differentiated, deformer by deformer and in stacks, and how fast
// the screen's skinning is.

#include "bench.h"
#include "rigs_cages.h"

#include "rigspace/anim/character.h"
#include "rigspace/base/parallel.h"
#include "rigspace/cast/cast.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/cluster.h"
#include "rigspace/rig/differences.h"
#include "rigspace/rig/display_skin.h"
#include "rigspace/rig/lattice.h"
#include "rigspace/rig/nonlinear.h"
#include "rigspace/rig/points.h"
#include "rigspace/rig/rig_health.h"
#include "rigspace/rig/skeleton.h"
#include "rigspace/rig/wire.h"
#include "rigspace/rig/wrap.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace rigspace::bench {
namespace {

/// What is timed: a rig at a pose, and the controls that its Jacobian is taken by.
struct Scene {
  std::string name;
  std::shared_ptr<const Rig> rig;
  std::vector<int> free;
  Vec p;
  bool required = false;  ///< the bar on Jacobians applies
};

/// A limb: a chain of joints along y inside a tube of points, each bound to the four nearest joints.
struct Limb {
  std::shared_ptr<ControlGraph> graph = std::make_shared<ControlGraph>();
  std::vector<int> joints;
  SkinDescription skin;
  Vec points;
};

Limb make_limb(int point_count, int joint_count) {
  Limb limb;
  for (int j = 0; j < joint_count; ++j) {
    limb.joints.push_back(add_node(*limb.graph, {.name = "joint" + std::to_string(j),
                                                 .parent_slot = j > 0 ? limb.joints.back() : -1,
                                                 .translation = Vec3(0, j > 0 ? 1 : 0, 0)}));
    Affine inverse_bind = Affine::Identity();
    inverse_bind(1, 3) = -j;
    limb.skin.inverse_bind.push_back(inverse_bind);
  }
  limb.skin.joint_slots = limb.joints;
  limb.points.resize(3 * point_count);
  for (int i = 0; i < point_count; ++i) {
    const double y = joint_count * (i + 0.5) / point_count, angle = 2.39996 * i;  // sunflower: even on the tube
    limb.points.segment<3>(3 * i) = Vec3(std::cos(angle), y, std::sin(angle));
    std::vector<Influence> influences;
    double sum = 0;
    const int nearest = std::clamp(static_cast<int>(y) - 1, 0, joint_count - 4);
    for (int k = 0; k < 4; ++k) {
      const double distance = y - (nearest + k + 0.5);
      influences.push_back({nearest + k, std::exp(-distance * distance)});
      sum += influences.back().weight;
    }
    for (Influence& influence : influences) influence.weight /= sum;
    limb.skin.influences.push_back(influences);
  }
  return limb;
}

/// The rig at a pose that bends everything a little: angles, lengths and plain numbers are free; scales and keyed
/// orientations stay.
Scene scene_of(std::string name, std::shared_ptr<const Rig> rig, bool lengths) {
  Scene scene{.name = std::move(name), .rig = std::move(rig)};
  scene.p = scene.rig->rest();
  for (int c = 0; c < static_cast<int>(scene.rig->controls().size()); ++c) {
    const Unit unit = scene.rig->controls()[c].unit;
    if (unit != Unit::angle && !(lengths && (unit == Unit::length || unit == Unit::scalar))) continue;
    scene.p[c] += 0.1 * std::sin(static_cast<double>(scene.free.size()));
    scene.free.push_back(c);
  }
  return scene;
}

Scene limb_scene(const Limb& limb, std::string name) {
  return scene_of(
      std::move(name),
      std::make_shared<BuiltInRig>(limb.graph, limb.points,
                                   std::vector<std::shared_ptr<const Deformer>>{make_linear_blend_skin(limb.skin)}),
      false);
}

std::vector<int> add_points(ControlGraph& graph, const std::string& name, std::span<const Vec3> positions) {
  std::vector<int> slots;
  for (const Vec3& position : positions)
    slots.push_back(add_point(graph, {.name = name + std::to_string(slots.size()), .position = position}));
  return slots;
}

std::unique_ptr<Deformer> lattice_on(ControlGraph& graph, const Vec& points, LatticeBasis basis) {
  LatticeDescription lattice{.size = {3, 4, 3}, .basis = basis};
  if (basis == LatticeBasis::b_spline) lattice.size = {3, 9, 3};
  lattice.frame << 2.2, 0, 0, -1.1, 0, 12.2, 0, -0.1, 0, 0, 2.2, -1.1;
  lattice.points.count = static_cast<int>(points.size() / 3);
  lattice.points.rest = points;
  lattice.points.drift = 0.5;
  lattice.point_slots = add_points(graph, "lattice", lattice_points(lattice));
  return make_lattice(lattice);
}

/// `first`: nothing moves the points before.
std::unique_ptr<Deformer> wire_on(ControlGraph& graph, const Vec& points, bool first) {
  WireDescription wire{.radius = 3};
  wire.points.count = static_cast<int>(points.size() / 3);
  if (first) wire.points.rest = points;
  for (int i = 0; i < 8; ++i) wire.points_rest.push_back(Vec3(0.3 * std::sin(i), 12.0 * i / 7, 0));
  wire.point_slots = add_points(graph, "wire", wire.points_rest);
  wire.roll_end_slot = add_scalar(graph, {.name = "roll", .unit = Unit::angle});
  return make_wire(wire);
}

std::unique_ptr<Deformer> nonlinear_on(ControlGraph& graph, const Vec& points, Nonlinear kind) {
  NonlinearDescription description{.kind = kind, .low = 1, .high = 11};
  description.points.count = static_cast<int>(points.size() / 3);
  for (const NonlinearParameter& parameter : parameters(kind)) {
    const std::string control = fmt::format("{}.{}", name(kind), parameter.name);
    // As plain numbers, so that scales are free too.
    description.parameter_slots.push_back(add_scalar(graph, {.name = control, .rest = parameter.rest}));
  }
  return make_nonlinear(description);
}

std::unique_ptr<Deformer> shapes_on(ControlGraph& graph, const Vec& points) {
  std::vector<MorphTarget> targets;
  const int count = static_cast<int>(points.size() / 3);
  for (int m = 0; m < 8; ++m) {
    targets.push_back({.weight_slot = add_scalar(graph, {.name = "shape" + std::to_string(m)})});
    for (int i = count * m / 10; i < count * (m + 3) / 10; ++i) {
      targets.back().points.push_back(i);
      targets.back().offsets.push_back(0.3 * points.segment<3>(3 * i));
    }
  }
  return make_blend_shapes(0, count, targets);
}

/// Every deformer alone, and five of them on top of each other in two orders.
std::vector<Scene> deformer_scenes(int size) {
  std::vector<Scene> scenes;
  const auto add = [&](std::string_view what, auto&& make, bool required = false) {
    Limb limb = make_limb(size, 12);
    std::vector<std::shared_ptr<const Deformer>> deformers;
    make(limb, deformers);
    auto rig = std::make_shared<BuiltInRig>(limb.graph, limb.points, std::move(deformers));
    scenes.push_back(scene_of(fmt::format("{}, {} vertices", what, size), std::move(rig), true));
    std::erase_if(scenes.back().free, [&](int control) {  // joints only where something reads them
      return !required && scenes.back().rig->controls()[control].name.starts_with("joint") && what != "clusters";
    });
    scenes.back().required = required;
  };
  using List = std::vector<std::shared_ptr<const Deformer>>;
  add("lattice, Bezier 3 x 4 x 3",
      [](Limb& limb, List& list) { list.push_back(lattice_on(*limb.graph, limb.points, LatticeBasis::bezier)); });
  add("lattice, B-spline 3 x 9 x 3",
      [](Limb& limb, List& list) { list.push_back(lattice_on(*limb.graph, limb.points, LatticeBasis::b_spline)); });
  add("wire, 8 points", [](Limb& limb, List& list) { list.push_back(wire_on(*limb.graph, limb.points, false)); });
  add("wire, 8 points, first", [](Limb& limb, List& list) { list.push_back(wire_on(*limb.graph, limb.points, true)); });
  for (const Nonlinear kind :
       {Nonlinear::bend, Nonlinear::twist, Nonlinear::taper, Nonlinear::squash, Nonlinear::flare, Nonlinear::sine})
    add(name(kind), [&](Limb& limb, List& list) { list.push_back(nonlinear_on(*limb.graph, limb.points, kind)); });
  add("clusters", [](Limb& limb, List& list) {
    list.push_back(make_clusters(
        {.transform_slots = limb.joints, .inverse_rest = limb.skin.inverse_bind, .influences = limb.skin.influences}));
  });
  add("blend shapes", [](Limb& limb, List& list) { list.push_back(shapes_on(*limb.graph, limb.points)); });
  const auto stack = [](Limb& limb, List& list) {
    list.push_back(shapes_on(*limb.graph, limb.points));
    list.push_back(lattice_on(*limb.graph, limb.points, LatticeBasis::b_spline));
    list.push_back(wire_on(*limb.graph, limb.points, false));
    list.push_back(nonlinear_on(*limb.graph, limb.points, Nonlinear::bend));
    list.push_back(make_linear_blend_skin(limb.skin));
  };
  add("stack: shapes, lattice, wire, bend, skin", stack, true);
  add(
      "stack: skin, bend, wire, lattice, shapes",
      [&](Limb& limb, List& list) {
        stack(limb, list);
        std::reverse(list.begin(), list.end());
      },
      true);
  return scenes;
}

/// A tube of rings wrapped around a coarse one that is skinned.
Scene wrap_scene(int size) {
  constexpr int kAround = 20, kRings = 61;
  const Limb limb = make_limb(kAround * kRings, 12);
  TriMesh coarse{limb.points, {}};
  for (int i = 0; i < kRings; ++i)
    for (int j = 0; j < kAround; ++j) {
      const double angle = 2 * std::numbers::pi * j / kAround;
      coarse.points.segment<3>(3 * (kAround * i + j)) =
          Vec3(std::cos(angle), 12.0 * i / (kRings - 1), -std::sin(angle));
    }
  for (int i = 0; i + 1 < kRings; ++i)
    for (int j = 0; j < kAround; ++j) {
      const int a = kAround * i + j, b = kAround * i + (j + 1) % kAround;
      coarse.triangles.push_back({a, b, a + kAround});
      coarse.triangles.push_back({b, b + kAround, a + kAround});
    }
  auto base = std::make_shared<BuiltInRig>(
      limb.graph, coarse.points, std::vector<std::shared_ptr<const Deformer>>{make_linear_blend_skin(limb.skin)});
  auto rig =
      std::make_shared<WrapRig>(std::move(base), coarse, make_limb(size, 12).points, WrapOptions{.keep_base = false});
  return scene_of(fmt::format("wrap around {} vertices, {} vertices", coarse.point_count(), size), std::move(rig),
                  false);
}

Row evaluate_row(const Scene& scene, int threads, const BenchOptions& options) {
  const auto workspace = scene.rig->make_workspace();
  Vec s;
  const Timing timing = measure(options.seconds, [&] { scene.rig->evaluate(*workspace, scene.p, s); });
  return {.scene = scene.name,
          .method = fmt::format("evaluate, {} threads", threads),
          .metrics = {{"seconds_per_evaluation", timing_json(timing)},
                      {"evaluations_per_s", 1 / timing.min},
                      {"vertices_per_s", scene.rig->point_count() / timing.min}}};
}

/// The exact Jacobian and, for the ratio, what central differences of the same rig take in the same run.
Row jacobian_row(const Scene& scene, int threads, const BenchOptions& options) {
  const auto workspace = scene.rig->make_workspace();
  BlockJacobian J;
  const Timing exact = measure(options.seconds, [&] { scene.rig->jacobian(*workspace, scene.p, scene.free, J); });
  // Differences alone, as lean as they can be: two evaluations a control into one vector each, nothing assembled.
  Vec low, high, moved = scene.p;
  double sum = 0;
  const Timing central = measure(options.seconds, [&] {
    for (const int control : scene.free) {
      moved[control] = scene.p[control] + 1e-5;
      scene.rig->evaluate(*workspace, moved, high);
      moved[control] = scene.p[control] - 1e-5;
      scene.rig->evaluate(*workspace, moved, low);
      moved[control] = scene.p[control];
      sum += (high - low).squaredNorm();
    }
  });
  const double ratio = central.min / exact.min;
  return {.scene = scene.name,
          .method = fmt::format("jacobian, {} threads", threads),
          .metrics = {{"seconds_per_jacobian", timing_json(exact)},
                      {"jacobians_per_s", 1 / exact.min},
                      {"controls", scene.free.size()},
                      {"seconds_per_central_differences", timing_json(central)},
                      {"faster_than_differences", ratio}},
          .required = scene.required ? "at least 5 times faster than central differences" : "",
          .ok = !scene.required || ratio >= 5};
}

Row display_row(const Limb& limb, const Scene& scene, int threads, const BenchOptions& options) {
  const auto& rig = static_cast<const BuiltInRig&>(*scene.rig);
  const auto workspace = rig.make_workspace();
  Vec u;
  rig.evaluate_slots(*workspace, scene.p, u);
  std::vector<DisplayTransform> transforms;
  for (std::size_t j = 0; j < limb.joints.size(); ++j)
    transforms.push_back(
        display_transform(compose(transform_at(u, limb.graph->slots()[limb.joints[j]]), limb.skin.inverse_bind[j])));
  const DisplaySkin skin(limb.points, limb.skin);
  std::vector<float> s(static_cast<std::size_t>(limb.points.size()));
  const Timing timing = measure(options.seconds, [&] { skin.deform(transforms, s); });
  const double rate = skin.point_count() / timing.min;
  const bool required = skin.point_count() == 100000 && threads == 1;
  return {.scene = scene.name,
          .method = fmt::format("display skinning, {} threads", threads),
          .metrics = {{"seconds_per_frame", timing_json(timing)}, {"vertices_per_s", rate}},
          .required = required ? "at least 200e6 vertices_per_s" : "",
          .ok = !required || rate >= 200e6};
}

/// The drawn pieces of a built-in character, in the middle of its walk, with all of its rig.
Row character_row(const BenchOptions& options) {
  const Character peanut = make_character("peanut");
  std::vector<int> drawn;
  for (const Piece& piece : peanut.pieces)
    for (int i = 0; i < piece.point_count && piece.drawn; ++i) drawn.push_back(piece.first_point + i);
  std::sort(drawn.begin(), drawn.end());
  const std::unique_ptr<Rig> rig = peanut.rig->restricted(drawn);
  const auto workspace = rig->make_workspace();
  Vec p = pose_at(peanut, peanut.clip("Walk"), 0.4), s;
  // Every lattice, wire and ear at work, not at rest.
  for (const int i : shown_controls(rig->controls()))
    if (rig->controls()[i].unit == Unit::length && p[i] == 0) p[i] = 0.1 * rig->controls()[i].typical;
  const Timing timing = measure(options.seconds, [&] { rig->evaluate(*workspace, p, s); });
  return {.scene = fmt::format("peanut, whole rig, {} vertices", rig->point_count()),
          .method = "evaluate, 1 threads",
          .metrics = {{"seconds_per_evaluation", timing_json(timing)},
                      {"evaluations_per_s", 1 / timing.median},
                      {"controls", shown_controls(rig->controls()).size()}},
          .required = "at least 20000 vertices, 60 evaluations_per_s",
          .ok = rig->point_count() >= 20000 && timing.median <= 1.0 / 60};
}

}  // namespace

std::vector<Row> bench_rigs(const BenchOptions& options) {
  std::vector<Row> rows;
  if (options.only.starts_with("cage")) {
    add_cage_rows(options, rows);
    return rows;
  }
  const int sizes[] = {1000, 10000, 100000};
  int done = 0;
  constexpr double kLimbShare = 0.4;  // of the whole, for progress
  for (const int size : sizes) {
    const Limb limb = make_limb(size, 12);  // 12 joints: 36 angles
    Scene scene = limb_scene(limb, fmt::format("limb, 12 joints, {} vertices", size));
    for (const int threads : {1, 2}) {
      const ThreadCountScope scope(threads);
      scene.required = size == 10000 && threads == 1;
      rows.push_back(evaluate_row(scene, threads, options));
      rows.push_back(jacobian_row(scene, threads, options));
      rows.push_back(display_row(limb, scene, threads, options));
      report(options.progress, "measuring rigs", kLimbShare * ++done / 6);
    }
  }
  constexpr int kSize = 10000;
  const ThreadCountScope one_thread(1);
  rows.push_back(character_row(options));
  std::vector<Scene> scenes = deformer_scenes(kSize);
  scenes.push_back(wrap_scene(kSize));
  add_cage_rows(options, rows);
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    rows.push_back(evaluate_row(scenes[i], 1, options));
    rows.push_back(jacobian_row(scenes[i], 1, options));
    report(options.progress, "measuring deformers",
           kLimbShare + (1 - kLimbShare) * static_cast<double>(i + 1) / static_cast<double>(scenes.size()));
  }
  return rows;
}

}  // namespace rigspace::bench
