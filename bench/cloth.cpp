// A sheet dropped on a sphere, ours and Blender's cloth in one run: self-collision on in both, stretch and crossings
// counted in both.

#include "bench.h"
#include "blender_studio.h"

#include "rigspace/apps/clothing/simulate_cloth.h"
#include "rigspace/base/files.h"
#include "rigspace/geometry/triangle_overlap.h"
#include "rigspace/io/point_motion.h"

#include <chrono>
#include <cmath>
#include <numbers>

namespace rigspace::bench {
namespace {

constexpr int kFrames = 24;
constexpr double kRate = 24;

/// A square metre of (n + 1)^2 points, above the sphere.
TriMesh bench_sheet(int n) {
  TriMesh mesh;
  mesh.points.resize(3 * (n + 1) * (n + 1));
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i)
      point(mesh.points, j * (n + 1) + i) = Vec3(double(i) / n - 0.5, 0.01, double(j) / n - 0.5);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const int a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
      if ((i + j) % 2 == 0)
        mesh.triangles.insert(mesh.triangles.end(), {{a, c, d}, {a, d, b}});
      else
        mesh.triangles.insert(mesh.triangles.end(), {{a, c, b}, {b, c, d}});
    }
  return mesh;
}

TriMesh bench_sphere() {
  constexpr int kRings = 32, kAround = 64;
  const Vec3 center(0.02, -0.31, 0.01);
  TriMesh mesh;
  mesh.points.resize(3 * ((kRings - 1) * kAround + 2));
  const int top = (kRings - 1) * kAround;
  for (int r = 1; r < kRings; ++r)
    for (int k = 0; k < kAround; ++k) {
      const double a = std::numbers::pi * r / kRings, b = 2 * std::numbers::pi * k / kAround;
      point(mesh.points, (r - 1) * kAround + k) =
          center + 0.3 * Vec3(std::sin(a) * std::cos(b), std::cos(a), std::sin(a) * std::sin(b));
    }
  point(mesh.points, top) = center + Vec3(0, 0.3, 0), point(mesh.points, top + 1) = center - Vec3(0, 0.3, 0);
  for (int k = 0; k < kAround; ++k) {
    const int next = (k + 1) % kAround;
    mesh.triangles.push_back({top, next, k});
    for (int r = 1; r + 1 < kRings; ++r) {
      const int a = (r - 1) * kAround + k, b = (r - 1) * kAround + next;
      mesh.triangles.insert(mesh.triangles.end(), {{a, b, b + kAround}, {a, b + kAround, a + kAround}});
    }
    mesh.triangles.push_back({top + 1, (kRings - 2) * kAround + k, (kRings - 2) * kAround + next});
  }
  return mesh;
}

std::string obj_of(const TriMesh& mesh) {
  std::string text;
  for (int i = 0; i < mesh.point_count(); ++i) {
    const Vec3 p = point(mesh.points, i);
    text += fmt::format("v {:.9g} {:.9g} {:.9g}\n", p.x(), p.y(), p.z());
  }
  for (const Triangle& t : mesh.triangles) text += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return text;
}

/// Root mean square and largest stretch of edges, as shares of their lengths.
std::array<double, 2> stretch_of(const TriMesh& rest, In x) {
  const EdgeTable edges = edge_table(rest);
  double sum = 0, most = 0;
  for (const auto& [a, b] : edges.edges) {
    const double now = (point(x, a) - point(x, b)).norm(), was = (point(rest.points, a) - point(rest.points, b)).norm();
    const double stretch = std::max(0.0, now / was - 1);
    sum += stretch * stretch, most = std::max(most, stretch);
  }
  return {std::sqrt(sum / edges.count()), most};
}

/// Of the sheet with itself and with the sphere.
int exact_crossings(const TriMesh& sheet, const TriMesh& sphere) {
  return self_crossings(sheet).crossing() + count_crossings(sheet, sphere).crossing();
}

void add_metrics(Row& row, double seconds, const TriMesh& sheet, In x, int crossings) {
  const auto [mean, most] = stretch_of(sheet, x);
  row.metrics["seconds_per_frame"] = seconds / kFrames;
  row.metrics["vertices"] = sheet.point_count();
  row.metrics["mean_stretch_percent"] = 100 * mean;
  row.metrics["largest_stretch_percent"] = 100 * most;
  row.metrics["crossings_of_all_frames"] = crossings;
}

}  // namespace

std::vector<Row> bench_cloth(const BenchOptions& options) {
  std::vector<Row> rows;
  const TriMesh sphere = bench_sphere();
  for (const int n : {60, 99}) {
    const std::string scene = fmt::format("sheet on a sphere, {} vertices", (n + 1) * (n + 1));
    if (!wanted(options, scene) || (options.quick && n > 60)) continue;
    const TriMesh sheet = bench_sheet(n);
    report(options.progress, scene, 0);
    ClothSimulation cloth({.mesh = sheet}, {.mesh = sphere});
    int crossings = 0;
    double ours = 0;
    for (int frame = 1; frame <= kFrames; ++frame) {
      const auto begin = std::chrono::steady_clock::now();
      cloth.advance(frame / kRate);
      ours += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      crossings += exact_crossings({cloth.points(), sheet.triangles}, sphere);
      report(options.progress, scene, 0.5 * frame / kFrames);
    }
    Row row{.scene = scene, .method = "barrier"};
    add_metrics(row, ours, sheet, cloth.points(), crossings);
    row.metrics["newton_iterations_per_frame"] = static_cast<double>(cloth.report().iterations) / kFrames;
    row.metrics["unfinished_solves"] = cloth.report().unfinished;
    row.required = "no crossings; no slower than Blender at equal or smaller stretch";
    row.ok = crossings == 0;
    const BlenderStudio studio;
    const auto sheet_file = studio.file("sheet.obj"), sphere_file = studio.file("sphere.obj"),
               cache = studio.file("sheet.pc2"), seconds_file = studio.file("seconds.txt");
    write_file(sheet_file, obj_of(sheet)), write_file(sphere_file, obj_of(sphere));
    if (!studio.run("cloth_sheet.py", {sheet_file, sphere_file, cache, seconds_file}) || !fs::exists(cache)) {
      report(options.progress, "skipped: no Blender for the cloth", 1);
      row.ok = false, row.required += " (Blender did not run)";
      rows.push_back(std::move(row));
      continue;
    }
    const PointMotion motion = read_pc2(cache, kRate);
    const double theirs = std::stod(read_text(seconds_file));
    int their_crossings = 0;
    for (int k = 0; k < motion.X.cols(); ++k)
      their_crossings += exact_crossings({motion.X.col(k), sheet.triangles}, sphere);
    Row blender{.scene = scene, .method = "Blender"};
    add_metrics(blender, theirs, sheet, motion.X.col(motion.X.cols() - 1), their_crossings);
    row.metrics["times_faster_than_blender"] = theirs / ours;
    row.ok = row.ok && theirs >= ours &&
             row.metrics["mean_stretch_percent"].get<double>() <= blender.metrics["mean_stretch_percent"].get<double>();
    rows.push_back(std::move(row));
    rows.push_back(std::move(blender));
  }
  return rows;
}

}  // namespace rigspace::bench
