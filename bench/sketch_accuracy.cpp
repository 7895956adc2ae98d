// How well random poses are recovered from drawings of them.

#include "bench.h"
#include "blender_studio.h"
#include "sketch_scenes.h"

#include "rigspace/apps/sketch/nested_joints.h"
#include "rigspace/apps/sketch/recovery.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/blend_file.h"
#include "rigspace/io/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace rigspace::bench {
namespace {

/// Built-in characters, and files of the folder of assets where that is there.
std::vector<std::pair<std::string, std::string>> accuracy_characters() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const char* name : {"bobbin", "peanut", "sumo", "toon", "dragon"})
    if (in_cast(name)) found.emplace_back(name, name);
  const char* named = std::getenv("RIGSPACE_ASSETS");
  const std::filesystem::path folder = named != nullptr ? named : "../shared/assets";
  for (const char* file :
       {"khr_CesiumMan/CesiumMan.glb", "khr_Fox/Fox.glb", "kaykit_Knight/Knight.glb",
        "quaternius_ShibaInu/ShibaInu.glb", "quaternius_Apatosaurus/Apatosaurus.glb",
        "three_RobotExpressive/RobotExpressive.glb", "gdquest_mannequiny/mannequiny-0.3.0.glb",
        "makehuman_female_dressed/mh_female.glb", "census/Shark.glb", "census/Stag.glb", "webxr_generic_hand/left.glb"})
    if (std::filesystem::exists(folder / file))
      found.emplace_back(std::filesystem::path(file).stem().string(), (folder / file).string());
  return found;
}

/// From the same place with twice the picture: room for limbs that are stretched out.
Camera wide_view(const Character& character) {
  Camera camera = front_of(character);
  camera.fov = 2 * std::atan(2 * std::tan(0.5 * camera.fov));
  return camera;
}

double middle(std::vector<double>& list) {
  std::sort(list.begin(), list.end());
  return list.empty() ? 0 : list[list.size() / 2];
}

/// Outlines and lines of action: how far the lines found are from those drawn, without the hand's jitter. Neither says
/// where joints are, so no angle is compared.
void add_lines(const std::string& name, const Character& character, const std::string& abstraction, double jitter,
               int poses, std::vector<Row>& rows) {
  const Vec rest = character.rig->rest();
  const Camera camera = wide_view(character);
  SketchPoser poser(character, abstraction == "action" ? line_of_action(character) : outline(character, rest, camera),
                    camera, rest);
  std::vector<double> residuals, before, at_best, evaluations;
  int outside = 0, different = 0;
  for (int k = 0; k < poses; ++k) {
    const RecoveryOptions options{.jitter = jitter, .seed = 1000u + static_cast<std::uint32_t>(k)};
    const Recovery found = recover(poser, character, camera, rest, options);
    residuals.push_back(found.residual), before.push_back(found.unposed);
    evaluations.push_back(static_cast<double>(found.report.evaluations));
    outside += found.within_limits ? 0 : 1;
    RecoveryOptions known = options;
    known.from_truth = true;
    at_best.push_back(recover(poser, character, camera, rest, known).residual);
    if (k % 10 == 0) {
      RecoveryOptions other = options;
      other.order += 17;
      different += (recover(poser, character, camera, rest, other).p - found.p).cwiseAbs().maxCoeff() > 1e-6 ? 1 : 0;
    }
  }
  Row row{.scene = name, .method = fmt::format("{}, jitter {:.0f} % of the height", abstraction, 100 * jitter)};
  const double residual = middle(residuals);
  row.metrics = {{"median_residual_share_of_height", residual},
                 {"median_residual_before_the_solve", middle(before)},
                 {"median_residual_from_the_true_pose", middle(at_best)},
                 {"median_rig_evaluations", middle(evaluations)},
                 {"poses", poses},
                 {"poses_outside_limits", outside},
                 {"poses_that_depend_on_stroke_order", different}};
  row.required = "residual under the jitter, limits kept, order of strokes without effect";
  row.ok = residual < jitter && outside == 0 && different == 0;
  rows.push_back(std::move(row));
}

void add_accuracy(const std::string& name, const Character& character, double jitter, int poses,
                  std::vector<Row>& rows) {
  const Vec rest = character.rig->rest();
  const Camera camera = wide_view(character);
  SketchPoser poser(character, stick_figure(character), camera, rest);
  std::vector<double> residuals, angles, floor;
  int outside = 0, mistaken = 0, strokes = 0, different = 0;
  for (int k = 0; k < poses; ++k) {
    const RecoveryOptions options{
        .jitter = jitter, .seed = 1000u + static_cast<std::uint32_t>(k), .order = 1u + static_cast<std::uint32_t>(k)};
    const Recovery found = recover(poser, character, camera, rest, options);
    residuals.push_back(found.residual);
    angles.insert(angles.end(), found.angles.begin(), found.angles.end());
    outside += found.within_limits ? 0 : 1, mistaken += found.mistaken,
        strokes += static_cast<int>(found.report.strokes.size());
    RecoveryOptions known = options;
    known.named = known.from_truth = true;
    const Recovery at_best = recover(poser, character, camera, rest, known);
    floor.insert(floor.end(), at_best.angles.begin(), at_best.angles.end());
    if (k % 10 == 0) {
      RecoveryOptions other = options;
      other.order += 17;
      different += (recover(poser, character, camera, rest, other).p - found.p).cwiseAbs().maxCoeff() > 1e-6 ? 1 : 0;
    }
  }
  Row row{.scene = name, .method = fmt::format("stick, jitter {:.0f} % of the height", 100 * jitter)};
  const double residual = middle(residuals), angle = middle(angles) / kDegree;
  row.metrics = {{"median_residual_share_of_height", residual},
                 {"median_angle_error_degrees", angle},
                 {"median_angle_error_from_the_true_pose_degrees", middle(floor) / kDegree},
                 {"poses", poses},
                 {"poses_outside_limits", outside},
                 {"strokes_given_to_another_curve_share", static_cast<double>(mistaken) / std::max(1, strokes)},
                 {"poses_that_depend_on_stroke_order", different}};
  row.required =
      jitter < 0.02 ? "residual under the jitter, angles within 5 degrees, limits kept, order of strokes without effect"
                    : "residual under the jitter, limits kept, order of strokes without effect";
  row.ok = residual < jitter && outside == 0 && different == 0 && (jitter > 0.02 || angle <= 5);
  rows.push_back(std::move(row));
}

void add_character(const BenchOptions& options, const std::string& name, Character character, std::vector<Row>& rows) {
  if (auto nested = nest_joints(character)) character = std::move(nested->character);
  const int poses = options.quick ? 20 : 200;
  for (const double jitter : {0.01, 0.03}) {
    report(options.progress, name, 0);
    add_accuracy(name, character, jitter, poses, rows);
    for (const char* abstraction : {"action", "outline"}) add_lines(name, character, abstraction, jitter, poses, rows);
  }
}

}  // namespace

std::vector<Row> bench_sketch_accuracy(const BenchOptions& options) {
  std::vector<Row> rows;
  for (const auto& [name, file] : accuracy_characters())
    if (wanted(options, name))
      add_character(options, name, name == file ? make_character(name) : load_character(file), rows);
  if (!wanted(options, "Rigify human")) return rows;
  // The human that Rigify makes on its deforming bones, below each other as in the metarig: of the rig with its
  // constraints, which Blender computes, joints are not known here.
  const BlenderStudio studio;
  const fs::path tree = studio.file("tree.blend");
  if (!studio.make_humans() || !studio.run("make_rigify_tree.py", {studio.plain(), tree}) || !fs::exists(tree)) {
    report(options.progress, "skipped: no Blender that makes a Rigify human", 1);
    return rows;
  }
  add_character(options, "Rigify human", with_joints(load_character(tree)), rows);
  return rows;
}

}  // namespace rigspace::bench
