// One Newton iteration of rig-space physics at the size of the papers' belly: 36 controls, about 4000 interior
// unknowns.

#include "bench.h"

#include "rigspace/base/parallel.h"
#include "rigspace/body/rig_space.h"
#include "rigspace/energy/integrator.h"
#include "rigspace/energy/momentum.h"
#include "rigspace/energy/solid.h"
#include "rigspace/optimize/newton.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>

namespace rigspace::bench {
namespace {

/// A ball-like block of n^3 nodes, and a skin of twelve joints that move its surface: 36 translations.
struct Belly {
  Vec x;
  std::vector<Tet> tets;
  std::vector<int> surface, interior, free;
  std::shared_ptr<const Rig> rig;
  std::unique_ptr<RigSpaceMapping> mapping;
};

void fill_block(Belly& belly, int n) {
  const auto id = [&](int i, int j, int k) { return (i * n + j) * n + k; };
  belly.x.resize(3 * n * n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        belly.x.segment<3>(3 * id(i, j, k)) = Vec3(i, j, k) * (0.4 / (n - 1));
        const bool inside = std::min({i, j, k}) > 0 && std::max({i, j, k}) < n - 1;
        (inside ? belly.interior : belly.surface).push_back(id(i, j, k));
      }
  // Six tets a cell, around its diagonal.
  constexpr std::array<std::array<int, 2>, 6> kMiddle = {{{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}}};
  const auto corner = [&](int i, int j, int k, int c) {
    return id(i + (c & 1), j + ((c >> 1) & 1), k + ((c >> 2) & 1));
  };
  for (int i = 0; i + 1 < n; ++i)
    for (int j = 0; j + 1 < n; ++j)
      for (int k = 0; k + 1 < n; ++k)
        for (const auto& [a, b] : kMiddle) {
          Tet tet{corner(i, j, k, 0), corner(i, j, k, a), corner(i, j, k, b), corner(i, j, k, 7)};
          const auto at = [&](int v) { return Vec3(belly.x.segment<3>(3 * tet[v])); };
          if ((at(1) - at(0)).cross(at(2) - at(0)).dot(at(3) - at(0)) < 0) std::swap(tet[1], tet[2]);
          belly.tets.push_back(tet);
        }
}

void add_rig(Belly& belly) {
  auto graph = std::make_shared<ControlGraph>();
  SkinDescription skin;
  std::vector<Vec3> centres;
  for (int j = 0; j < 12; ++j) {
    const double angle = 2.39996 * j, height = 1 - 2 * (j + 0.5) / 12, around = std::sqrt(1 - height * height);
    centres.push_back(Vec3::Constant(0.2) + 0.2 * Vec3(around * std::cos(angle), height, around * std::sin(angle)));
    skin.joint_slots.push_back(add_node(*graph, {.name = "soft" + std::to_string(j), .translation = centres.back()}));
    Affine inverse_bind = Affine::Identity();
    inverse_bind.col(3) = -centres.back();
    skin.inverse_bind.push_back(inverse_bind);
  }
  Vec points(3 * static_cast<Eigen::Index>(belly.surface.size()));
  for (std::size_t s = 0; s < belly.surface.size(); ++s) {
    const Vec3 at = belly.x.segment<3>(3 * belly.surface[s]);
    points.segment<3>(3 * static_cast<Eigen::Index>(s)) = at;
    std::vector<Influence> influences;
    double sum = 0;
    for (int j = 0; j < 12; ++j) {
      const double weight = std::exp(-(at - centres[j]).squaredNorm() / 0.02);
      influences.push_back({j, weight});
      sum += weight;
    }
    for (Influence& influence : influences) influence.weight /= sum;
    skin.influences.push_back(influences);
  }
  auto rig = std::make_shared<BuiltInRig>(graph, points,
                                          std::vector<std::shared_ptr<const Deformer>>{make_linear_blend_skin(skin)});
  for (int c = 0; c < static_cast<int>(rig->controls().size()); ++c)
    if (rig->controls()[c].unit == Unit::length) belly.free.push_back(c);
  belly.rig = rig;
}

Belly make_belly(int n) {
  Belly belly;
  fill_block(belly, n);
  add_rig(belly);
  RigSpaceDescription d{.rig = belly.rig,
                        .free = belly.free,
                        .node_count = n * n * n,
                        .interior = belly.interior,
                        .bound = belly.surface,
                        .ties = one_point_each(static_cast<int>(belly.surface.size()))};
  belly.mapping = std::make_unique<RigSpaceMapping>(std::move(d));
  belly.mapping->set_key(belly.rig->rest(), belly.x);
  return belly;
}

/// Steps of 1/120 s of a block that was thrown and squeezed; wall time per Newton iteration over whole steps.
Row newton_row(int n, int threads, const BenchOptions& options) {
  const ThreadCountScope scope(threads);
  Belly belly = make_belly(n);
  const Solid solid(belly.x, belly.tets, {.young = 3e4, .poisson = 0.4});
  Momentum momentum(lumped_masses(belly.x, belly.tets, 1000));
  Objective objective(*belly.mapping);
  objective.add("momentum", momentum);
  objective.add("solid", solid);
  const Newton newton({.gradient_tolerance = 1e-6});
  NewtonWorkspace workspace;
  Integrator integrator;
  Vec v = Vec::Zero(belly.x.size()), target;
  for (Eigen::Index i = 0; i < v.size(); i += 3) v[i] = 4 * std::sin(12 * belly.x[i + 1]);
  integrator.restart(belly.x, v);
  Vec q = belly.mapping->coordinates(belly.x, belly.rig->rest());
  int iterations = 0, steps = 0;
  double best = 1e300, total = 0;
  while (steps < 5 || (total < 4 * options.seconds && steps < 60)) {
    integrator.begin(1.0 / 120);
    integrator.momentum_target(target);
    momentum.set_target(target, integrator.momentum_scale());
    const auto start = std::chrono::steady_clock::now();
    const Summary summary = newton.solve(objective, q, workspace);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    integrator.accept(workspace.x());
    if (steps++ == 0) continue;  // the first analyses the pattern
    total += seconds;
    iterations += summary.iterations;
    if (summary.iterations > 0) best = std::min(best, seconds / summary.iterations);
  }
  const double mean = total / iterations;
  return {.scene = fmt::format("block, {} controls, {} interior unknowns, {} surface points, {} tets",
                               belly.free.size(), 3 * belly.interior.size(), belly.surface.size(), belly.tets.size()),
          .method = fmt::format("full Newton, {} threads", threads),
          .metrics = {{"milliseconds_per_iteration", 1e3 * best},
                      {"mean_milliseconds_per_iteration", 1e3 * mean},
                      {"iterations_per_step", static_cast<double>(iterations) / (steps - 1)}},
          .required = threads == 2 ? "at most 20 milliseconds_per_iteration" : "",
          .ok = threads != 2 || 1e3 * best <= 20};
}

}  // namespace

std::vector<Row> bench_step(const BenchOptions& options) {
  std::vector<Row> rows;
  for (const int threads : {1, 2}) {
    rows.push_back(newton_row(13, threads, options));
    report(options.progress, "measuring steps", threads / 2.0);
  }
  return rows;
}

}  // namespace rigspace::bench
