#include "rigspace/parts/sheet.h"
#include "rigspace/apps/physics/recipe.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/apps/physics/soft_form.h"
#include "rigspace/base/error.h"
#include "rigspace/io/gltf.h"
#include "support/caped_box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace::sheet_test {
namespace {

using testing::CapedBox;
using testing::CapedBoxOptions;

Vec skin_at(const Character& character, const Vec& p) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), p, s);
  return s;
}

TEST(SheetJoints, HangOnEachOtherInColumnsAndLeaveTheMutedSkin) {
  for (const bool skinned : {false, true}) {
    CapedBox box({.skinned = skinned});
    const Character character = box.make();
    const Softened soft = soften(character, find_parts(character));
    ASSERT_EQ(soft.parts.size(), 1u);
    const Part& cape = soft.parts[0];
    EXPECT_EQ(cape.columns, 2);
    ASSERT_EQ(cape.joints.size(), 8u);
    EXPECT_LE(soft.joints.joints.size(), 24u);
    for (std::size_t k = 0; k < cape.joints.size(); ++k) {
      const int parent = soft.character.bones[cape.joints[k]].parent;
      EXPECT_EQ(parent, k % 4 == 0 ? cape.bones[0] : cape.joints[k - 1]);
    }
    EXPECT_LT(muted_change(character, soft.character, character.clips), 1e-12);
  }
}

TEST(SheetJoints, TheTopStaysAndTheHemMovesMost) {
  CapedBox box;
  const Character character = box.make();
  const Softened soft = soften(character, find_parts(character));
  const Vec rest = skin_at(soft.character, soft.character.rig->rest());
  Vec p = soft.character.rig->rest();
  for (const int joint : soft.parts[0].joints)
    p[soft.character.rig->find(soft.character.bones[joint].name + ".rx")] = 0.1;
  const Vec turned = skin_at(soft.character, p);
  const auto way = [&](int k) {
    const int i = box.cape_points()[static_cast<std::size_t>(k)];
    return (turned - rest).segment<3>(3 * i).norm();
  };
  EXPECT_LT(way(2), 1e-12);
  double before = 0;
  for (int row = 1; row < testing::kCapeDown; ++row) {
    EXPECT_GT(way(row * testing::kCapeAcross + 2), before);
    before = way(row * testing::kCapeAcross + 2);
  }
  EXPECT_GT(before, 0.1);
  for (int i = 0; i < soft.character.rig->point_count(); ++i) {
    if (std::binary_search(box.cape_points().begin(), box.cape_points().end(), i)) continue;
    EXPECT_EQ((turned - rest).segment<3>(3 * i).norm(), 0) << "point " << i << " is no cape";
  }
}

/// The farthest that a point of the cape swings, in degrees seen from the top; and how deep one gets into the body's
/// back, m.
std::pair<double, double> swing_and_depth(const CapedBox& box, const Softened& soft, const SoftMotion& motion) {
  const Animation* clip = soft.character.clip("Walk");
  double farthest = 0, deepest = 0;
  for (std::size_t k = 0; k < motion.times.size(); ++k) {
    Vec p = pose_at(soft.character, clip, motion.times[k]);
    const Vec key = skin_at(soft.character, p);
    for (std::size_t c = 0; c < motion.controls.size(); ++c)
      p[motion.controls[c]] += motion.deviation(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(k));
    const Vec moved = skin_at(soft.character, p);
    const double hips = p[soft.character.rig->find("hips.tz")];
    for (const int i : box.cape_points()) {
      const Vec3 x = moved.segment<3>(3 * i), x_key = key.segment<3>(3 * i);
      farthest = std::max(farthest, (x - x_key).norm());
      const double back = hips + testing::kBoxBack;  // the chest leans by 2 degrees about its joint
      if (x.y() < 1.0) deepest = std::max(deepest, std::min(x.z(), x.z() - x_key.z() + back) - back);
    }
  }
  return {2 * std::asin(farthest / 2 / 0.85) * 180 / std::numbers::pi, deepest};
}

TEST(SheetJoints, ACapeSwingsAndDoesNotEnterTheBody) {
  CapedBox box;
  const Character character = box.make();
  const Softened soft = soften(character, find_parts(character));
  const SoftMotion motion = simulate_parts(soft.character, soft.character.clip("Walk"), soft.parts);
  EXPECT_TRUE(motion.looped);
  EXPECT_EQ(motion.failed_steps, 0);
  const auto [swing, depth] = swing_and_depth(box, soft, motion);
  EXPECT_GT(swing, 4);
  EXPECT_LT(swing, 35);
  EXPECT_LT(depth, 0.005 * 1.75);  // the rule: 0.5 % of the height
}

TEST(SheetJoints, AStillCapeStaysWhereItIs) {
  const Character character = CapedBox({.stride = 0}).make();
  Character still = character;
  still.clips[0].tracks.pop_back();  // the lean
  const Softened soft = soften(still, find_parts(still));
  const SoftMotion motion = simulate_parts(soft.character, soft.character.clip("Walk"), soft.parts);
  EXPECT_LT(motion.deviation.cwiseAbs().maxCoeff(), 1e-9);
}

TEST(SheetJoints, AreWrittenAsASkinThatOtherProgramsRead) {
  CapedBox box;
  GltfFile file(to_glb(box.make()), "box.glb");
  const Character& character = file.character();
  const Softened soft = soften(character, find_parts(character));
  ASSERT_EQ(soft.joints.joints.size(), 8u);
  file.add_soft_joints(soft.joints, 4);
  const Character read = load_gltf(file.to_glb(), "soft.glb");
  ASSERT_EQ(read.rig->point_count(), character.rig->point_count());
  for (const double turn : {0.0, 0.3}) {
    Vec p = soft.character.rig->rest(), q = read.rig->rest();
    for (const int joint : soft.parts[0].joints) {
      const std::string control = soft.character.bones[joint].name + ".rx";
      p[soft.character.rig->find(control)] = q[read.rig->find(control)] = turn;
    }
    EXPECT_LT((skin_at(read, q) - skin_at(soft.character, p)).lpNorm<Eigen::Infinity>(), 1e-6);
  }
}

TEST(SheetJoints, NeedJointsNotShapes) {
  const Character character = CapedBox().make();
  std::vector<Part> parts = find_parts(character);
  const Softened left = soften_as(SoftForm::morphs, character, parts, {});
  EXPECT_TRUE(left.parts.empty());
  ASSERT_EQ(left.notes.size(), 1u);
  EXPECT_NE(left.notes[0].find("needs joints"), std::string::npos);
  parts[0].found = false;
  EXPECT_THROW(soften_as(SoftForm::morphs, character, parts, {}), Error);
}

TEST(SheetJoints, ARecipeNamesTheMeshAndItsVertices) {
  CapedBox box({.skinned = true});
  const Character character = box.make();
  const std::vector<Part> parts = find_parts(character);
  const std::vector<RecipePart> kept = recipe_parts(character, parts);
  ASSERT_EQ(kept.size(), 1u);
  ASSERT_EQ(kept[0].sheet.size(), 1u);
  EXPECT_EQ(kept[0].sheet[0].mesh, "Body");
  EXPECT_EQ(kept[0].sheet[0].to - kept[0].sheet[0].from, 44);
  EXPECT_EQ(parts_from_recipe(character, kept)[0].points, box.cape_points());
  std::vector<RecipePart> wrong = kept;
  wrong[0].sheet[0].to = 1 << 20;
  EXPECT_THROW(parts_from_recipe(character, wrong), Error);
}

}  // namespace
}  // namespace rigspace::sheet_test
