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
#include <ctime>
#include <numbers>
#include <sstream>

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

struct Measured {
  Row row;
  double seconds = 0, processor = 0;  // of all cores, beside: it does not depend on what else the machine does
};

Measured simulate_sheet(const std::string& scene, const TriMesh& sheet, const TriMesh& sphere, ContactMethod method,
                        const BenchOptions& options) {
  const bool impulses = method == ContactMethod::impulses;
  Measured result{.row = {.scene = scene, .method = impulses ? "impulses" : "barrier"}};
  ClothSimulation cloth({.mesh = sheet}, {.mesh = sphere}, {.contact_method = method});
  int crossings = 0;
  for (int frame = 1; frame <= kFrames; ++frame) {
    const auto begin = std::chrono::steady_clock::now();
    const double worked = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    cloth.advance(frame / kRate);
    result.processor += static_cast<double>(std::clock()) / CLOCKS_PER_SEC - worked;
    result.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    crossings += exact_crossings({cloth.points(), sheet.triangles}, sphere);
    report(options.progress, scene + ", " + result.row.method, static_cast<double>(frame) / kFrames);
  }
  Row& row = result.row;
  add_metrics(row, result.seconds, sheet, cloth.points(), crossings);
  row.metrics["processor_seconds_per_frame"] = result.processor / kFrames;
  row.metrics["newton_iterations_per_frame"] = static_cast<double>(cloth.report().iterations) / kFrames;
  row.metrics["unfinished_solves"] = cloth.report().unfinished;
  if (impulses) {
    const ImpulseReport& acted = cloth.report().impulses;
    row.metrics["rounds_of_impulses"] = acted.rounds;
    row.metrics["zones"] = acted.zones;
    row.metrics["points_carried"] = acted.carried;
    row.metrics["cuts"] = acted.cuts;
  }
  row.ok = crossings == 0;
  return result;
}

/// Blender's row; false where it did not run.
bool blender_sheet(const std::string& scene, const TriMesh& sheet, const TriMesh& sphere, Measured& result) {
  const BlenderStudio studio;
  const auto sheet_file = studio.file("sheet.obj"), sphere_file = studio.file("sphere.obj"),
             cache = studio.file("sheet.pc2"), seconds_file = studio.file("seconds.txt");
  write_file(sheet_file, obj_of(sheet)), write_file(sphere_file, obj_of(sphere));
  if (!studio.run("cloth_sheet.py", {sheet_file, sphere_file, cache, seconds_file}) || !fs::exists(cache)) return false;
  const PointMotion motion = read_pc2(cache, kRate);
  std::istringstream(read_text(seconds_file)) >> result.seconds >> result.processor;
  int crossings = 0;
  for (int k = 0; k < motion.X.cols(); ++k) crossings += exact_crossings({motion.X.col(k), sheet.triangles}, sphere);
  result.row = {.scene = scene, .method = "Blender"};
  add_metrics(result.row, result.seconds, sheet, motion.X.col(motion.X.cols() - 1), crossings);
  result.row.metrics["processor_seconds_per_frame"] = result.processor / kFrames;
  return true;
}

double mean_stretch(const Measured& each) { return each.row.metrics["mean_stretch_percent"].get<double>(); }

/// A row of ours against Blender's: `times` as fast at equal or smaller stretch.
void compare(Measured& ours, const Measured& blender, double times) {
  const double ratio = blender.seconds / ours.seconds;
  ours.row.metrics["times_faster_than_blender"] = ratio;
  ours.row.metrics["times_less_processor_than_blender"] = blender.processor / ours.processor;
  ours.row.ok = ours.row.ok && ratio >= times && mean_stretch(ours) <= mean_stretch(blender);
}

}  // namespace

std::vector<Row> bench_cloth(const BenchOptions& options) {
  std::vector<Row> rows;
  const TriMesh sphere = bench_sphere();
  for (const int n : {60, 99, 173}) {
    const std::string scene = fmt::format("sheet on a sphere, {} vertices", (n + 1) * (n + 1));
    if (!wanted(options, scene) || (options.quick && n > 60)) continue;
    const TriMesh sheet = bench_sheet(n);
    Measured impulses = simulate_sheet(scene, sheet, sphere, ContactMethod::impulses, options);
    Measured barrier = simulate_sheet(scene, sheet, sphere, ContactMethod::barrier, options);
    if (n == 173) {
      impulses.row.required = "no crossings; at most 2 s a frame";
      barrier.row.required = "no crossings; at most 15 s a frame";
      impulses.row.ok = impulses.row.ok && impulses.seconds <= 2 * kFrames;
      barrier.row.ok = barrier.row.ok && barrier.seconds <= 15 * kFrames;
      rows.push_back(std::move(impulses.row)), rows.push_back(std::move(barrier.row));
      continue;
    }
    impulses.row.required = "no crossings; 5 times faster than Blender at equal or smaller stretch";
    barrier.row.required = "no crossings; no slower than Blender at equal or smaller stretch";
    Measured blender;
    if (blender_sheet(scene, sheet, sphere, blender)) {
      compare(impulses, blender, 5), compare(barrier, blender, 1);
    } else {
      report(options.progress, "skipped: no Blender for the cloth", 1);
      for (Row* row : {&impulses.row, &barrier.row}) row->ok = false, row->required += " (Blender did not run)";
    }
    rows.push_back(std::move(impulses.row)), rows.push_back(std::move(barrier.row));
    if (blender.seconds > 0) rows.push_back(std::move(blender.row));
  }
  add_cloth_subspace(options, rows);
  return rows;
}

}  // namespace rigspace::bench
