#include "bench/fast_scenes.h"
#include "bench/fast_swing.h"

#include "rigspace/geometry/stuffing.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/testing/check_rig.h"
#include "support/assets.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rigspace::bench {
namespace {

/// A beam of 2 x 0.5 x 0.5 metres.
TetMesh beam() {
  TriMesh box;
  box.points.resize(24);
  for (int k = 0; k < 8; ++k) point(box.points, k) = Vec3(k & 1 ? 2 : 0, k & 2 ? 0.5 : 0, k & 4 ? 0.5 : 0);
  box.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                   {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return stuff(box, {.cell = 0.15}).mesh;
}

Vec evaluated(const Rig& rig, In p) {
  Vec s;
  rig.evaluate(*rig.make_workspace(), p, s);
  return s;
}

TEST(HandleRig, KeepsTheLawsOfRigs) {
  const HandleRig made = make_handle_rig(beam(), 4);
  EXPECT_EQ(made.rig->controls().size(), 48u);
  const auto report = testing::check_rig(*made.rig);
  EXPECT_TRUE(report.ok()) << report;
}

TEST(HandleRig, IsAtRestWithAllControlsAtZeroAndLinearInThem) {
  const TetMesh mesh = beam();
  const HandleRig made = make_handle_rig(mesh, 4);
  const Rig& rig = *made.rig;
  const Vec rest = evaluated(rig, Vec::Zero(48));
  EXPECT_LT((rest - boundary_surface(mesh).points).cwiseAbs().maxCoeff(), 1e-12);
  const Vec a = Vec::LinSpaced(48, -0.3, 0.4), b = Vec::LinSpaced(48, 0.2, -0.1).reverse();
  const Vec sum = evaluated(rig, 2 * a - b) - rest, parts = 2 * (evaluated(rig, a) - rest) - (evaluated(rig, b) - rest);
  EXPECT_LT((sum - parts).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(HandleRig, MovesAffinelyWhereAllHandlesDo) {
  // x -> M x + d about the origin is, of a handle at c: A = M - I, t = (M - I) c + d.
  const TetMesh mesh = beam();
  const HandleRig made = make_handle_rig(mesh, 4);
  Mat3 M;
  M << 1.1, 0.2, -0.1, 0.05, 0.9, 0.3, -0.2, 0.1, 1.2;
  const Vec3 d(0.3, -0.2, 0.1);
  Vec p(48);
  for (int h = 0; h < 4; ++h) {
    const Mat3 A = M - Mat3::Identity();
    const Vec3 t = A * point(mesh.points, made.nodes[h]) + d;
    for (int k = 0; k < 9; ++k) p[12 * h + k] = A(k / 3, k % 3);
    p.segment<3>(12 * h + 9) = t;
  }
  const Vec rest = boundary_surface(mesh).points, s = evaluated(*made.rig, p);
  for (int i = 0; i < made.rig->point_count(); ++i) EXPECT_LT((point(s, i) - (M * point(rest, i) + d)).norm(), 1e-12);
}

TEST(FastScenes, HaveTheControlsOfTheThesis) {
  for (const FastScene& each : {fast_scenes()[2]}) {
    const RspSetup setup = prepare(each.scene, 1);
    EXPECT_EQ(static_cast<int>(setup.free.size()), each.scene.paper.controls) << each.scene.name;
    EXPECT_EQ(setup.keys.size(), 2u);
  }
}

TEST(FastScenes, AreTestedOnMotionThatTheyAreNotTrainedOn) {
  for (const FastScene& each : fast_scenes()) {
    const Character character = fast_character(each.scene.member);
    const Animation* trained = character.clip(each.scene.clip);
    ASSERT_NE(trained, nullptr) << each.scene.name;
    ASSERT_FALSE(each.tests.empty()) << each.scene.name;
    for (const std::string_view test : each.tests) {
      const Animation* clip = character.clip(test);
      ASSERT_NE(clip, nullptr) << test;
      EXPECT_NE(test, each.scene.clip);
      Vec least = pose_at(character, clip, 0), most = least;
      for (double time = 0; time < clip->duration; time += 0.02) {
        const Vec p = pose_at(character, clip, time);
        least = least.cwiseMin(p), most = most.cwiseMax(p);
      }
      EXPECT_GT((most - least).maxCoeff(), 0.05) << test << " moves";
    }
  }
}

TEST(FastScenes, TakeWholeClipsUnlessFewerStepsAreAskedFor) {
  const FastScene& trunk = fast_scenes()[0];
  EXPECT_EQ(prepare_test(trunk, "Shake").keys.size(), 181u);
  EXPECT_EQ(prepare_test(trunk, "Shake", 5).keys.size(), 6u);
}

TEST(MotionError, IsAllOfTheSwingForAModelThatDoesNotMove) {
  const auto scenes = rsp_scenes();
  const auto bar =
      std::find_if(scenes.begin(), scenes.end(), [](const RspScene& each) { return each.name == "bar material"; });
  ASSERT_NE(bar, scenes.end());
  const RspSetup setup = prepare(*bar, 8);
  const RspRun moved = run(setup);
  const std::vector<Vec> still = unmoved(setup);
  const Apart swing = apart(setup, moved.poses, still);
  ASSERT_GT(swing.rms, 0);
  ASSERT_GE(swing.largest, swing.rms);
  const MotionError nothing = motion_error(apart(setup, still, moved.poses), swing, height_of(setup));
  EXPECT_NEAR(nothing.rms_of_swing, 100, 1e-9);
  EXPECT_NEAR(nothing.largest_of_swing, 100, 1e-9);
  EXPECT_EQ(motion_error(apart(setup, moved.poses, moved.poses), swing, 1).rms_of_swing, 0);
  EXPECT_EQ(moved.step_seconds.size(), 7u) << "of all steps but the first";
}

TEST(Neighbour, IsTheWholeFileWithOneHandleKeyed) {
  RIGSPACE_ASSET_OR_SKIP(file, "polyfem_dolphin/dolphin.msh");
  const auto setup = prepare_neighbour(4, 2);
  if (!setup) GTEST_SKIP() << neighbour_file() << " is absent";
  EXPECT_EQ(setup->body.node_count(), 8111);
  EXPECT_EQ(setup->body.mesh.tet_count(), 36304);
  EXPECT_EQ(setup->free.size(), 36u);
  EXPECT_EQ(quality(setup->body.mesh).inverted, 0);
}

}  // namespace
}  // namespace rigspace::bench
