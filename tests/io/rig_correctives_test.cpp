#include "rigspace/io/rig_correctives.h"

#include "rigspace/anim/pose_correctives.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/rig/skeleton.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace rigspace::rig_correctives_test {
namespace {

/// The arm of the cast, and for a simulation the same with skins that keep their volume: a function of the pose alone.
struct Arm {
  RiggedCharacter rigged = make_rigged_character("arm");
  BuiltRig truth;

  Arm() {
    RigPlan plan = rigged.plan;
    for (plan::Deformer& deformer : plan.deformers)
      if (auto* skin = std::get_if<plan::Skin>(&deformer.kind)) skin->dual_quaternion = true;
    truth = build(plan);
  }

  /// `keyed`: the elbow by its quaternion, as clips turn it, in place of the angles on top.
  PoseSample at(double elbow, double twist, double wrist, bool keyed = false) const {
    const Rig& rig = *rigged.character.rig;
    PoseSample sample{.p = rig.rest(), .points = {}};
    const std::string& fore = rigged.character.bones[1].name;
    const std::string& hand = rigged.character.bones[2].name;
    const Vec3 turn(twist, 0, elbow);
    if (keyed) {
      const int first = rig.find(fore + ".qx");
      const Quat rest(sample.p[first + 3], sample.p[first], sample.p[first + 1], sample.p[first + 2]);
      sample.p.segment<4>(first) = -(rest * Quat(rotation_exp(turn))).coeffs();  // of the other sign: the same turn
    } else {
      sample.p.segment<3>(rig.find(fore + ".rx")) = turn;
    }
    sample.p[rig.find(hand + ".rz")] = wrist;
    truth.rig->evaluate(*truth.rig->make_workspace(), sample.p, sample.points);
    return sample;
  }

  std::vector<PoseSample> fitted_to() const {
    std::vector<PoseSample> samples;
    for (int k = 0; k <= 12; ++k) {
      samples.push_back(at(0.15 * k, 0, 0));
      samples.push_back(at(0, 0.1 * k, 0));
      samples.push_back(at(0.15 * k, 0.1 * (12 - k), 0));
      samples.push_back(at(0, 0, 0.05 * k));
    }
    return samples;
  }
};

TEST(Correctives, HalveTheErrorInPosesThatTheyWereNotFittedTo) {
  const Arm arm;
  const Rig& rig = *arm.rigged.character.rig;
  const RiggedCharacter fixed = with_correctives(arm.rigged, fit_correctives(arm.rigged.plan, rig, arm.fitted_to()));
  std::vector<PoseSample> unseen;
  for (const double elbow : {0.4, 0.83, 1.37})
    for (const double twist : {0.25, 0.55})
      for (const bool keyed : {false, true}) unseen.push_back(arm.at(elbow, twist, 0.33, keyed));
  const BakeError error = corrective_error(rig, *fixed.character.rig, unseen);
  EXPECT_GT(error.unbaked, 1e-4);
  EXPECT_LT(error.share(), 0.5);
  Vec rest, before;
  fixed.character.rig->evaluate(*fixed.character.rig->make_workspace(), rig.rest(), rest);
  rig.evaluate(*rig.make_workspace(), rig.rest(), before);
  EXPECT_LT((rest - before).cwiseAbs().maxCoeff(), 1e-9);  // rest is an example of every joint and has no shape
}

TEST(Correctives, AreReadBackFromTheirFile) {
  const Arm arm;
  const RiggedCharacter fixed =
      with_correctives(arm.rigged, fit_correctives(arm.rigged.plan, *arm.rigged.character.rig, arm.fitted_to()));
  const std::filesystem::path folder = ::testing::TempDir() + "rig_correctives";
  std::filesystem::create_directories(folder);
  write_rig_file(folder / "arm.rig.json", fixed);
  const Character again = read_rig_file(folder / "arm.rig.json").character;
  const PoseSample pose = arm.at(1.1, 0.3, 0.2, true);
  Vec p = again.rig->rest(), there, here;
  const auto controls = fixed.character.rig->controls();
  for (std::size_t k = 0; k < controls.size(); ++k) {
    ASSERT_GE(again.rig->find(controls[k].name), 0) << controls[k].name;
    p[again.rig->find(controls[k].name)] = pose.p[static_cast<Eigen::Index>(k)];
  }
  fixed.character.rig->evaluate(*fixed.character.rig->make_workspace(), pose.p, here);
  again.rig->evaluate(*again.rig->make_workspace(), p, there);
  EXPECT_LT((here - there).cwiseAbs().maxCoeff(), 1e-5);  // floats of glTF
  for (const Bone& bone : fixed.character.bones) EXPECT_GE(bone.slot, 0);
}

TEST(Correctives, WrongInputIsOneSentence) {
  const Arm arm;
  const Rig& rig = *arm.rigged.character.rig;
  EXPECT_THROW(fit_correctives(arm.rigged.plan, rig, {}), Error);
  std::vector<PoseSample> samples = {arm.at(0, 0, 0)};
  EXPECT_THROW(fit_correctives(arm.rigged.plan, rig, samples), Error);  // nothing turns
  samples = arm.fitted_to();
  EXPECT_THROW(fit_correctives(arm.rigged.plan, rig, samples, {.most_examples = 0}), Error);
  samples[0].points.conservativeResize(3);
  EXPECT_THROW(fit_correctives(arm.rigged.plan, rig, samples), Error);
}

}  // namespace
}  // namespace rigspace::rig_correctives_test
