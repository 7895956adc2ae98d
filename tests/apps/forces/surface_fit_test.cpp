// Forces from sculpts (PBR 4.3), files of force rigs, and played clips.

#include "rigspace/apps/forces/surface_fit.h"
#include "rigspace/apps/forces/force_motion.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/gltf.h"
#include "rigspace/io/rig_file.h"
#include "rigspace/testing/check_rig.h"

#include "arm_body.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

using testing::arm_body;

PosedLattice& posed(const ForceRig& rig, In p, PosedLattice& lattice) {
  std::vector<Affine> C;
  rig.joints_at(p, C);
  lattice.set_pose(C);
  return lattice;
}

TEST(SurfaceFit, TakesMostOfTheWayToASculptAndItsForcesGiveThatShape) {
  const auto body = arm_body(200);
  const ForceRig rig(body, {});
  PosedLattice lattice(*body);
  posed(rig, testing::curled(rig, 60), lattice);
  const SurfaceFit fit = fit_surface(lattice, testing::flexed_arm(60));
  EXPECT_LT(fit.after, 0.2 * fit.before) << "the paper's bar: 80 % less";
  EXPECT_GT(fit.before, 0.002);
  Vec y;
  lattice.shape_of(fit.Q, y);
  EXPECT_LT((y - fit.y).norm(), 1e-9 * y.norm());

  // As a rig on the elbow: the sculpt at 60 degrees, nothing at rest.
  const ForceRig fitted(body, {rig_of_fit("flex", "forearm.rx", 0, 60 * kDegree, fit.Q)});
  Vec s;
  fitted.evaluate(*fitted.make_workspace(), fitted.rest(), s);
  EXPECT_LT((s - body->points_rest).norm(), 1e-9);
  fitted.evaluate(*fitted.make_workspace(), testing::curled(fitted, 60), s);
  EXPECT_NEAR((s - testing::flexed_arm(60).points).norm() / std::sqrt(body->surface.count()), fit.after, 1e-6);
}

TEST(SurfaceFit, MatchesNearestPlacesOfAnotherMesh) {
  const auto body = arm_body();
  const ForceRig rig(body, {});
  PosedLattice lattice(*body);
  posed(rig, rig.rest(), lattice);
  TriMesh target = testing::flexed_arm(0);
  target.triangles.resize(target.triangles.size() / 2 * 2 - 20);  // with a hole
  const SurfaceFit fit = fit_surface(lattice, target, {.correspond = false, .rounds = 8});
  EXPECT_LT(fit.after, 0.5 * fit.before);
}

TEST(SurfaceFit, IsNotPulledToTheRimsOfHoles) {
  const auto body = arm_body(20);
  const ForceRig rig(body, {});
  PosedLattice lattice(*body);
  posed(rig, rig.rest(), lattice);
  TriMesh target = testing::flexed_arm(0, 20);
  const auto is_inside = [&](int i) { return std::abs(target.points[3 * i] - 0.4) < 0.03; };
  std::erase_if(target.triangles, [&](const Triangle& t) { return is_inside(t[0]) || is_inside(t[1]); });
  const SurfaceFit fit = fit_surface(lattice, target, {.correspond = false});
  EXPECT_GT(fit.left_out, 50);
  EXPECT_LT(fit.after, 0.3 * fit.before);  // 0.54 where points over the hole go to its rims
}

TEST(SurfaceFit, RefusesTargetsThatCannotBeMatched) {
  const auto body = arm_body(20);
  const ForceRig rig(body, {});
  PosedLattice lattice(*body);
  posed(rig, rig.rest(), lattice);
  const TriMesh other{Vec::Zero(12), {{0, 1, 2}}};
  try {
    fit_surface(lattice, other);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("target has 4 points"), std::string::npos) << error.what();
  }
  EXPECT_THROW(fit_surface(lattice, {Vec::Zero(12), {}}, {.correspond = false}), Error);
  TriMesh far{Vec::Zero(9), {{0, 1, 2}}};  // its border is all that is near
  far.points << 5, 5, 5, 5.1, 5, 5, 5, 5.1, 5;
  EXPECT_THROW(fit_surface(lattice, far, {.correspond = false}), Error);
  EXPECT_THROW(fit_surface(lattice, {Vec::Constant(12, NAN), {}}), Error);
}

TEST(PoseFit, FindsThePoseOfFeatures) {
  const auto body = arm_body(20);
  const ForceRig rig(body, {});
  Vec p = testing::curled(rig, 55), s;
  p[rig.find("hand.rx")] = 0.2;
  rig.evaluate(*rig.make_workspace(), p, s);
  std::vector<DragTarget> features;
  for (int i = 0; i < rig.point_count(); i += rig.point_count() / 12) features.push_back({i, point(s, i)});
  const std::vector<int> free{std::min(rig.find("forearm.rx"), rig.find("hand.rx")),
                              std::max(rig.find("forearm.rx"), rig.find("hand.rx"))};
  const PoseFit fit = fit_pose(rig, features, rig.rest(), free);
  EXPECT_LT(fit.after, 1e-3 * fit.before) << describe(fit.summary);
  EXPECT_NEAR(fit.p[rig.find("forearm.rx")], 55 * kDegree, 1e-2);
}

TEST(PoseAndForceFit, LeavesTheBendOfTheSkeletonToTheSkeleton) {
  const auto body = arm_body(20);
  const ForceRig rig(body, {});
  const TriMesh target = testing::flexed_arm(60, 20);  // bent by 60 degrees, with its biceps flexed
  const std::vector<int> free{rig.find("forearm.rx")};
  std::vector<DragTarget> features;  // the two stages: a pose by points of the upper arm and the elbow, then forces
  for (int i = 0; i < rig.point_count(); i += 40)
    if (const double x = body->points_rest[3 * i]; x > 0.1 && x < 0.32)
      features.push_back({i, point(target.points, i)});
  const PoseFit pose = fit_pose(rig, features, rig.rest(), free);
  PosedLattice lattice(*body);
  posed(rig, pose.p, lattice);
  const SurfaceFit two_stages = fit_surface(lattice, target);
  const PoseAndForceFit together = fit_pose_and_forces(rig, target, pose.p, free);
  const auto off = [&](const Vec& p) { return std::abs(p[free[0]] / kDegree - 60); };
  EXPECT_LT(off(together.p), 0.5 * off(pose.p));
  EXPECT_LT(together.fit.cost, two_stages.cost);
}

class ForcesFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() / "rigspace_forces_test";
    std::filesystem::create_directories(folder);
    write_file(folder / "arm.glb", to_glb(testing::arm()));
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::filesystem::path folder;
};

constexpr const char* kRig = R"({
  "rigspace_rig": 1, "kind": "forces", "mesh": "arm.glb",
  "lattice": {"cells": 20},  // few
  "rigs": [
    {"name": "biceps", "control": "forearm.rx", "template": "bulge", "bone": "upper_arm",
     "parameters": {"radius": 0.06, "out": 0.02},
     "samples": [{"at": 0, "strength": 0}, {"at": 90, "strength": 1.5, "spin": 20}]},
    {"name": "swell", "template": "bump", "skin": [0.4, 0.5, 0], "parameters": {"radius": 0.04}}
  ]
})";

TEST_F(ForcesFiles, AreRigsThatComeBackAsTheyWereWritten) {
  const ForcesFile file = parse_forces_file(kRig, "arm.forces.json", folder);
  EXPECT_EQ(file.rig->controls()[file.rig->find("swell")].max, 1);
  Vec p = file.rig->rest(), s, again;
  p[file.rig->find("forearm.rx")] = 1, p[file.rig->find("swell")] = 0.7;
  file.rig->evaluate(*file.rig->make_workspace(), p, s);
  write_file(folder / "again.rig.json", to_forces_json(file.plan, *file.rig));
  register_forces_kind();
  const Character character = load_rig_file(folder / "again.rig.json");  // as every command loads it
  EXPECT_EQ(character.clips.size(), 1u);
  character.rig->evaluate(*character.rig->make_workspace(), p, again);
  EXPECT_LT((s - again).norm(), 1e-9);

  ForcesPlan explicit_one = file.plan;
  explicit_one.lattice = GivenLattice{file.rig->body().elements.lattice, file.rig->body().held, file.rig->body().cell};
  const ForcesFile given = parse_forces_file(to_forces_json(explicit_one, *file.rig), "given", folder);
  given.rig->evaluate(*given.rig->make_workspace(), p, again);
  EXPECT_LT((s - again).norm(), 1e-9);
}

TEST_F(ForcesFiles, NameLineAndFieldOfWhatIsWrong) {
  const std::pair<const char*, const char*> wrong[] = {
      {"\"bulge\"", "\"buldge\""},      {"\"upper_arm\"", "\"uper_arm\""}, {"\"strength\": 0}", "\"strong\": 0}"},
      {"\"at\": 90", "\"at\": 0"},      {"\"arm.glb\"", "\"leg.glb\""},    {"\"radius\": 0.06", "\"radius\": -1"},
      {"\"cells\": 20", "\"cells\": 1"}};
  for (const auto& [right, replaced] : wrong) {
    std::string text = kRig;
    text.replace(text.find(right), std::string(right).size(), replaced);
    try {
      parse_forces_file(text, "arm.forces.json", folder);
      FAIL() << replaced;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("arm.forces.json:")) << error.what();
    }
  }
}

TEST_F(ForcesFiles, PlayAClipAndBecomeAGltfThatMovesAlike) {
  const ForcesFile file = parse_forces_file(kRig, "arm.forces.json", folder);
  const Animation& clip = file.character.clips.front();
  ForcePlayOptions options{.rate = 6, .simulation = {.step = 1.0 / 30}};
  const ForceMotion motion = play_forces(file.rig, clip, options);
  ASSERT_EQ(motion.frames.size(), 13u);
  EXPECT_EQ(motion.steps, 60);
  const ForceMotion still = play_forces(file.rig, clip, {.rate = 6, .dynamic = false});
  EXPECT_LT((still.frames[0] - motion.frames[0]).norm(), 1e-9);
  EXPECT_GT((still.frames[6] - motion.frames[6]).cwiseAbs().maxCoeff(), 1e-5);  // flesh lags

  const PlayedGlb played =
      write_forces_glb(folder / "arm.glb", *file.rig, clip.name, motion, folder / "out.glb", {.tolerance = 0.002});
  EXPECT_GT(played.shapes, 0);
  const Character made = load_gltf(folder / "out.glb");
  ASSERT_EQ(made.rig->point_count(), file.rig->point_count());
  Vec s;
  for (std::size_t f = 0; f < motion.times.size(); f += 4) {
    made.rig->evaluate(*made.rig->make_workspace(), pose_at(made, &made.clips[0], motion.times[f]), s);
    EXPECT_LT((s - motion.frames[f]).cwiseAbs().maxCoeff(), played.error + 1e-5) << f;
  }
}

}  // namespace
}  // namespace rigspace
