// Bodies with controls as their only unknowns: carried interiors, their response, and few elements.

#include "rigspace/reduce/reduced_body.h"

#include "rigspace/body/interior_response.h"
#include "rigspace/body/rig_space_simulation.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace rigspace {
namespace {

struct DroopingBar {
  Character character = make_character("bar");
  RigBody body = make_rig_body(character, {.cell = 0.1, .use_cache = true});
  std::vector<int> free;
  CarrierWeights harmonic = harmonic_weights(body.mesh, body.skin);
  Material material{.young = 2e6, .poisson = 0.4};

  DroopingBar() {
    for (const char* name : {"p1", "p2", "p3", "p4"}) free.push_back(body.rig->find(name));
    std::sort(free.begin(), free.end());
  }

  /// Droop under gravity, scene units, at the balance that the body finds.
  double droop(const RigBody& of, bool linear, Interior interior = Interior::dynamic) const {
    RigSpaceSimulation simulation(
        of, free, {.material = material, .gravity = {0, -9.81, 0}, .interior = interior, .linear = linear});
    EXPECT_TRUE(simulation.settle(of.rig->rest()).converged());
    return (simulation.nodes() - of.mesh.points).cwiseAbs().maxCoeff();
  }
};

TEST(SkinnedBody, AtRestIsWhereItsTiesCarryIt) {
  const DroopingBar bar;
  for (const InteriorSkinForm form : {InteriorSkinForm::absolute, InteriorSkinForm::keyed}) {
    const RigBody skinned = skinned_body(bar.body, bar.harmonic, form);
    Vec s, x;
    skinned.rig->evaluate(*skinned.rig->make_workspace(), skinned.rig->rest(), s);
    skinned.ties.apply(s, x);
    EXPECT_LT((x - skinned.mesh.points).norm(), 1e-9);
    EXPECT_GT(volumes(skinned.mesh).minCoeff(), 0);
    EXPECT_NEAR(skinned.volumes.sum(), volumes(bar.body.mesh).sum(), 1e-12);
  }
}

TEST(InteriorResponse, GivesTheStiffnessOfAnInsideInBalance) {
  // Guyan's reduction: at rest the reduced stiffness is that of the body whose inside gives way, so that small droops
  // agree; carried by weights alone the inside is stiffer.
  const DroopingBar bar;
  const double truth = bar.droop(bar.body, false, Interior::still);
  const RigBody stiff = skinned_body(bar.body, bar.harmonic, InteriorSkinForm::absolute);
  const RigBody soft =
      skinned_body(bar.body, bar.harmonic, InteriorSkinForm::absolute,
                   interior_response(bar.body, bar.free, bar.harmonic, bar.material, {}, InsideMotion::balanced, 1e-6));
  EXPECT_LT(bar.droop(stiff, true), 0.9 * truth);
  EXPECT_NEAR(bar.droop(soft, true) / truth, 1, 0.1);  // masses hang elsewhere: on the skin there, inside here
}

TEST(InteriorResponse, OfTheSkinIsNothing) {
  const DroopingBar bar;
  const BlockJacobian C = interior_response(bar.body, bar.free, bar.harmonic, bar.material);
  ASSERT_EQ(C.points(), bar.body.node_count());
  int moved = 0;
  for (int i = 0; i < bar.body.node_count(); ++i) {
    const int entries = C.start[i + 1] - C.start[i];
    if (bar.body.skin[i]) {
      EXPECT_EQ(entries, 0);
    }
    moved += entries > 0;
  }
  EXPECT_GT(moved, (bar.body.node_count() - bar.body.skin_count()) / 2);
}

TEST(InteriorResponse, SwingsAsAnInsideWithMassDoes) {
  const DroopingBar bar;
  const std::vector<int>& free = bar.free;
  const auto path = [&](const RigBody& body, bool linear) {
    RigSpaceSimulation simulation(body, free,
                                  {.step = 0.01, .material = bar.material, .gravity = {0, -0.5, 0}, .linear = linear});
    simulation.restart(body.rig->rest());
    Mat p(std::ssize(free), 60);
    for (Eigen::Index k = 0; k < p.cols(); ++k) {
      EXPECT_TRUE(simulation.step(body.rig->rest()).converged);
      for (Eigen::Index c = 0; c < p.rows(); ++c) p(c, k) = simulation.controls()[free[static_cast<std::size_t>(c)]];
    }
    return p;
  };
  const auto reduced = [&](InsideMotion motion) {
    return path(skinned_body(bar.body, bar.harmonic, InteriorSkinForm::absolute,
                             interior_response(bar.body, free, bar.harmonic, bar.material, {}, motion, 1e-6)),
                true);
  };
  const Mat truth = path(bar.body, false);
  const double balanced = (reduced(InsideMotion::balanced) - truth).norm() / truth.norm();
  const double swinging = (reduced(InsideMotion::swinging) - truth).norm() / truth.norm();
  RecordProperty("balanced", std::to_string(balanced)), RecordProperty("swinging", std::to_string(swinging));
  EXPECT_LT(swinging, 0.8 * balanced);  // 0.00125 and 0.00168; most of it is not the inside here
}

TEST(SampledBody, OfAllElementsIsTheBodyItself) {
  const DroopingBar bar;
  const RigBody skinned = skinned_body(bar.body, bar.harmonic, InteriorSkinForm::absolute);
  BodyCubature all;
  for (int i = 0; i < skinned.node_count(); ++i) {
    all.nodes.push_back(i);
    all.masses.push_back({i, skinned.volumes[i]});
  }
  for (int e = 0; e < skinned.mesh.tet_count(); ++e) all.elements.push_back({e, 1.0});
  const RigBody sampled = sampled_body(skinned, all);
  EXPECT_NEAR(bar.droop(sampled, true), bar.droop(skinned, true), 1e-9);
}

TEST(FewElements, FallAndSwingLikeAll) {
  const DroopingBar bar;
  const std::vector<Vec> poses{bar.body.rig->rest()};
  const auto examples =
      shake(bar.body, bar.free, poses, {.material = bar.material, .rest_follows = false, .probes = true});
  const SkinnedInterior interior = skin_interior(bar.body, examples, {.form = InteriorSkinForm::absolute});
  const BlockJacobian response = interior_response(bar.body, bar.free, interior.weights, bar.material);
  const RigBody skinned = skinned_body(bar.body, interior.weights, InteriorSkinForm::absolute, response);
  const BodyCubature cubature =
      train_cubature(bar.body, bar.free, interior.weights, examples,
                     {.material = bar.material, .response = &response, .rest_follows = false});
  ASSERT_TRUE(cubature.reached);
  EXPECT_LT(std::ssize(cubature.elements), bar.body.mesh.tet_count() / 4);
  const RigBody few = sampled_body(skinned, cubature);
  const auto swing = [&](const RigBody& body, bool linear) {
    RigSpaceSimulation simulation(body, bar.free,
                                  {.step = 0.01, .material = bar.material, .gravity = {0, -9.81, 0}, .linear = linear});
    simulation.restart(body.rig->rest());
    Mat path(4, 40);
    for (int k = 0; k < 40; ++k) {
      EXPECT_TRUE(simulation.step(body.rig->rest()).converged);
      for (int c = 0; c < 4; ++c) path(c, k) = simulation.controls()[bar.free[c]];
    }
    return path;
  };
  const Mat truth = swing(bar.body, false), fast = swing(few, true);
  ASSERT_GT(truth.cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((fast - truth).norm(), 0.1 * truth.norm());
}

}  // namespace
}  // namespace rigspace
