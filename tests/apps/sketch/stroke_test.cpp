#include "rigspace/apps/sketch/stroke.h"

#include "rigspace/apps/sketch/assignment.h"
#include "rigspace/apps/sketch/automatic.h"
#include "rigspace/apps/sketch/stroke_assignment.h"
#include "rigspace/apps/sketch/stroke_file.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/rig_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <random>

namespace rigspace {
namespace {

Stroke corner(int samples) {
  Stroke stroke;
  for (int k = 0; k <= samples; ++k) {
    const double t = static_cast<double>(k) / samples;
    stroke.points.push_back(t < 0.5 ? Vec2(2 * t, 0) : Vec2(1, 2 * t - 1));
  }
  return stroke;
}

TEST(Stroke, ResamplingByLengthIsEven) {
  const auto points = resampled(corner(7).points, false, 21);
  ASSERT_EQ(points.size(), 21u);
  EXPECT_EQ(points.front(), Vec2(0, 0));
  EXPECT_EQ(points.back(), Vec2(1, 1));
  for (std::size_t k = 1; k < 8; ++k)
    EXPECT_NEAR((points[k] - points[k - 1]).norm(), (points[1] - points[0]).norm(), 1e-12);
}

TEST(Stroke, AdaptiveSamplesCrowdWhereTheLineTurns) {
  const auto near_corner = [](const std::vector<Vec2>& points) {
    return std::count_if(points.begin(), points.end(), [](const Vec2& z) { return (z - Vec2(1, 0)).norm() < 0.1; });
  };
  const Stroke stroke = corner(40);
  EXPECT_GT(near_corner(resampled_by_turning(stroke.points, false, 40, 0.5)),
            3 * near_corner(resampled(stroke.points, false, 40)));
}

TEST(Stroke, TheJitterOfAHandIsEstimatedAndSmoothedAway) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  Stroke stroke;
  const double jitter = 0.01;
  for (int k = 0; k <= 200; ++k) {
    const double t = k / 200.0;
    stroke.points.push_back(Vec2(t, 0.2 * std::sin(3 * t)) +
                            jitter / std::sqrt(2.0) * Vec2(normal(random), normal(random)));
  }
  EXPECT_NEAR(estimated_jitter(stroke), jitter, 0.25 * jitter);
  const Stroke clean = clean_stroke(stroke, {.smoothing = 2});
  double sum = 0;
  for (const Vec2& z : clean.points) sum += std::pow(z.y() - 0.2 * std::sin(3 * z.x()), 2);
  EXPECT_LT(std::sqrt(sum / static_cast<double>(clean.points.size())), 0.5 * jitter);
}

TEST(Stroke, ScribblesAreOneLine) {
  std::vector<Stroke> strokes;
  for (int k = 0; k < 3; ++k) {
    Stroke stroke = corner(60);
    for (Vec2& z : stroke.points) z += Vec2(0.005 * k, -0.006 * k);
    if (k == 1) std::reverse(stroke.points.begin(), stroke.points.end());
    strokes.push_back(stroke);
  }
  Stroke far = corner(60);
  for (Vec2& z : far.points) z += Vec2(0.5, -0.7);
  strokes.push_back(far);
  EXPECT_EQ(group_strokes(strokes, 0.04, 1).size(), 2u);
  EXPECT_EQ(group_strokes(strokes, 0.04, 4).size(), 4u);
}

TEST(Assignment, IsTheCheapestOfAll) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 5;
    Mat cost(n, n);
    for (int i = 0; i < n * n; ++i) cost.data()[i] = static_cast<double>(random() % 100);
    const std::vector<int> found = cheapest_assignment(cost);
    double sum = 0, best = 1e9;
    for (int i = 0; i < n; ++i) sum += cost(i, found[i]);
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    do {
      double each = 0;
      for (int i = 0; i < n; ++i) each += cost(i, order[i]);
      best = std::min(best, each);
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_EQ(sum, best);
  }
  EXPECT_EQ(cheapest_assignment(Mat::Constant(3, 1, 1.0)).size(), 3u);
}

TEST(Assignment, NamedStrokesWithADirectionHaveOneWay) {
  std::vector<SeenCurve> curves;
  std::vector<Stroke> strokes;
  for (int k = 0; k < 4; ++k) {
    const std::vector<Vec2> line{Vec2(0.1 * k, 0), Vec2(0.1 * k, 0.5)};
    curves.push_back({.name = std::to_string(k), .points = line, .longest = 0.5});
    strokes.push_back({.points = {line[1], line[0]}, .curve = curves.back().name, .directed = true});
  }
  strokes[2].turned = true;
  const std::vector<RankedChoices> ranked = rank_assignments(curves, strokes, 1, 16);
  ASSERT_EQ(ranked.size(), 1u);
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(ranked[0].choices[static_cast<std::size_t>(k)].curve, k);
    EXPECT_EQ(ranked[0].choices[static_cast<std::size_t>(k)].reversed, k == 2);
  }
}

TEST(StrokeFile, SvgPathsBecomeStrokes) {
  const StrokeFile file = parse_svg_strokes(
      "<svg viewBox=\"0 0 200 100\"><!-- <path d='M0 0 L 1 1'/> --><g transform=\"translate(100,50) scale(2)\">\n"
      "<path id=\"arm\" d=\"M0,0 l10-5q5 5 10 0C 25 0 30 0 30,-5z m 1 1 h4 v-4\"/></g>\n"
      "<polyline points='0,0 50,25 100,50'/><defs><path d='M0 0L9 9'/></defs></svg>",
      "x.svg");
  ASSERT_EQ(file.strokes.size(), 3u);
  EXPECT_EQ(file.aspect(), 2);
  EXPECT_EQ(file.strokes[0].name, "arm");
  EXPECT_TRUE(file.strokes[0].closed);
  EXPECT_LT(file.strokes[0].points.front().norm(), 1e-12);  // the centre of the picture
  EXPECT_LT((file.strokes[0].points[1] - Vec2(0.4, 0.2)).norm(),
            1e-12);  // twenty right, ten up, of a half height of 50
  EXPECT_LT((file.strokes[0].points.back() - Vec2(1.2, 0.2)).norm(), 1e-12);
  EXPECT_FALSE(file.strokes[1].closed);
  EXPECT_EQ(file.strokes[1].points.size(), 3u);
  EXPECT_EQ(file.strokes[2].points.front(), Vec2(-2, 1));
  EXPECT_THROW(parse_svg_strokes("<svg viewBox='0 0 9 9'><path d='M0 0 A 1 1 0 0 0 5 5'/></svg>", "x.svg"), Error);
  EXPECT_THROW(parse_svg_strokes("<html/>", "x.svg"), Error);
}

TEST(StrokeFile, WhatIsWrittenIsReadBack) {
  StrokeFile file{.strokes = {corner(9), corner(5)}, .width = 400, .height = 300, .camera = "{\"azimuth\":20}"};
  file.strokes[0].name = "arm", file.strokes[1].name = "goal", file.strokes[0].to = 1, file.strokes[1].curve = "trunk";
  const StrokeFile json = parse_strokes(to_strokes_json(file), "x.json"),
                   svg = parse_svg_strokes(to_strokes_svg(file), "x.svg");
  ASSERT_EQ(json.strokes.size(), 2u);
  EXPECT_EQ(json.strokes[0].to, 1);
  EXPECT_EQ(json.strokes[1].curve, "trunk");
  EXPECT_EQ(json.camera, file.camera);
  for (const StrokeFile* each : {&json, &svg})
    for (std::size_t k = 0; k < file.strokes[0].points.size(); ++k)
      EXPECT_LT((each->strokes[0].points[k] - file.strokes[0].points[k]).norm(), 1e-4);
  EXPECT_THROW(parse_strokes("{\"strokes\": [{\"points\": [[0, 0, 0]]}]}", "x.json"), Error);
  EXPECT_THROW(parse_strokes("{\"strokes\": [], \"width\": 3}", "x.json"), Error);
}

TEST(StickFigure, OfABipedHasATrunkAndLimbs) {
  const auto chains = stick_chains(make_character("bobbin"));
  std::vector<std::string> names;
  for (const StickChain& chain : chains) names.push_back(chain.name);
  ASSERT_FALSE(chains.empty());
  EXPECT_EQ(chains[0].name, "pelvis");
  EXPECT_EQ(chains[0].bones.size(), 6u);  // to the head
  for (const char* limb : {"thigh_l", "thigh_r", "clavicle_l", "clavicle_r", "tail_01", "ear_l_01", "ear_r_01"})
    EXPECT_TRUE(std::find(names.begin(), names.end(), limb) != names.end()) << limb;
}

TEST(LineOfAction, RunsFromTheHeadToBetweenTheFeet) {
  const Character character = make_character("bobbin");
  const SketchAbstraction line = line_of_action(character);
  ASSERT_EQ(line.curves.size(), 1u);
  const CurvePlace &first = line.curves[0].places.front(), &last = line.curves[0].places.back();
  EXPECT_EQ(first.size(), 1u);
  ASSERT_EQ(last.size(), 2u);
  EXPECT_GT(first[0].rest.y(), 4 * last[0].rest.y());
  EXPECT_NEAR(0.5 * (last[0].rest.x() + last[1].rest.x()), 0, 0.02);
}

TEST(Outline, LiesWhereTheSurfaceTurnsAwayFromTheEye) {
  const Character character = make_character("sphere");
  const Vec rest = character.rig->rest();
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), rest, s);
  const Camera camera = frame(s, 1, {.azimuth = 0, .elevation = 0});
  const SketchAbstraction seen = outline(character, rest, camera);
  const Box box = bounding_box(s);
  const double radius = 0.5 * box.size().x();
  for (const CurvePlace& place : seen.curves[0].places) {
    Vec3 x = Vec3::Zero();
    for (const PlacePart& part : place) x += part.weight * point(s, part.point);
    const Vec3 n = (x - box.center()).normalized();
    EXPECT_LT(std::abs(n.dot((x - camera.eye).normalized())), 0.12);
    EXPECT_NEAR((x - box.center()).norm(), radius, 0.05 * radius);
  }
}

TEST(Outline, IsOneClosedLineAroundACoarseBody) {
  const Character character = make_character("bar");
  const Vec rest = character.rig->rest();
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), rest, s);
  const Camera camera = frame(s, 1, {.azimuth = 0.4, .elevation = 0.3});
  const SketchCurve line = outline(character, rest, camera).curves.at(0);
  EXPECT_TRUE(line.closed);
  const ViewPlane view(camera);
  Vec2 low = Vec2::Constant(1e9), high = -low, seen_low = low, seen_high = high;
  for (int i = 0; i < static_cast<int>(s.size() / 3); ++i) {
    const Vec2 z = view.project(point(s, i));
    seen_low = seen_low.cwiseMin(z), seen_high = seen_high.cwiseMax(z);
  }
  for (const CurvePlace& place : line.places) {
    Vec3 x = Vec3::Zero();
    for (const PlacePart& part : place) x += part.weight * point(s, part.point);
    low = low.cwiseMin(view.project(x)), high = high.cwiseMax(view.project(x));
  }
  const double cells = 5 * (seen_high - seen_low).maxCoeff() / 512;  // corners lie between two places
  EXPECT_LT((low - seen_low).cwiseAbs().maxCoeff(), cells);
  EXPECT_LT((high - seen_high).cwiseAbs().maxCoeff(), cells);
}

TEST(SketchBlock, IsReadBackFromARigFile) {
  register_sketch_block();
  RiggedCharacter rigged = make_rigged_character("bar");
  SketchAbstraction made{.name = "spine", .camera = "left", .correspondence = Correspondence::nearest};
  made.curves.push_back(
      {.name = "line", .places = {{{.point = 0}}, {{.point = 1, .weight = 0.25}, {.point = 2, .weight = 0.75}}}});
  keep_abstraction(rigged.character, made);
  const auto folder = std::filesystem::temp_directory_path() / "rigspace_sketch_block";
  std::filesystem::create_directories(folder);
  write_rig_file(folder / "bar.rig.json", rigged);
  const Character read = load_rig_file(folder / "bar.rig.json");
  ASSERT_EQ(abstractions_of(read).size(), 1u);
  const SketchAbstraction& again = abstractions_of(read)[0];
  EXPECT_EQ(again.camera, "left");
  EXPECT_EQ(again.correspondence, Correspondence::nearest);
  EXPECT_EQ(again.curves[0].places[1][1].weight, 0.75);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace rigspace
