// Solids through a rig: RSP (3) with parts whose answers are known.

#include "energy/bodies.h"
#include "rigspace/body/rig_space.h"
#include "rigspace/energy/integrator.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>

namespace rigspace {
namespace {

constexpr int kCells = 3;  // 4 x 4 x 4 nodes: 56 on the surface, 8 inside

struct Cube {
  testing::TetBody body = testing::box(Vec3::Constant(0.3), kCells, kCells, kCells);
  std::vector<int> surface, interior;
  Vec points_surface;

  Cube() {
    for (int i = 0; i < body.points(); ++i) {
      const Vec3 x = body.x.segment<3>(3 * i) / 0.3;
      const bool inside = x.minCoeff() > 0.01 && x.maxCoeff() < 0.99;
      (inside ? interior : surface).push_back(i);
    }
    points_surface.resize(3 * static_cast<Eigen::Index>(surface.size()));
    for (std::size_t k = 0; k < surface.size(); ++k)
      points_surface.segment<3>(3 * static_cast<Eigen::Index>(k)) = body.x.segment<3>(3 * surface[k]);
  }

  /// Every surface node is one point of the rig.
  RigSpaceDescription in_rig_space(std::shared_ptr<const Rig> rig, std::vector<int> free) const {
    RigSpaceDescription d{.rig = std::move(rig),
                          .free = std::move(free),
                          .node_count = body.points(),
                          .interior = interior,
                          .bound = surface,
                          .ties = one_point_each(static_cast<int>(surface.size()))};
    return d;
  }
};

/// One control for each coordinate of each surface node.
std::shared_ptr<const Rig> identity_rig(const Cube& cube) {
  auto graph = std::make_shared<ControlGraph>();
  std::vector<MorphTarget> targets;
  const int points = static_cast<int>(cube.surface.size());
  for (int c = 0; c < 3 * points; ++c)
    targets.push_back({.weight_slot = add_scalar(*graph, {.name = "c" + std::to_string(c)}),
                       .points = {c / 3},
                       .offsets = {Vec3::Unit(c % 3)}});
  return std::make_shared<BuiltInRig>(
      graph, cube.points_surface, std::vector<std::shared_ptr<const Deformer>>{make_blend_shapes(0, points, targets)});
}

/// Translation, rotation and scaling of the surface as a whole: nine controls.
std::shared_ptr<const Rig> box_rig(const Cube& cube, std::vector<int>& free) {
  auto graph = std::make_shared<ControlGraph>();
  const int slot = add_node(*graph, {.name = "box"});
  auto rig = std::make_shared<BuiltInRig>(
      graph, cube.points_surface,
      std::vector<std::shared_ptr<const Deformer>>{make_rigid(0, static_cast<int>(cube.surface.size()), slot)});
  for (const char* control : {"box.tx", "box.ty", "box.tz", "box.rx", "box.ry", "box.rz", "box.sx", "box.sy", "box.sz"})
    free.push_back(rig->find(control));
  return rig;
}

struct Trajectory {
  Vec x, v;
};

/// A few steps of BDF2 from the rest shape with a given velocity; through any map.
Trajectory step(const Mapping& mapping, const Cube& cube, Vec q, const Vec& v0, int steps, const Vec& masses) {
  const Solid solid(cube.body.x, cube.body.tets, {.young = 2e4, .poisson = 0.3});
  Momentum momentum(masses);
  Objective objective(mapping);
  objective.add("momentum", momentum);
  objective.add("solid", solid);
  const Newton newton({.gradient_tolerance = 1e-13, .gradient_floor = 1e-11, .max_iterations = 60});
  NewtonWorkspace workspace;
  Integrator integrator;
  integrator.restart(cube.body.x, v0);
  Vec target;
  for (int k = 0; k < steps; ++k) {
    integrator.begin(0.01);
    integrator.momentum_target(target);
    momentum.set_target(target, integrator.momentum_scale());
    newton.solve(objective, q, workspace);
    integrator.accept(workspace.x());
  }
  return {integrator.x(), integrator.v()};
}

TEST(RigSpace, EqualsFullSpaceWhenTheRigIsTheIdentity) {
  const Cube cube;
  const Vec masses = lumped_masses(cube.body.x, cube.body.tets, 1000);
  const Vec v0 = testing::noise(static_cast<int>(cube.body.x.size()), 3, 0.5);
  const IdentityMapping full(static_cast<int>(cube.body.x.size()));
  const Trajectory expected = step(full, cube, cube.body.x, v0, 5, masses);

  const auto rig = identity_rig(cube);
  std::vector<int> all(rig->controls().size());
  std::iota(all.begin(), all.end(), 0);
  RigSpaceMapping mapping(cube.in_rig_space(rig, all));
  mapping.set_key(rig->rest(), cube.body.x);
  const Trajectory seen = step(mapping, cube, mapping.coordinates(cube.body.x, rig->rest()), v0, 5, masses);
  ASSERT_GT((expected.x - cube.body.x).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((seen.x - expected.x).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(RigSpace, ConservesLinearMomentumWhenTheRigCanTranslate) {
  const Cube cube;
  const Vec masses = lumped_masses(cube.body.x, cube.body.tets, 1000);
  std::vector<int> free;
  const auto rig = box_rig(cube, free);
  std::sort(free.begin(), free.end());
  RigSpaceMapping mapping(cube.in_rig_space(rig, free));
  mapping.set_key(rig->rest(), cube.body.x);
  // Velocities that the rig can follow, and an interior that cannot stay with it: it moves and rings.
  Vec v0(cube.body.x.size());
  for (int i = 0; i < cube.body.points(); ++i) v0.segment<3>(3 * i) = Vec3(0.7, -0.2, 0.4);
  for (const int i : cube.interior) v0.segment<3>(3 * i) += Vec3(0.5, 0.3, -0.2);
  const auto total = [&](const Vec& v) {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < cube.body.points(); ++i) sum += masses[i] * v.segment<3>(3 * i);
    return sum;
  };
  const Vec3 before = total(v0);
  const Trajectory seen = step(mapping, cube, mapping.coordinates(cube.body.x, rig->rest()), v0, 20, masses);
  ASSERT_GT((seen.v - v0).norm(), 0.1);  // something happened inside
  EXPECT_LT((total(seen.v) - before).norm(), 1e-8 * before.norm());
}

}  // namespace
}  // namespace rigspace
