#include "rigspace/apps/physics/clip_fix.h"

#include "rigspace/apps/physics/recipe.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/skeleton.h"
#include "support/rods.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

namespace rigspace::clip_fix_test {
namespace {

Curve hermite(std::vector<double> times, std::vector<double> values, std::vector<double> slopes) {
  return {.interpolation = Interpolation::hermite,
          .times = std::move(times),
          .values = std::move(values),
          .in_tangents = slopes,
          .out_tangents = slopes};
}

/// The rod's root sways along x, and turns about z by its orientation; the loop lasts a second.
Animation sway() {
  Animation clip = testing::root_clip("root.tx", {0, 0.25, 0.5, 0.75, 1}, {0, 0.1, 0, -0.1, 0}, Interpolation::linear);
  RotationTrack turn{.node = "tail_02", .times = {0, 0.5, 1}};
  for (const double angle : {0.2, 0.6, 0.2}) turn.values.emplace_back(0, 0, std::sin(angle / 2), std::cos(angle / 2));
  clip.rotations.push_back(turn);
  return clip;
}

/// A simulated layer on rx ry rz of the rod's second joint, on a grid of 50 steps, of which the 30 frames are none.
RecipeClip made_clip(bool loop) {
  RecipeClip clip{.name = "move_soft", .base = "move", .frame_rate = 30};
  clip.loop = loop;
  clip.period = loop ? 1 : 0;
  for (int k = 0; k <= 50; ++k) clip.times.push_back(k / 50.0);
  for (const char axis : {'x', 'y', 'z'}) {
    RecipeCurve curve{.control = std::string("tail_02.r") + axis, .unit = Unit::angle};
    for (const double t : clip.times)
      curve.values.push_back((axis - 'w') * 5 * std::sin(2 * std::numbers::pi * t) + (loop ? 0 : 3 * t));
    clip.curves.push_back(std::move(curve));
  }
  return clip;
}

Animation played(const Character& rod, const RecipeClip& clip, const Animation* base) {
  return soft_clip(rod, base, layered_motion(clip, rod.rig->controls()), clip.frame_rate);
}

/// r of R = R_base exp(r) at a key, degrees.
Vec3 turn_on(const RotationTrack& base, const RotationTrack& soft, std::size_t k) {
  const Quat turn = Quat(base(soft.times[k])).conjugate() * Quat(soft.values[k]);
  const Eigen::AngleAxisd angle(turn);
  return angle.axis() * angle.angle() / kDegree;
}

const RotationTrack& rotation(const Animation& clip, const std::string& node) {
  for (const RotationTrack& track : clip.rotations)
    if (track.node == node) return track;
  throw std::runtime_error("no rotation of " + node);
}

TEST(LayeredMotion, WithoutCorrectionsIsTheSimulatedLayerToTheBit) {
  const Character rod = testing::make_rod(3);
  const Animation base = sway();
  RecipeClip clip = made_clip(true);
  const Animation plain = soft_clip(rod, &base, motion_from_recipe(clip, rod.rig->controls()), clip.frame_rate);
  clip.fix.set("root.ty", hermite({0, 1}, {0, 0}, {0, 0}));  // a correction of nothing, of another control
  for (const Animation& same : {played(rod, made_clip(true), &base), played(rod, clip, &base)}) {
    const RotationTrack &a = rotation(plain, "tail_02"), &b = rotation(same, "tail_02");
    ASSERT_EQ(a.times, b.times);
    for (std::size_t k = 0; k < a.values.size(); ++k)
      EXPECT_EQ(std::memcmp(a.values[k].data(), b.values[k].data(), sizeof(Vec4)), 0);
  }
}

TEST(LayeredMotion, IsInfluenceTimesSoftPlusFixAtEveryFrame) {
  const Character rod = testing::make_rod(3);
  const Animation base = sway();
  RecipeClip clip = made_clip(false);
  const SoftMotion soft = motion_from_recipe(clip, rod.rig->controls());
  const Animation plain = soft_clip(rod, &base, soft, clip.frame_rate);
  const Curve fix = hermite({0.2, 0.4, 0.7}, {0, 6, 0}, {0, 10, 0});
  clip.fix.influence = 0.5;
  clip.fix.set("tail_02.ry", fix);
  const Animation fixed = played(rod, clip, &base);
  const RotationTrack& keyed = rotation(base, "tail_02");
  double most = 0;
  for (std::size_t k = 0; k < rotation(fixed, "tail_02").times.size(); ++k) {
    Vec3 expected = 0.5 * turn_on(keyed, rotation(plain, "tail_02"), k);
    expected.y() += fix(rotation(fixed, "tail_02").times[k]);
    EXPECT_LT((turn_on(keyed, rotation(fixed, "tail_02"), k) - expected).norm(), 1e-9) << k;
    most = std::max(most, expected.norm());
  }
  EXPECT_GT(most, 8);
}

TEST(LayeredMotion, CorrectsWhatIsNotSimulated) {
  const Character rod = testing::make_rod(3);
  const Animation base = sway();
  RecipeClip clip = made_clip(true);
  const Curve lift = hermite({0.1, 0.5, 0.9}, {0, 0.25, 0}, {0, 0, 0}),
              turn = hermite({0, 0.5, 1}, {0, 30, 0}, {0, 0, 0});
  clip.fix.set("root.tx", lift), clip.fix.set("tail_03.rz", turn);
  const Animation fixed = played(rod, clip, &base);
  const Curve& moved = fixed.tracks.at(0).curve;
  for (std::size_t k = 0; k < moved.times.size(); ++k)
    EXPECT_NEAR(moved.values[k], base.tracks[0].curve(moved.times[k]) + lift(moved.times[k]), 1e-15);
  const RotationTrack& turned = rotation(fixed, "tail_03");
  const std::size_t middle = turned.times.size() / 2;
  EXPECT_NEAR(turned.times[middle], 0.5, 1e-12);
  EXPECT_LT((turned.values[middle] - Vec4(0, 0, std::sin(15 * kDegree), std::cos(15 * kDegree))).norm(), 1e-12);
}

TEST(LayeredMotion, MutedIsTheArtistsMotionAndTheCorrections) {
  const Character rod = testing::make_rod(3);
  const Animation base = sway();
  RecipeClip clip = made_clip(true);
  clip.fix.mute = true;
  const Animation muted = played(rod, clip, &base);
  const RotationTrack& track = rotation(muted, "tail_02");
  for (std::size_t k = 0; k < track.times.size(); ++k)
    EXPECT_EQ(track.values[k], rotation(base, "tail_02")(track.times[k]));
  clip.fix.set("tail_02.rz", hermite({0.4, 0.5, 0.6}, {0, 12, 0}, {0, 0, 0}));
  const Animation fixed = played(rod, clip, &base);
  EXPECT_NEAR(turn_on(rotation(base, "tail_02"), rotation(fixed, "tail_02"), 15).z(), 12, 1e-9);
}

TEST(LayeredMotion, ClosesCorrectionsOfALoopFromTheirStart) {
  const Character rod = testing::make_rod(3);
  const Animation base = sway();
  RecipeClip clip = made_clip(true);
  clip.fix.set("tail_02.rx", hermite({0, 0.6}, {4, -9}, {20, 0}));  // ends 13 degrees from where it begins
  clip.fix.set("tail_02.ry", hermite({0.2, 0.4, 0.6}, {0, 5, 0}, {0, 0, 0}));
  EXPECT_EQ(open_fixes(clip), std::vector<std::string>{"tail_02.rx"});
  const Animation fixed = played(rod, clip, &base);
  const RotationTrack& track = rotation(fixed, "tail_02");
  EXPECT_EQ(std::memcmp(track.values.front().data(), track.values.back().data(), sizeof(Vec4)), 0);
  // The slope too: the correction rises by 20 degrees a second on both sides of the seam. At 480 frames a second its
  // slope changes by less than half a degree a second from frame to frame.
  clip.frame_rate = 480;
  const SoftMotion with = layered_motion(clip, rod.rig->controls());
  RecipeClip without = clip;
  without.fix.set("tail_02.rx", {});
  const SoftMotion soft = layered_motion(without, rod.rig->controls());
  const Vec fix = (with.deviation - soft.deviation).row(0).transpose() / kDegree;
  const Eigen::Index last = fix.size() - 1;
  EXPECT_NEAR((fix[1] - fix[0]) * 480, 20, 0.5);
  EXPECT_NEAR((fix[last] - fix[last - 1]) * 480, 20, 0.5);
  clip.loop = false;
  EXPECT_TRUE(open_fixes(clip).empty());
}

TEST(LayeredMotion, LeavesTheTravelOfTheArtistsRootAlone) {
  const Character rod = testing::make_rod(3);
  Animation walk = sway();
  walk.tracks[0].curve.values.back() = 1.5;  // a loop that travels
  RecipeClip clip = made_clip(true);
  clip.fix.set("root.tx", hermite({0, 0.5, 1}, {0.1, 0.3, 0.1}, {0, 0, 0}));
  const Animation fixed = played(rod, clip, &walk);
  EXPECT_NEAR(fixed.tracks[0].curve.values.front(), 0.1, 1e-15);
  EXPECT_NEAR(fixed.tracks[0].curve.values.back(), 1.6, 1e-15);
}

FixFile two_clips() {
  ClipFix walk{.influence = 1.0 / 3};
  walk.set("tail_02.rx", hermite({0, 0.1, 2.0 / 3}, {std::sqrt(2), -1e-9, 3}, {0.1, -7, 1.0 / 7}));
  walk.set("Face:smile \"wide\"", hermite({0.5}, {1}, {0}));
  return {.name = "x", .clips = {{"Armature|Walk", walk}, {"Run", {.mute = true}}, {"Idle", {}}}};
}

TEST(FixFile, ComesBackToTheBit) {
  const std::string text = fix_text(two_clips());
  const FixFile read = parse_fix(text, "x");
  EXPECT_EQ(fix_text(read), text);
  ASSERT_EQ(read.clips.size(), 2u) << "a clip without corrections is left out";
  EXPECT_EQ(read.clips[0].clip, "Armature|Walk");
  EXPECT_EQ(read.clips[0].fix.influence, 1.0 / 3);
  const Curve &a = *two_clips().clips[0].fix.curve_of("tail_02.rx"), b = *read.clips[0].fix.curve_of("tail_02.rx");
  EXPECT_EQ(b.values, std::vector<double>({std::sqrt(2), -1e-9, 3}));
  EXPECT_EQ(b.out_tangents.back(), 1.0 / 7);
  EXPECT_EQ(b.times.size(), a.times.size());
  EXPECT_TRUE(read.clips[1].fix.mute);
}

TEST(FixFile, IsKeptWholeByARecipe) {
  Recipe recipe{RecipeEnvelope{.version = "0.1.0", .input = {"hero.glb", 1, "00"}, .format = ".glb"}};
  recipe.parts = {{.name = "tail", .preset = "tail", .joints = {"tail_02"}}};
  recipe.clips = {made_clip(true), made_clip(false)};
  for (RecipeClip& clip : recipe.clips) clip.parts = {{}};
  EXPECT_EQ(recipe_text(recipe).find("\"fix\""), std::string::npos);
  recipe.clips[1].fix = two_clips().clips[0].fix;
  const Recipe read = parse_recipe(recipe_text(recipe), "x");
  EXPECT_EQ(recipe_text(read), recipe_text(recipe));
  EXPECT_TRUE(read.clips[0].fix.empty());
  EXPECT_EQ(read.clips[1].fix.influence, 1.0 / 3);
  EXPECT_EQ(read.clips[1].fix.tracks.size(), 2u);
}

std::string said(const std::string& text) {
  try {
    parse_fix(text, "edits.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(FixFile, SaysWhatIsWrongAndWhere) {
  const auto file = [](const std::string& clip) {
    return "{\"kind\": \"rigspace fix\", \"schema\": 1,\n \"clips\": [{\"clip\": \"Walk\", " + clip + "}]}";
  };
  EXPECT_EQ(said(file("\"curves\": {\"a.rx\": [[0, 1], [1, 0, 2, 3]]}")), "");
  const std::pair<std::string, const char*> cases[] = {
      {"{}", "edits.json: is no file of corrections"},
      {"{\"kind\": \"rigspace curves\", \"schema\": 1}", "is no file of corrections"},
      {"{\"kind\": \"rigspace fix\", \"schema\": 2, \"clips\": []}", "schema is 2"},
      {file("\"influence\": 1.5"), "edits.json:2: clips[0].influence is 1.5"},
      {file("\"influense\": 1"), "influence"},
      {file("\"mute\": 1"), "clips[0].mute"},
      {file("\"curves\": {\"a.rx\": []}"), "has no key"},
      {file("\"curves\": {\"a.rx\": [[0, 1, 2]]}"), "is no key"},
      {file("\"curves\": {\"a.rx\": [[1, 1], [1, 2]]}"), "is not later than the key before it"},
      {file("\"curves\": {\"a.rx\": [[0, \"x\"]]}"), "clips[0].curves.a.rx[0]"},
  };
  for (const auto& [text, words] : cases) EXPECT_NE(said(text).find(words), std::string::npos) << said(text);
}

TEST(FixFile, MeansClipsAsTheyAreNamedEverywhere) {
  const std::vector<std::string> here{"Armature|Run", "Armature|Walk"}, others{"Idle"};
  FixFile file{.name = "edits.json", .clips = {{"Walk", {.influence = 0.5}}, {"Idle", {.mute = true}}}};
  EXPECT_EQ(fixes_of(file, here, others)[0].influence, 1);
  EXPECT_EQ(fixes_of(file, here, others)[1].influence, 0.5);
  EXPECT_THROW(fixes_of(file, here), Error) << "nobody has Idle";
  file.clips[1].clip = "*";
  EXPECT_THROW(fixes_of(file, here, others), Error) << "Walk has corrections twice";
  file.clips[1].clip = "Wakl";
  try {
    fixes_of(file, here, others);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("edits.json: clip \"Wakl\" is not in the character"), std::string::npos)
        << error.what();
  }
}

TEST(FixFile, IsCheckedAgainstTheCharacter) {
  const Character rod = testing::make_rod(3);
  const FixPlace place{.file = "edits.json", .clip = "move", .duration = 1, .frame_rate = 30};
  const auto sentence = [&](const std::string& control, const Curve& curve) -> std::string {
    ClipFix fix;
    fix.set(control, curve);
    try {
      check_fix(fix, rod.rig->controls(), place);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const Curve good = hermite({0, 1 + 1.0 / 30}, {0, 0}, {0, 0});
  EXPECT_EQ(sentence("tail_02.rx", good), "");
  EXPECT_EQ(sentence("tail_2.rx", good),
            "edits.json: fix of clip \"move\": control \"tail_2.rx\" does not exist; did you mean \"tail_02.rx\" or "
            "\"tail_01.rx\" or \"tail_02.tx\"?");
  EXPECT_NE(sentence("tail_02.qx", good).find("tail_02.rx, .ry and .rz"), std::string::npos);
  EXPECT_NE(sentence("tail_02.rx", hermite({0, 3}, {0, 0}, {0, 0})).find("has a key at 3 s; the clip is from 0 to 1 s"),
            std::string::npos);
}

}  // namespace
}  // namespace rigspace::clip_fix_test
