#include "sketch_scenes.h"

#include "rigspace/apps/sketch/individual.h"
#include "rigspace/apps/sketch/recovery.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/rig/black_box.h"

#include <algorithm>
#include <cmath>

namespace rigspace::bench {
namespace {

/// Lines drawn over the character along its stick figure, as far as they hit it; `places` in all.
SketchAbstraction drawn_over(const Character& character, const Camera& camera, int places) {
  const Vec rest = character.rig->rest();
  const std::vector<Stroke> lines = SketchPoser(character, stick_figure(character), camera, rest).seen();
  const SeenSurface surface(character, rest, camera);
  double whole = 0;
  for (const Stroke& line : lines) whole += line.length();
  SketchAbstraction abstraction{.name = "drawn"};
  int given = 0;
  double length = 0;
  for (const Stroke& line : lines) {
    length += line.length();
    const int own = static_cast<int>(std::lround(places * length / whole)) - given;
    given += own;
    // Only the part of the line that lies on the body, so that no place is lost.
    Stroke on = line;
    std::erase_if(on.points, [&](const Vec2& z) { return surface.hit(z).empty(); });
    on.points.pop_back();
    abstraction.curves.push_back(project_stroke(surface, on, own));
  }
  return abstraction;
}

/// Every k-th place of each curve, so that `places` are left.
void thin_out(SketchAbstraction& abstraction, int places) {
  int all = 0, seen = 0, kept = 0;
  for (const SketchCurve& curve : abstraction.curves) all += static_cast<int>(curve.places.size());
  for (SketchCurve& curve : abstraction.curves) {
    std::vector<CurvePlace> left;
    for (CurvePlace& place : curve.places)
      if (++seen; seen * places / all > kept) left.push_back(std::move(place)), ++kept;
    curve.places = std::move(left);
  }
}

}  // namespace

bool in_cast(const std::string& name) {
  return std::any_of(cast().begin(), cast().end(), [&](const CastMember& each) { return each.name == name; });
}

Camera front_of(const Character& character) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), s);
  return frame(s, 1, {.azimuth = 20 * kDegree, .elevation = 0, .margin = 0.35});
}

std::vector<SketchScene> table_5_1() {
  return {{"elephant, drawn over", "elephant", "drawn", 0.304},
          {"cartoon man, stick figure", "toon", "stick", 0.260},
          {"cartoon man, outline", "toon", "outline", 0.373},
          {"face, black box", "face", "features", 8.922, true},
          {"dragon, icons", "dragon", "icons", 0.100},
          {"cartoon man, outline found in the view", "toon", "automatic", 0}};
}

MadeScene made(const SketchScene& scene) {
  MadeScene result;
  if (scene.abstraction == "drawn") {
    result.character = make_character(scene.member);
    result.camera = front_of(result.character);
    result.abstraction = drawn_over(result.character, result.camera, 100);
  } else {
    CastSketch own = make_cast_sketch(scene.member);
    result.camera = front_of(own.character);
    for (const CastAbstraction& each : own.abstractions)
      if (each.name == scene.abstraction) result.abstraction = sketch_abstraction(each);
    result.character = std::move(own.character);
  }
  if (scene.abstraction == "automatic")
    result.abstraction = outline(result.character, result.character.rig->rest(), result.camera);
  // The Thesis matches the dragon and the outline by nearest points, the others by length.
  if (scene.abstraction == "outline" || scene.abstraction == "icons")
    result.abstraction.correspondence = Correspondence::nearest, result.abstraction.pooled = true;
  if (scene.abstraction == "icons") thin_out(result.abstraction, 100);
  result.free = offered_controls(*result.character.rig);
  if (scene.black_box) make_black_box(result);
  return result;
}

void make_black_box(MadeScene& scene) {
  Character& character = scene.character;
  BlackBoxDescription box{.point_count = character.rig->point_count(), .noise = 0, .name = character.name};
  box.controls.assign(character.rig->controls().begin(), character.rig->controls().end());
  scene.evaluations = std::make_shared<long>(0);
  const std::shared_ptr<Workspace> workspace = character.rig->make_workspace();
  box.evaluate = [rig = character.rig, workspace, count = scene.evaluations](In p, Vec& s) {
    rig->evaluate(*workspace, p, s);
    ++*count;
  };
  character.rig = std::make_shared<BlackBoxRig>(box);
}

std::vector<std::vector<Stroke>> drawings_of(SketchPoser& poser, const Character& character, int count, bool named) {
  std::vector<std::vector<Stroke>> drawings;
  const Vec rest = character.rig->rest();
  for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(count); ++k) {
    poser.set_pose(random_sketch_pose(poser, character.rig->controls(), rest, 35 * kDegree, 40 + k));
    std::vector<Stroke> strokes = hand_drawn(poser.seen(), 0.01 * poser.view_size(), 0.0075 * poser.view_size(), k);
    for (Stroke& stroke : strokes) stroke.curve = named && !poser.abstraction().pooled ? stroke.name : "";
    drawings.push_back(std::move(strokes));
  }
  poser.set_pose(rest);
  return drawings;
}

Residuals residuals_of(const SketchPoser& poser, const Camera& camera, In p, const std::vector<Stroke>& strokes) {
  const std::unique_ptr<Rig> rig = poser.rig()->restricted(poser.points());
  Vec x;
  rig->evaluate(*rig->make_workspace(), p, x);
  const SketchAbstraction& abstraction = poser.abstraction();
  std::vector<DrawnCurve> drawn;
  std::vector<StrokePair> pairs;
  StrokePair all{.correspondence = abstraction.correspondence};
  for (std::size_t c = 0; c < abstraction.curves.size(); ++c) all.curves.push_back(static_cast<int>(c));
  for (std::size_t s = 0; s < strokes.size(); ++s) {
    drawn.push_back({resampled(strokes[s].points, strokes[s].closed, 128), strokes[s].closed});
    all.strokes.push_back(static_cast<int>(s));
    if (abstraction.pooled) continue;
    for (std::size_t c = 0; c < abstraction.curves.size(); ++c)
      if (abstraction.curves[c].name == strokes[s].name)
        for (const bool reversed : {false, true})
          pairs.push_back({.curves = {static_cast<int>(c)},
                           .strokes = {static_cast<int>(s)},
                           .correspondence = abstraction.correspondence,
                           .reversed = reversed,
                           .weight = strokes[s].length()});
  }
  if (abstraction.pooled) pairs = {all, all};
  const StrokeMatch match(static_cast<int>(x.size() / 3), camera, poser.curves(), drawn, pairs,
                          {.unit = poser.view_size(), .slide = 0.15});
  Residuals sum;
  double weight = 0;
  for (std::size_t k = 0; k + 1 < pairs.size(); k += 2) {  // either direction: whichever is nearer
    const auto least = [&](bool sliding) {
      const double ahead = match.residual(x, static_cast<int>(k), sliding);
      return std::pow(std::min(ahead, match.residual(x, static_cast<int>(k) + 1, sliding)) / poser.view_size(), 2);
    };
    sum.nearest += pairs[k].weight * least(true), sum.by_shares += pairs[k].weight * least(false);
    weight += pairs[k].weight;
  }
  return {std::sqrt(sum.nearest / weight), std::sqrt(sum.by_shares / weight)};
}

}  // namespace rigspace::bench
