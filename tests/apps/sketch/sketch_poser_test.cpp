#include "rigspace/apps/sketch/sketch_poser.h"

#include "rigspace/apps/sketch/pose_by_sketch.h"
#include "rigspace/apps/sketch/recovery.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/rig/black_box.h"
#include "rigspace/rig/skeleton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace rigspace {
namespace {

/// A chain of joints along +x, one metre a bone, without a surface worth the name: a point at each joint and the end.
Character rod(int bones) {
  Character character{.name = "rod"};
  auto graph = std::make_shared<ControlGraph>();
  Vec points(3 * (bones + 1));
  SkinDescription skin;
  for (int b = 0; b < bones; ++b) {
    const int slot = add_node(*graph, {.name = "bone" + std::to_string(b),
                                       .parent_slot = b > 0 ? character.bones.back().slot : -1,
                                       .translation = Vec3(b > 0 ? 1 : 0, 0, 0)});
    character.bones.push_back({"bone" + std::to_string(b), b - 1, slot});
    Affine inverse = Affine::Identity();
    inverse(0, 3) = -b;
    skin.joint_slots.push_back(slot), skin.inverse_bind.push_back(inverse);
  }
  for (int i = 0; i <= bones; ++i) {
    point(points, i) = Vec3(i, i == 0 ? 0.02 : -0.02, i % 2 == 0 ? 0.02 : -0.02);
    skin.influences.push_back({{std::min(i, bones - 1), 1.0}});
  }
  character.rig = std::make_shared<BuiltInRig>(
      graph, points, std::vector<std::shared_ptr<const Deformer>>{make_linear_blend_skin(skin)});
  Piece piece{.name = "rod", .point_count = bones + 1};
  for (int i = 0; i + 2 <= bones; ++i) piece.triangles.push_back({i, i + 1, i + 2});
  character.pieces.push_back(piece);
  return character;
}

const Camera kFlat{.eye = Vec3(1, 0, 9), .target = Vec3(1, 0, 0), .height = 6};

SketchAbstraction rod_curve(const Character& character, int bones) {
  SketchCurve curve{.name = "rod"};
  for (int b = 0; b < bones; ++b)
    for (int k = 0; k <= 8; ++k) curve.places.push_back({{.bone = b, .rest = Vec3(b + k / 8.0, 0, 0)}});
  (void)character;
  return {.name = "stick", .curves = {curve}};
}

Stroke bent_line(std::initializer_list<Vec2> corners) {
  Stroke stroke;
  for (auto each = corners.begin(); each + 1 != corners.end(); ++each)
    for (int k = 0; k < 40; ++k) stroke.points.push_back(*each + k / 40.0 * (*(each + 1) - *each));
  stroke.points.push_back(*(corners.end() - 1));
  return stroke;
}

/// Free: bends in the plane alone.
SketchOptions in_plane(const Character& character) {
  SketchOptions options;
  for (const Control& control : character.rig->controls())
    if (control.name.ends_with(".rz")) options.controls.free.push_back(character.rig->find(control.name));
  return options;
}

TEST(SketchPoser, ALineOfTwoBonesBendsByTheAngleThatWasDrawn) {
  // Known in closed form: a bone of one metre is a third of a view unit, seen with a height of six metres.
  const Character character = rod(2);
  SketchPoser poser(character, rod_curve(character, 2), kFlat, character.rig->rest(), in_plane(character));
  const double a = 0.3, b = 0.9;
  const Vec2 from(-1 / 3.0, 0), elbow = from + Vec2(std::cos(a), std::sin(a)) / 3,
                                to = elbow + Vec2(std::cos(a + b), std::sin(a + b)) / 3;
  for (const bool reversed : {false, true}) {
    Stroke stroke = bent_line({from, elbow, to});
    if (reversed) std::reverse(stroke.points.begin(), stroke.points.end());
    const SketchReport report = poser.solve({{stroke}});
    EXPECT_NEAR(poser.controls()[character.rig->find("bone0.rz")], a, 0.01);
    EXPECT_NEAR(poser.controls()[character.rig->find("bone1.rz")], b, 0.01);
    EXPECT_EQ(report.unreached(), 0);
    EXPECT_EQ(report.strokes[0].curve, "rod");
    EXPECT_EQ(report.strokes[0].reversed, reversed);
  }
}

TEST(SketchPoser, WhatNoPoseReachesIsSaid) {
  const Character character = rod(2);
  SketchPoser poser(character, rod_curve(character, 2), kFlat, character.rig->rest(), in_plane(character));
  const SketchReport report = poser.solve({{bent_line({Vec2(-1 / 3.0, 0), Vec2(0.9, 0.8)})}});  // far too long
  EXPECT_EQ(report.unreached(), 1);
  EXPECT_GT(report.strokes[0].residual, 0.05);
}

TEST(SketchPoser, LimitsHold) {
  const Character character = rod(2);
  SketchOptions options = in_plane(character);
  SketchPoser poser(character, rod_curve(character, 2), kFlat, character.rig->rest(), options);
  const int elbow = character.rig->find("bone1.rz");
  // The forearm drawn back along the upper arm: 170 degrees, beyond the limits of bodies.
  poser.solve({{bent_line({Vec2(-1 / 3.0, 0), Vec2(0, 0), Vec2(-0.32, 0.06)})}});
  EXPECT_LE(std::abs(poser.controls()[elbow]), 100 * kDegree + 1e-12);
  EXPECT_GT(std::abs(poser.controls()[elbow]), 95 * kDegree);
}

TEST(SketchPoser, ScalesDoNotTurnLimbsInsideOut) {
  // Thesis figure 7.1: with scales free, a stroke on the other side of the joint is matched best by a negative one.
  const Character character = rod(2);
  SketchOptions options;
  for (const char* name : {"bone0.sx", "bone1.sx"}) options.controls.free.push_back(character.rig->find(name));
  std::sort(options.controls.free.begin(), options.controls.free.end());
  const Stroke behind = bent_line({Vec2(-1 / 3.0, 0), Vec2(-0.9, 0)});
  for (const bool limits : {true, false}) {
    options.controls.body_limits = options.controls.keep_limits = limits;
    SketchPoser poser(character, rod_curve(character, 2), kFlat, character.rig->rest(), options);
    Stroke stroke = behind;
    stroke.curve = "rod";
    poser.solve({{stroke}});
    const double scale = poser.controls()[character.rig->find("bone0.sx")];
    if (limits)
      EXPECT_GE(scale, 0.3 - 1e-12);
    else
      EXPECT_LT(scale, 0);  // so the test above can fail
  }
}

TEST(SketchPoser, CorrectionsByHandToOtherControlsAreKept) {
  const Character character = rod(3);
  SketchPoser poser(character, rod_curve(character, 2), kFlat, character.rig->rest());
  Vec p = character.rig->rest();
  p[character.rig->find("bone2.rz")] = 0.7;
  poser.set_pose(p);
  poser.solve({{bent_line({Vec2(-1 / 3.0, 0), Vec2(-0.1, 0.25), Vec2(0.1, 0.5)})}});
  EXPECT_EQ(poser.controls()[character.rig->find("bone2.rz")], 0.7);
}

TEST(SketchPoser, ABlackBoxIsPosedWithFewEvaluations) {
  Character character = rod(4);
  SketchAbstraction drawn{.name = "drawn", .curves = {{.name = "line"}}};
  for (int i = 0; i <= 4; ++i) drawn.curves[0].places.push_back({{.point = i}});
  BlackBoxDescription box{.point_count = character.rig->point_count(), .noise = 0};
  box.controls.assign(character.rig->controls().begin(), character.rig->controls().end());
  const std::shared_ptr<const Rig> inner = character.rig;
  box.evaluate = [inner](In p, Vec& s) { inner->evaluate(*inner->make_workspace(), p, s); };
  SketchOptions options = in_plane(character);
  options.controls.free.erase(options.controls.free.begin() + 4, options.controls.free.end());
  auto counted = std::make_shared<BlackBoxRig>(box);
  character.rig = counted;
  SketchPoser poser(character, drawn, kFlat, character.rig->rest(), options);
  const Stroke stroke =
      bent_line({Vec2(-1 / 3.0, 0), Vec2(0.2517, 0.3196), Vec2(0.6119, 0.8806)});  // 0.5 rad, then 1 rad
  const SketchReport first = poser.solve({{stroke}});
  EXPECT_LT(first.residual, 0.03);
  const long before = counted->evaluations();
  const SketchReport second = poser.solve({{stroke}});
  EXPECT_LE(first.evaluations, 100);
  EXPECT_LE(second.evaluations, 100);
  EXPECT_GE(counted->evaluations() - before, second.evaluations - 5);
}

TEST(SketchPoser, BadInputIsOneSentenceAndThePoseStays) {
  const Character character = rod(2);
  SketchPoser poser(character, rod_curve(character, 2), kFlat, character.rig->rest());
  const auto sentence = [&](const Stroke& stroke) -> std::string {
    try {
      poser.solve({{stroke}});
    } catch (const Error& error) {
      EXPECT_EQ(poser.controls(), character.rig->rest());
      return error.what();
    }
    return "nothing is wrong";
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(sentence({}), "stroke 1 has no points; draw a line");
  EXPECT_EQ(sentence({.points = {Vec2(0, 0)}}), "stroke 1 is a single point; draw a line");
  EXPECT_EQ(sentence({.points = {Vec2(0, 0), Vec2(0, 0)}}), "stroke 1 has no length; draw a line");
  EXPECT_EQ(sentence({.points = {Vec2(0, 0), Vec2(nan, 0)}, .name = "arm"}),
            "stroke \"arm\" has a point 2 that is not a finite number; give numbers");
  EXPECT_TRUE(sentence({.points = {Vec2(5, 5), Vec2(6, 5)}}).starts_with("stroke 1 lies outside the picture"));
  Stroke unknown = bent_line({Vec2(-0.3, 0), Vec2(0.3, 0.1)});
  unknown.curve = "rodd";
  EXPECT_EQ(sentence(unknown), "curve \"rodd\" is none of the abstraction's; did you mean \"rod\"?");
  EXPECT_THROW(poser.solve({}), Error);
}

TEST(SketchPoser, RefusesACameraInsideTheBodyAndAnAbstractionThatNothingMoves) {
  const Character bobbin = make_character("bobbin");
  const Vec rest = bobbin.rig->rest();
  Vec s;
  bobbin.rig->evaluate(*bobbin.rig->make_workspace(), rest, s);
  Camera inside;
  Vec u;
  const auto& rig = dynamic_cast<const BuiltInRig&>(*bobbin.rig);
  rig.evaluate_slots(*rig.make_workspace(), rest, u);
  for (const Bone& bone : bobbin.bones)
    if (bone.name == "spine_02") inside.eye = translation(transform_at(u, rig.graph().slots()[bone.slot]));
  inside.eye.z() += 0.01, inside.target = inside.eye + Vec3(0, 0, -1);
  EXPECT_THROW(SketchPoser(bobbin, stick_figure(bobbin), inside, rest), Error);

  const Character character = rod(2);
  SketchAbstraction still{.name = "still", .curves = {{.name = "line"}}};
  SketchOptions options;
  for (int k = 0; k < 3; ++k) still.curves[0].places.push_back({{.bone = 0, .rest = Vec3(0, 0, 0)}});
  // All places on the axis of the only joint that is free.
  SketchControlOptions none;
  try {
    Character fixed = character;
    fixed.bones[0].parent = 0;  // no root: its translation is not free, and rotation does not move its own head
    SketchPoser poser(fixed, still, kFlat, character.rig->rest(), options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "rod: abstraction \"still\" is moved by no control; use another abstraction, or free other controls");
  }
}

TEST(SketchPoser, RefusesAnAbstractionThatNothingMovesOnABlackBox) {
  Character character = rod(2);
  const std::shared_ptr<const Rig> rig = character.rig;
  const std::shared_ptr<Workspace> workspace = rig->make_workspace();
  BlackBoxDescription box{.point_count = rig->point_count(), .name = "rod"};
  box.controls = {rig->controls()[static_cast<std::size_t>(rig->find("bone1.rz"))]};
  box.evaluate = [&](In p, Vec& s) {
    Vec all = rig->rest();
    all[rig->find("bone1.rz")] = p[0];
    rig->evaluate(*workspace, all, s);
  };
  character.rig = std::make_shared<BlackBoxRig>(box);
  character.bones.clear();
  const auto line = [](int from, int to) {
    return SketchAbstraction{.name = "line",
                             .curves = {{.name = "line", .places = {{{.point = from}}, {{.point = to}}}}}};
  };
  EXPECT_NO_THROW(SketchPoser(character, line(1, 2), kFlat, character.rig->rest()));
  try {
    SketchPoser(character, line(0, 0), kFlat, character.rig->rest());
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "rod: abstraction \"line\" is moved by no control; use another abstraction, or free other controls");
  }
}

TEST(SketchPoser, RandomPosesAreRecoveredInAnyOrderOfStrokes) {
  const Character character = make_character("bobbin");
  const Vec rest = character.rig->rest();
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), rest, s);
  const Camera camera = frame(s, 1, {.azimuth = 20 * kDegree, .elevation = 0, .margin = 0.2});
  SketchPoser poser(character, stick_figure(character), camera, rest);
  EXPECT_EQ(poser.limits().hinges.size(), 4u);  // elbows and knees
  std::vector<double> residuals;
  for (std::uint32_t k = 0; k < 4; ++k) {
    const RecoveryOptions options{.jitter = 0.01, .seed = 20 + k, .order = k};
    const Recovery found = recover(poser, character, camera, rest, options);
    EXPECT_TRUE(found.within_limits);
    residuals.push_back(found.residual);
    if (k == 0) {
      RecoveryOptions other = options;
      other.order = 77;
      EXPECT_LT((recover(poser, character, camera, rest, other).p - found.p).cwiseAbs().maxCoeff(), 1e-6);
    }
  }
  std::sort(residuals.begin(), residuals.end());
  EXPECT_LT(residuals[residuals.size() / 2], 0.01);  // under the jitter
}

TEST(PoseBySketch, StrokesOfSeveralTimesGiveAClip) {
  Character character = rod(2);
  keep_abstraction(character, rod_curve(character, 2));
  StrokeFile drawing{.strokes = {bent_line({Vec2(-1 / 3.0, 0), Vec2(0, 0.1), Vec2(0.3, 0.2)}),
                                 bent_line({Vec2(-1 / 3.0, 0), Vec2(0, -0.1), Vec2(0.3, -0.2)})},
                     .camera = camera_json(kFlat)};
  drawing.strokes[1].time = 0.5;
  const SketchResult result = pose_by_sketch(character, drawing, character.rig->rest());
  ASSERT_EQ(result.poses.size(), 2u);
  EXPECT_EQ(result.clip.duration, 0.5);
  EXPECT_EQ(result.unreached(), 0);
  EXPECT_GT(result.poses[0].p[character.rig->find("bone0.rz")], 0.1);
  EXPECT_LT(result.poses[1].p[character.rig->find("bone0.rz")], -0.1);
}

TEST(PoseBySketch, ALineDrawnOnTheCharacterGoesWhereTheSecondOneIs) {
  const Character character = make_character("bobbin");
  const Vec rest = character.rig->rest();
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), rest, s);
  const Camera camera = sketch_camera("front", s, 1);
  SketchPoser stick(character, stick_figure(character), camera, rest);
  Stroke on;
  for (const Stroke& each : stick.seen())
    if (each.name == "clavicle_l") on = each;
  on.curve.clear(), on.name = "arm";
  on.points.resize(on.points.size() * 3 / 4);  // the sleeve, not beyond the fingers
  Stroke to = on;
  to.name = "goal";
  const Vec2 shoulder = on.points.front();
  for (Vec2& z : to.points) z = shoulder + Eigen::Rotation2Dd(-25 * kDegree) * (z - shoulder);
  on.to = 1;
  const SketchResult result = pose_by_sketch(character, {.strokes = {on, to}, .camera = "front"}, rest);
  EXPECT_EQ(result.abstraction, "drawn");
  EXPECT_LT(result.poses[0].report.residual, 0.02);
  EXPECT_GT((result.poses[0].p - rest).cwiseAbs().maxCoeff(), 0.1);
}

// A straight rod, drawn over, goes to a line of its own length that runs the other way: it turns around, where the
// other direction would leave it as it is.
TEST(PoseBySketch, ThePairOfALineRunsAsItWasDrawn) {
  const Character character = rod(2);
  SketchPoser poser(character, rod_curve(character, 2), kFlat, character.rig->rest());
  Stroke ahead = bent_line({Vec2(-0.3, 0.02), Vec2(0.3, 0.02)}), back = ahead;
  std::reverse(back.points.begin(), back.points.end());
  for (Stroke* each : {&ahead, &back}) each->curve = "rod", each->directed = true;
  EXPECT_FALSE(poser.solve(std::vector<Stroke>{ahead}).strokes[0].reversed);
  EXPECT_LT((poser.controls() - character.rig->rest()).cwiseAbs().maxCoeff(), 0.5);
  EXPECT_FALSE(poser.solve(std::vector<Stroke>{back}).strokes[0].reversed);
  EXPECT_GT((poser.controls() - character.rig->rest()).cwiseAbs().maxCoeff(), 1);
  back.directed = false;
  EXPECT_TRUE(poser.solve(std::vector<Stroke>{back}).strokes[0].reversed);
}

}  // namespace
}  // namespace rigspace
