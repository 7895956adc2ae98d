// Skin weights from mesh and bones, against those of the artists: how far the skin is apart over all clips.
#include "bench.h"

#include "rigspace/anim/skin_part.h"
#include "rigspace/base/error.h"
#include "rigspace/io/gltf.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>

namespace rigspace::bench {
namespace {

constexpr std::array kWeightMethods = {SkinWeightMethod::nearest, SkinWeightMethod::falloff, SkinWeightMethod::heat,
                                       SkinWeightMethod::voxels, SkinWeightMethod::biharmonic};

constexpr std::array kCharacters = {
    "khr_Fox/Fox.glb",
    "khr_CesiumMan/CesiumMan.glb",
    "quaternius_ShibaInu/ShibaInu.glb",
    "quaternius_Apatosaurus/Apatosaurus.glb",
    "gdquest_mannequiny/mannequiny-0.3.0.glb",
    "kaykit_Knight/Knight.glb",
    "three_RobotExpressive/RobotExpressive.glb",
    "makehuman_female_dressed/mh_female.glb",
    "rocketbox_Female_Adult_01/Female_Adult_01_facial_wave.glb",
    "census/Stag.glb",
    "census/Frog.glb",
    "census/Spider.glb",
    "census/Leela.glb",
};

void add_character_rows(const std::filesystem::path& path, const BenchOptions& options, std::vector<Row>& rows) {
  const Character artist = load_gltf(path);
  const std::vector<SkinPart> parts = skin_parts(artist);
  std::vector<int> points;
  for (const SkinPart& part : parts) points.insert(points.end(), part.points.begin(), part.points.end());
  double nearest = 0;
  for (const SkinWeightMethod method : kWeightMethods) {
    if (options.quick && method == SkinWeightMethod::biharmonic) continue;
    Character changed = artist;
    const auto start = std::chrono::steady_clock::now();
    for (const SkinPart& part : parts)
      changed =
          with_skin_weights(changed, part, make_skin_weights(part.mesh, part.joints, {.method = method}).influences);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const SkinDifference difference = skin_difference(artist, changed, points);
    if (method == SkinWeightMethod::nearest) nearest = difference.share();
    Row row{.scene = path.stem().string(), .method = std::string(name(method)), .metrics = {}};
    row.metrics = {{"share_of_swing", difference.share()},
                   {"share_beside_nearest", nearest > 0 ? difference.share() / nearest : 0.0},
                   {"worst_scene_units", difference.worst},
                   {"points", points.size()},
                   {"bind_seconds", seconds}};
    if (method == SkinWeightMethod::heat) {
      row.required = "share_beside_nearest below 0.9";
      row.ok = difference.share() < 0.9 * nearest;
    }
    rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<Row> bench_weights(const BenchOptions& options) {
  const char* named = std::getenv("RIGSPACE_ASSETS");
  const std::filesystem::path folder = named != nullptr ? named : "../shared/assets";
  if (!std::filesystem::exists(folder))
    throw Error({.file = folder.string(),
                 .problem = "is not there",
                 .remedy = "name the folder of the characters in RIGSPACE_ASSETS, or run it beside ../shared/assets"});
  std::vector<Row> rows;
  double done = 0;
  for (const char* file : kCharacters) {
    report(options.progress, "measuring weights", done++ / kCharacters.size());
    if (wanted(options, std::filesystem::path(file).stem().string())) add_character_rows(folder / file, options, rows);
  }
  return rows;
}

}  // namespace rigspace::bench
