// An inside that is known in balance under load, in a few keyed poses, and mixed between them.

#include "rigspace/body/rig_space_simulation.h"
#include "rigspace/cast/cast.h"
#include "rigspace/reduce/reduced_body.h"
#include "rigspace/rig/pose_blend.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

TEST(PoseBlend, IsExactAtItsPosesAndSumsToOneAnywhere) {
  const std::vector<Vec> poses{Vec{{0.0, 0.0, 5.0}}, Vec{{1.0, 0.0, -3.0}}, Vec{{0.0, 2.0, 0.0}}};
  const PoseBlend blend(poses, Vec{{1.0, 0.5, 0.0}});  // the third control does not deform
  Vec w;
  for (std::size_t k = 0; k < poses.size(); ++k) {
    blend.weights(poses[k], w);
    EXPECT_LT((w - Vec::Unit(3, static_cast<Eigen::Index>(k))).cwiseAbs().maxCoeff(), 1e-3);
  }
  blend.weights(Vec{{0.4, 0.7, 100.0}}, w);
  EXPECT_NEAR(w.sum(), 1, 1e-12);
  EXPECT_NEAR(w[1], 0.4, 1e-2);
  blend.weights(Vec{{1e3, -1e3, 0.0}}, w);
  EXPECT_NEAR(w.sum(), 1, 1e-9);
  EXPECT_LT(w.cwiseAbs().maxCoeff(), 1.5) << "far from all poses nothing may grow without bound";
}

TEST(PoseBlend, OfControlsThatMoveAllAsOneNothingCounts) {
  const Character sphere = make_character("sphere");
  const Vec scale = deforming_scale(*sphere.rig, {});
  const auto of = [&](const char* name) { return scale[sphere.rig->find(name)]; };
  for (const char* name : {"sphere.tx", "sphere.ty", "sphere.rz"}) EXPECT_EQ(of(name), 0) << name;
  for (const char* name : {"sphere.sx", "sphere.sy"}) EXPECT_GT(of(name), 0) << name;
}

/// A soft bar that hangs under gravity while its clip swings it.
struct HangingBar {
  Character character = make_character("bar");
  RigBody body = make_rig_body(character, {.cell = 0.1, .use_cache = true});
  const Animation* clip = character.clip("Swing");
  std::vector<int> free;
  CarrierWeights harmonic = harmonic_weights(body.mesh, body.skin);
  RigSpaceOptions options{.step = 0.01, .material = {.young = 3e5, .poisson = 0.4}, .gravity = {0, -9.81, 0}};
  std::vector<LoadedPose> loaded;

  HangingBar() {
    constexpr int kPoses = 5;
    for (const char* name : {"p1", "p2", "p3", "p4"}) free.push_back(body.rig->find(name));
    std::sort(free.begin(), free.end());
    RigSpaceSimulation simulation(body, free, options);
    for (int k = 0; k < kPoses; ++k) {
      const Summary found = simulation.settle(pose_at(character, clip, clip->duration * k / kPoses));
      EXPECT_TRUE(found.converged()) << found.reason;
      loaded.push_back({simulation.controls(), simulation.nodes()});
    }
  }

  RigSpaceOptions fast() const {
    RigSpaceOptions linear = options;
    linear.linear = true, linear.jacobian.use = JacobianUse::every_step;
    return linear;
  }

  /// Nodes over a while of the clip, a column a step, from the first balance.
  Mat swing(const RigBody& of, const RigSpaceOptions& how) const {
    RigSpaceSimulation simulation(of, free, how);
    simulation.restart(loaded[0].p, of.node_count() == body.node_count() ? loaded[0].x : of.mesh.points);
    Mat path(std::ssize(free), 40);
    for (int k = 0; k < path.cols(); ++k) {
      const RigSpaceStep step = simulation.step(pose_at(character, clip, how.step * (k + 1)));
      EXPECT_TRUE(step.converged);
      for (Eigen::Index c = 0; c < path.rows(); ++c) path(c, k) = simulation.controls()[free[c]];
    }
    return path;
  }
};

const HangingBar& hanging_bar() {
  static const HangingBar bar;
  return bar;
}

TEST(LoadedResponse, IsInBalanceWhereTheWholeBodyIs) {
  const HangingBar& bar = hanging_bar();
  const LoadedResponse response = loaded_response(bar.body, bar.free, bar.harmonic, bar.options.material, bar.loaded);
  RigSpaceSimulation with(skinned_body(bar.body, bar.harmonic, response), bar.free, bar.fast());
  RigSpaceSimulation without(skinned_body(bar.body, bar.harmonic, InteriorSkinForm::absolute), bar.free, bar.fast());
  for (const LoadedPose& pose : bar.loaded)
    EXPECT_LT(with.static_forces(pose.p).norm(), 0.05 * without.static_forces(pose.p).norm());
}

TEST(LoadedResponse, SwingsLikeTheWholeBodyWhereWeightsAloneDoNot) {
  const HangingBar& bar = hanging_bar();
  const LoadedResponse response = loaded_response(bar.body, bar.free, bar.harmonic, bar.options.material, bar.loaded);
  const Mat truth = bar.swing(bar.body, bar.options);
  const Mat stiff = bar.swing(skinned_body(bar.body, bar.harmonic, InteriorSkinForm::absolute), bar.fast());
  const Mat soft = bar.swing(skinned_body(bar.body, bar.harmonic, response), bar.fast());
  ASSERT_GT((truth.colwise() - truth.col(0)).norm(), 0.05 * truth.norm()) << "nothing swings";
  EXPECT_LT((soft - truth).norm(), 0.2 * (stiff - truth).norm());
}

TEST(LoadedResponse, FewElementsAreKeptInBalance) {
  const HangingBar& bar = hanging_bar();
  const std::span<const LoadedPose> two(bar.loaded.data(), 2);  // between which offsets and forces are straight
  const LoadedResponse response = loaded_response(bar.body, bar.free, bar.harmonic, bar.options.material, two);
  std::vector<ExamplePose> examples;
  std::vector<Vec> poses;
  for (const auto& [p, x] : two) examples.push_back({p, p, x, x}), poses.push_back(p);
  const BodyCubature cubature = train_cubature(bar.body, bar.free, bar.harmonic, examples,
                                               {.material = bar.options.material,
                                                .response = &response.C,
                                                .loaded = &response.offsets,
                                                .setting = {.tolerance = 0.2, .lowest = 0.8, .highest = 1.25}});
  EXPECT_LT(std::ssize(cubature.elements), bar.body.mesh.tet_count() / 10);
  RigBody few = sampled_body(skinned_body(bar.body, bar.harmonic, response), cubature);
  const RigBody loose = few;
  keep_balance(few, bar.free, bar.options, poses);
  RigSpaceSimulation kept(few, bar.free, bar.fast()), free(loose, bar.free, bar.fast());
  for (const Vec& p : poses) EXPECT_LT(kept.static_forces(p).norm(), 0.02 * free.static_forces(p).norm() + 1e-9);
}

}  // namespace
}  // namespace rigspace
