#include "rigspace/apps/physics/editable_keys.h"

#include "rigspace/anim/key_fitting.h"
#include "rigspace/base/error.h"
#include "support/rods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rigspace::editable_keys_test {
namespace {

/// A rod of four joints whose root sways, simulated: a loop of a second, or a clip that plays once.
struct Swaying {
  Character rod = testing::make_rod(4);
  Animation clip;
  Recipe recipe;
  std::vector<std::string> controls;

  explicit Swaying(bool loop) {
    clip = testing::root_clip("root.tx", {0, 0.25, 0.5, 0.75, 1}, {0, 0.1, 0, -0.1, loop ? 0 : 0.3},
                              Interpolation::catmull_rom);
    if (loop) clip.tracks[0].curve.before = clip.tracks[0].curve.after = Extrapolation::cycle;
    std::vector<Part> parts = parts_from_pattern(rod, "tail*=tail");
    parts[0].settings.rate = 2.5;
    recipe.parts = recipe_parts(rod, parts);
    RecipeClip made{.name = "move_soft", .base = "move", .frame_rate = 60};
    set_motion(made, rod.rig->controls(), simulate_parts(rod, &clip, parts));
    EXPECT_EQ(made.loop, loop);
    for (const RecipeCurve& curve : made.curves) controls.push_back(curve.control);
    recipe.clips = {made};
  }
  const RecipeClip& made() const { return recipe.clips[0]; }
  Animation played(const RecipeClip& layers) const {
    return soft_clip(rod, &clip, layered_motion(layers, rod.rig->controls()), layers.frame_rate);
  }
};

std::size_t count(const std::vector<Track>& tracks) {
  std::size_t keys = 0;
  for (const Track& track : tracks) keys += track.curve.times.size();
  return keys;
}

TEST(EditableKeys, StayWithinTheToleranceOnTheSkin) {
  for (const bool loop : {true, false}) {
    const Swaying world(loop);
    const EditableKeys editable(world.rod, world.recipe);
    for (const double tolerance : {3e-4, 1e-3, 1e-2}) {
      // The layer muted, and its keys in its place.
      RecipeClip keyed = world.made();
      keyed.fix.mute = true;
      keyed.fix.tracks = editable.keys(world.made(), world.controls, tolerance);
      const Animation fitted = world.played(keyed), soft = world.played(world.made());
      const SurfaceError error = surface_error(*world.rod.rig, soft, fitted, soft.rotations[0].times);
      EXPECT_LE(error.distance, tolerance * editable.height()) << tolerance;
      EXPECT_GT(error.distance, 0.05 * tolerance * editable.height()) << "far fewer keys would do";
    }
  }
}

TEST(EditableKeys, AreFewerWithALargerTolerance) {
  const Swaying world(true);
  const EditableKeys editable(world.rod, world.recipe);
  std::size_t before = world.controls.size() * 61;
  for (const double tolerance : {1e-4, 1e-3, 1e-2, 0.1}) {
    const std::size_t keys = count(editable.keys(world.made(), world.controls, tolerance));
    EXPECT_LT(keys, before) << tolerance;
    before = keys;
  }
  EXPECT_THROW(editable.keys(world.made(), world.controls, 0), Error);
}

TEST(EditableKeys, DoNotDependOnWhichOthersAreAskedFor) {
  const Swaying world(true);
  const EditableKeys editable(world.rod, world.recipe);
  const std::vector<Track> all = editable.keys(world.made(), world.controls, 1e-3);
  const std::vector<Track> one = editable.keys(world.made(), std::vector{world.controls[5]}, 1e-3);
  EXPECT_EQ(one[0].curve.times, all[5].curve.times);
  EXPECT_EQ(one[0].curve.values, all[5].curve.values);
  // What no part moves has keys to begin with.
  const std::vector<Track> other = editable.keys(world.made(), std::vector<std::string>{"root.ty"}, 1e-3);
  EXPECT_EQ(other[0].curve.values, (std::vector<double>{0, 0}));
}

TEST(EditableKeys, OfALoopEndAsTheyBegin) {
  Swaying world(true);
  const EditableKeys editable(world.rod, world.recipe);
  RecipeClip shorter = world.made();  // a clip that leaves its closing frame out
  shorter.period += 1.0 / 60;
  for (const RecipeClip& clip : {world.made(), shorter})
    for (const Track& track : editable.keys(clip, world.controls, 1e-3)) {
      EXPECT_EQ(track.curve.times.front(), 0);
      EXPECT_NEAR(track.curve.times.back(), clip.period, 1e-12);
      EXPECT_EQ(track.curve.values.front(), track.curve.values.back());
      EXPECT_NEAR(track.curve.out_tangents.front(), track.curve.in_tangents.back(), 1e-9);
    }
}

TEST(EditableKeys, AnEditChangesTheClipOnlyBetweenTheNeighboursOfItsKey) {
  const Swaying world(true);
  const EditableKeys editable(world.rod, world.recipe);
  const std::string control = "tail_02.rz";
  const Curve keys = editable.keys(world.made(), std::vector{control}, 1e-3)[0].curve;
  ASSERT_GT(keys.times.size(), 4u);
  Curve edited = keys;
  edited.values[2] += 9;
  RecipeClip fixed = world.made();
  fixed.fix.set(control, fix_from_edit(fixed, keys, edited));
  const SoftMotion before = layered_motion(world.made(), world.rod.rig->controls());
  const SoftMotion after = layered_motion(fixed, world.rod.rig->controls());
  const auto row = std::find(after.controls.begin(), after.controls.end(), world.rod.rig->find(control));
  const Eigen::Index r = row - after.controls.begin();
  for (std::size_t t = 0; t < after.times.size(); ++t) {
    const auto at = std::lower_bound(before.times.begin(), before.times.end(), after.times[t] - 1e-9);
    ASSERT_NEAR(*at, after.times[t], 1e-9);  // the frames are moments of the physics' grid here
    const Vec change =
        after.deviation.col(static_cast<Eigen::Index>(t)) - before.deviation.col(at - before.times.begin());
    const bool inside = after.times[t] > keys.times[1] + 1e-9 && after.times[t] < keys.times[3] - 1e-9;
    for (Eigen::Index c = 0; c < change.size(); ++c)
      if (c != r || !inside) {
        EXPECT_LT(std::abs(change[c]), 1e-12) << after.times[t];
      }
    if (std::abs(after.times[t] - keys.times[2]) < 1e-9) {
      EXPECT_NEAR(change[r], 9 * kDegree, 1e-12);
    }
  }
}

TEST(EditableKeys, ShowAgainWhatWasEdited) {
  const Swaying world(true);
  const EditableKeys editable(world.rod, world.recipe);
  const Curve keys = editable.keys(world.made(), std::vector<std::string>{"tail_01.rz"}, 1e-3)[0].curve;
  Curve edited = keys;
  edited.values[1] -= 4, edited.out_tangents[1] += 30;
  const Curve fix = fix_from_edit(world.made(), keys, edited);
  const Curve shown = edited_keys(keys, &fix);
  ASSERT_EQ(shown.times.size(), edited.times.size());
  for (std::size_t k = 0; k < shown.times.size(); ++k) {
    EXPECT_NEAR(shown.values[k], edited.values[k], 1e-12);
    EXPECT_NEAR(shown.out_tangents[k], edited.out_tangents[k], 1e-10);
  }
  EXPECT_EQ(edited_keys(keys, nullptr).values, keys.values);
}

}  // namespace
}  // namespace rigspace::editable_keys_test
