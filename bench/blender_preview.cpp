// The add-on in Blender: frames a second of its live preview, the difference from its result; and the same shot with
// what animators use today.

#include "blender_preview.h"
#include "bench.h"

#include "rigspace/base/files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

namespace rigspace::bench {
namespace {

constexpr const char *kHumanPreview = "Rigify human, live preview", *kDogPreview = "ShibaInu, live preview",
                     *kPeers = "Rigify human, what animators use";
constexpr double kPreviewRate = 24;   // frames a second: slower is no preview
constexpr double kPreviewApart = 15;  // percent of the result's motion, r.m.s.

nlohmann::json told_in(const fs::path& file) {
  const std::vector<std::byte> bytes = read_file(file);
  return nlohmann::json::parse(reinterpret_cast<const char*>(bytes.data()),
                               reinterpret_cast<const char*>(bytes.data() + bytes.size()));
}

/// One character, previewed and simulated in Blender.
Row preview_row(const BlenderStudio& studio, const std::string& scene, std::vector<fs::path> arguments) {
  const fs::path out = studio.file("preview.json");
  arguments.insert(arguments.begin(), out);
  Row row{.scene = scene, .method = "live preview in Blender", .required = "24 frames a second, 15 % from the result"};
  std::error_code ignored;
  fs::remove(out, ignored);
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).replace_filename("rigspace");
  const Setting named("RIGSPACE_PROGRAM", program.string());
  if (!studio.run("../../bench/blender_preview.py", arguments) || !fs::exists(out)) {
    row.required += "; Blender failed";
    row.ok = false;
    return row;
  }
  const nlohmann::json told = told_in(out);
  for (const auto& [key, value] : told.items()) row.metrics[key] = value;
  row.ok = row.metrics["frames_per_second"].get<double>() >= kPreviewRate &&
           row.metrics["difference_of_the_motion_percent"].get<double>() <= kPreviewApart;
  return row;
}

}  // namespace

bool wanted_in_blender(const BenchOptions& options) {
  return wanted(options, kHumanPreview) || wanted(options, kDogPreview) || wanted(options, kPeers);
}

std::vector<Row> preview_rows(const BlenderStudio& studio, const BenchOptions& options) {
  std::vector<Row> rows;
  const Setting cache("RIGSPACE_CACHE", studio.file("preview_cache").string());
  report(options.progress, "live preview", 0);
  if (wanted(options, kHumanPreview))
    rows.push_back(
        preview_row(studio, kHumanPreview,
                    {studio.human(), "Human", "", "belly.?=belly", "longear*.L.r?=ear", "longear*.R.r?=ear"}));
  const char* named = std::getenv("RIGSPACE_ASSETS");
  const fs::path dog = fs::path(named ? named : "../shared/assets") / "quaternius_ShibaInu" / "ShibaInu.glb";
  if (!wanted(options, kDogPreview)) return rows;
  if (fs::exists(dog))
    rows.push_back(preview_row(studio, kDogPreview, {fs::absolute(dog), "", "Walk"}));
  else
    report(options.progress, "skipped: RIGSPACE_ASSETS has no quaternius_ShibaInu", 1);
  return rows;
}

std::vector<Row> peer_rows(const BlenderStudio& studio, const BenchOptions& options) {
  std::vector<Row> rows;
  const fs::path out = studio.file("peers.json");
  if (!wanted(options, kPeers)) return rows;
  if (!studio.run("../../bench/blender_peers.py", {out}, studio.human()) || !fs::exists(out)) return rows;
  const nlohmann::json told = told_in(out);
  for (const auto& [method, figures] : told.items()) {
    rows.push_back({.scene = kPeers, .method = method});
    for (const auto& [key, value] : figures.items()) rows.back().metrics[key] = value;
  }
  return rows;
}

}  // namespace rigspace::bench
