// Tetrahedral bodies of all real characters: how long they take, and how good they are.

#include "bench.h"

#include "rigspace/base/error.h"
#include "rigspace/geometry/stuffing.h"
#include "rigspace/io/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <numbers>

namespace rigspace::bench {
namespace {

constexpr double kMostSeconds = 30;  // for all together
constexpr double kLeastAngle = 10;   // degrees

std::vector<std::filesystem::path> characters() {
  const char* named = std::getenv("RIGSPACE_ASSETS");
  const std::filesystem::path folder = named ? named : "../shared/assets";
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".glb" || entry.path().extension() == ".gltf") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// One call: bodies take long enough, and all of them together must stay short.
Timing measure_once(const std::function<void()>& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {seconds, seconds, 1};
}

Row body_row(const std::filesystem::path& file, double& total) {
  const TriMesh surface = rest_surface(load_character(file));
  Body body;
  const Timing timing = measure_once([&] { body = stuff(surface); });
  total += timing.min;
  const TetQuality q = quality(body.mesh);
  const double degree = std::numbers::pi / 180, angle = q.smallest_angle / degree;
  return {.scene = file.filename().string(),
          .method = "isosurface stuffing, cells of 2 %",
          .metrics = {{"seconds_per_body", timing_json(timing)},
                      {"nodes", body.mesh.point_count()},
                      {"tetrahedra", body.mesh.tet_count()},
                      {"smallest_angle_degrees", angle},
                      {"first_percentile_degrees", q.first_percentile / degree},
                      {"largest_angle_degrees", q.largest_angle / degree},
                      {"inverted", q.inverted},
                      {"components", connected_components(body.mesh).tets.size()},
                      {"thin_points", std::count(body.cover.begin(), body.cover.end(), Cover::thin)}},
          .required = "at least 10 smallest_angle_degrees, none inverted",
          .ok = q.inverted == 0 && (body.mesh.tets.empty() || angle >= kLeastAngle)};
}

}  // namespace

std::vector<Row> bench_mesh(const BenchOptions& options) {
  std::vector<Row> rows;
  const auto files = characters();
  double total = 0;
  for (std::size_t k = 0; k < files.size(); ++k) {
    report(options.progress, "stuffing bodies", static_cast<double>(k) / static_cast<double>(files.size()));
    if (options.quick && k % 4 != 0) continue;
    rows.push_back(body_row(files[k], total));
  }
  if (rows.empty())
    throw Error({.element = "bench mesh",
                 .problem = "finds no characters",
                 .remedy = "name their folder in RIGSPACE_ASSETS, or run it beside ../shared/assets"});
  rows.push_back({.scene = fmt::format("all {} together", rows.size()),
                  .method = "isosurface stuffing, cells of 2 %",
                  .metrics = {{"seconds_total", total}},
                  .required = "at most 30 seconds_total",
                  .ok = total <= kMostSeconds});
  return rows;
}

}  // namespace rigspace::bench
