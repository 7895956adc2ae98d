// Table 5.1's face as a black box that Blender hosts: 24 shape keys, and 20 channels of its bones.

#include "bench.h"
#include "blender_studio.h"
#include "sketch_scenes.h"

#include "rigspace/apps/sketch/recovery.h"
#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/blend_file.h"
#include "rigspace/io/gltf.h"
#include "rigspace/io/process_rig.h"

#include <algorithm>
#include <random>

namespace rigspace::bench {
namespace {

constexpr double kMostSecondsInBlender = 0.300, kMostFaceEvaluations = 100;
constexpr int kFacePoses = 12;
constexpr const char* kScene = "face, black box in Blender";

/// Shapes, and what moves neck, head, jaw and bust: 44.
std::vector<int> face_controls(const Rig& rig) {
  std::vector<int> free;
  for (int c = 0; c < static_cast<int>(rig.controls().size()); ++c) {
    const std::string& name = rig.controls()[static_cast<std::size_t>(c)].name;
    bool wanted = matches_pattern(name, "face:*") || name == "bust.tx" || name == "bust.tz";
    for (const char* bone : {"neck", "head", "jaw"})
      for (const char* channel : {".t?", ".r?"}) wanted = wanted || matches_pattern(name, std::string(bone) + channel);
    if (wanted) free.push_back(c);
  }
  return free;
}

/// The lines of the built-in face, on the surface that Blender has.
SketchAbstraction features_on(const Character& hosted, const MadeScene& own) {
  Vec s;
  own.character.rig->evaluate(*own.character.rig->make_workspace(), own.character.rig->rest(), s);
  const SeenSurface surface(hosted, hosted.rig->rest(), own.camera);
  SketchAbstraction abstraction{.name = own.abstraction.name};
  for (const SketchCurve& curve : own.abstraction.curves) {
    std::vector<Vec3> line;
    for (const CurvePlace& place : curve.places) {
      Vec3 at = Vec3::Zero();
      for (const PlacePart& part : place)
        at += part.weight * (part.point >= 0 ? Vec3(point(s, part.point)) : part.rest);
      line.push_back(at);
    }
    abstraction.curves.push_back(project_curve(surface, line, curve.name, static_cast<int>(curve.places.size())));
  }
  return abstraction;
}

/// Shapes up to 0.7, the jaw open by up to 15 degrees, the head turned by up to 10.
Vec random_face(const Rig& rig, const std::vector<int>& free, std::uint32_t seed) {
  std::mt19937 random(seed);
  Vec p = rig.rest();
  for (const int c : free) {
    const double share = std::uniform_real_distribution<double>(0, 1)(random);
    const Control& control = rig.controls()[static_cast<std::size_t>(c)];
    if (control.unit == Unit::scalar) p[c] = 0.7 * share;
    if (matches_pattern(control.name, "head.r?")) p[c] = 10 * kDegree * (2 * share - 1);
    if (control.name == "jaw.rx") p[c] = 15 * kDegree * share;
  }
  return p;
}

}  // namespace

void add_face_in_blender(const BenchOptions& options, std::vector<Row>& rows) {
  if (!wanted(options, kScene)) return;
  const BlenderStudio studio;
  const fs::path glb = studio.file("face.glb"), blend = studio.file("face.blend");
  write_file(glb, to_glb(make_character("face", Version::skeleton)));
  if (!studio.run("make_face.py", {glb, blend}) || !fs::exists(blend)) {
    report(options.progress, "skipped: no Blender for the face", 1);
    return;
  }
  const Setting cache("RIGSPACE_CACHE", studio.cache().string()), hosted_there("RIGSPACE_BLENDER_TRANSLATE", "0");
  const Character hosted = load_blend({.file = blend, .object = "face", .processes = 1, .progress = options.progress});
  const MadeScene own = made({.name = kScene, .member = "face", .abstraction = "features"});
  SketchOptions settings;
  settings.controls.free = face_controls(*hosted.rig);
  const Vec rest = hosted.rig->rest();
  const auto asked = [&] { return static_cast<double>(hosted.rig->evaluation_count().value_or(0)); };
  double before = asked();
  SketchPoser poser(hosted, features_on(hosted, own), own.camera, rest, settings);
  const double once = asked() - before;
  std::vector<std::vector<Stroke>> drawings;
  for (std::uint32_t k = 0; k < kFacePoses; ++k) {
    poser.set_pose(random_face(*hosted.rig, settings.controls.free, 40 + k));
    drawings.push_back(hand_drawn(poser.seen(), 0.01 * poser.view_size(), 0.0075 * poser.view_size(), k));
    for (Stroke& stroke : drawings.back()) stroke.curve = stroke.name;
  }
  poser.set_pose(rest);
  std::vector<double> residuals, unposed;
  double most = 0, sum = 0;
  for (const std::vector<Stroke>& strokes : drawings) {
    unposed.push_back(residuals_of(poser, own.camera, rest, strokes).nearest);
    before = asked();
    poser.solve(strokes);
    most = std::max(most, asked() - before), sum += asked() - before;
    residuals.push_back(residuals_of(poser, own.camera, poser.controls(), strokes).nearest);
  }
  const auto middle = [](std::vector<double>& list) {
    std::sort(list.begin(), list.end());
    return list[list.size() / 2];
  };
  std::size_t next = 0;
  const Timing timing = measure(options.seconds, [&] { poser.solve(drawings[next++ % drawings.size()]); });
  Row row{.scene = kScene, .method = "ours"};
  int places = 0;
  for (const SketchCurve& curve : poser.abstraction().curves) places += static_cast<int>(curve.places.size());
  row.metrics = {{"seconds_per_solve", timing_json(timing)},
                 {"rig_evaluations", sum / kFacePoses},
                 {"most_rig_evaluations", most},
                 {"rig_evaluations_once", once},
                 {"residual_share_of_size", middle(residuals)},
                 {"residual_before_the_solve", middle(unposed)},
                 {"dim_p", poser.free().size()},
                 {"dim_z", 2 * places}};
  row.paper = Paper{"Thesis table 5.1, rig in Maya", 8.922};
  row.required = "at most 300 ms, at most 100 rig evaluations in each solve";
  row.ok = timing.median <= kMostSecondsInBlender && most <= kMostFaceEvaluations;
  rows.push_back(std::move(row));
}

}  // namespace rigspace::bench
