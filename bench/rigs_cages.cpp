#include "rigs_cages.h"

#include "rigspace/base/parallel.h"
#include "rigspace/geometry/automatic_cage.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/cage.h"
#include "rigspace/rig/points.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>

namespace rigspace::bench {
namespace {

/// A tube of points, bent to a quarter of a circle: concave for its cage.
TriMesh bent_tube(int rings, int sides) {
  TriMesh mesh;
  mesh.points.resize(3 * (rings * sides + 2));
  const auto at = [&](double along, double angle, double radius) {
    const double turn = 1.57 * along;
    const double out = 3 + radius * std::cos(angle);
    return Vec3(out * std::cos(turn), out * std::sin(turn), radius * std::sin(angle));
  };
  for (int i = 0; i < rings; ++i)
    for (int j = 0; j < sides; ++j)
      point(mesh.points, i * sides + j) = at(static_cast<double>(i) / (rings - 1), 6.283185307179586 * j / sides, 0.5);
  const int first = rings * sides, last = first + 1;
  point(mesh.points, first) = at(0, 0, 0), point(mesh.points, last) = at(1, 0, 0);
  for (int j = 0; j < sides; ++j) {
    const int next = (j + 1) % sides;
    mesh.triangles.push_back({first, j, next});
    mesh.triangles.push_back({last, (rings - 1) * sides + next, (rings - 1) * sides + j});
    for (int i = 0; i + 1 < rings; ++i) {
      const int a = i * sides + j, b = i * sides + next;
      mesh.triangles.push_back({a, a + sides, b});
      mesh.triangles.push_back({b, a + sides, b + sides});
    }
  }
  return mesh;
}

Row cage_row(const TriMesh& shape, const TriMesh& cage, CageFamily family, const BenchOptions& options) {
  const int points = shape.point_count();
  auto graph = std::make_shared<ControlGraph>();
  CageDescription description;
  description.points.count = points;
  description.points.rest = shape.points;
  description.cage = cage;
  description.coordinates.family = family;
  description.coordinates.drop_below = 1e-5;
  for (int j = 0; j < cage.point_count(); ++j)
    description.point_slots.push_back(
        add_point(*graph, {.name = fmt::format("cage{}", j), .position = point(cage.points, j)}));
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  std::shared_ptr<const Deformer> deformer;
  {
    const ThreadCountScope two(2);
    deformer = make_cage(description);
  }
  const double bind = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double processor_seconds = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC;
  const BuiltInRig rig(graph, shape.points, {deformer});
  Vec p = rig.rest(), s;
  std::vector<int> free(static_cast<std::size_t>(p.size()));
  for (Eigen::Index c = 0; c < p.size(); ++c) {
    p[c] = 0.1 * std::sin(static_cast<double>(c));
    free[static_cast<std::size_t>(c)] = static_cast<int>(c);
  }
  const auto workspace = rig.make_workspace();
  const Timing evaluation = measure(options.seconds, [&] { rig.evaluate(*workspace, p, s); });
  const double entries = deformer->entry_start().back();
  const bool required = family == CageFamily::harmonic || family == CageFamily::biharmonic;
  return {.scene = fmt::format("cage of {} points and {} faces, {} vertices", cage.point_count(), cage.triangle_count(),
                               points),
          .method = fmt::format("{}, evaluate, 1 threads", name(family)),
          .metrics = {{"seconds_to_bind_2_threads", bind},
                      {"processor_seconds_to_bind", processor_seconds},
                      {"seconds_per_evaluation", timing_json(evaluation)},
                      {"evaluations_per_s", 1 / evaluation.min},
                      {"weights_per_vertex", entries / points}},
          .required = required ? "at most 20 processor_seconds_to_bind" : "",
          .ok = !required || processor_seconds <= 20};
}

}  // namespace

void add_cage_rows(const BenchOptions& options, std::vector<Row>& rows) {
  const TriMesh shape = bent_tube(250, 40);  // 10 002 points
  const TriMesh cage = automatic_cage(shape, {.faces = 150}).mesh;
  for (const CageFamily family : cage_families())
    if (family != CageFamily::barycentric && family != CageFamily::wachspress)  // of tetrahedra and convex cages alone
      rows.push_back(cage_row(shape, cage, family, options));
}

}  // namespace rigspace::bench
