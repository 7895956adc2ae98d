// Templates placed and dragged, shapes fitted, rigs taken to another character: what all front ends call.

#include "rigspace/apps/forces/force_edits.h"
#include "rigspace/base/error.h"
#include "rigspace/io/formats.h"

#include "arm_body.h"
#include "support/assets.h"

#include <gtest/gtest.h>

namespace rigspace::force_edits_test {
namespace {

using testing::arm;

const ForcesFile& plain() {
  static const ForcesFile made = make_forces_file(arm(), "arm.glb", {.cover = {.cells = 20}});
  return made;
}

/// With a bump on the front of the upper arm.
ForcesFile with_bump() {
  ForcesFile file = plain();
  file.plan.rigs.push_back(template_on_skin(*file.bodies->whole(), ForceTemplate::bump, Vec3(0.16, 0.5, 0), "bump"));
  renew_rigs(file);
  return file;
}

int point_near(const ForcesFile& file, const Vec3& x) {
  const Vec& rest = file.rig->body().points_rest;
  int best = 0;
  for (int i = 0; i < file.rig->point_count(); ++i)
    if ((point(rest, i) - x).norm() < (point(rest, best) - x).norm()) best = i;
  return best;
}

Vec3 place_of(const ForcesFile& file, int i, double bump) {
  Vec p = file.rig->rest(), s;
  p[file.rig->find("bump")] = bump;
  file.rig->evaluate(*file.rig->make_workspace(), p, s);
  return point(s, i);
}

TEST(ForceEdits, APlacedTemplateIsAControlThatLiftsTheSkin) {
  const ForcesFile file = with_bump();
  EXPECT_EQ(free_rig_name(file, ForceTemplate::bump), "bump2");
  const int i = point_near(file, file.plan.rigs[0].force.front().guide.place);
  const Vec3 lifted = place_of(file, i, 1) - place_of(file, i, 0);
  EXPECT_GT(lifted.dot(file.plan.rigs[0].force.front().guide.normal), 1e-3);
}

TEST(ForceEdits, ADraggedPointIsWhereTheRigPutsItAfterwards) {
  ForcesFile file = with_bump();
  const TemplateGuide& guide = file.plan.rigs[0].force.front().guide;
  const int i = point_near(file, guide.place);
  const Vec3 from = place_of(file, i, 0), goal = from + 0.012 * guide.normal;
  RigDrag drag(file, "bump", {}, {{i, goal}});
  const Vec3 places[] = {goal};
  const DragResult moved = drag.move(places);
  EXPECT_LT(moved.after, 0.2 * (goal - from).norm());
  Vec s;
  drag.surface(s);
  drag.keep(file);
  EXPECT_LT((place_of(file, i, 1) - point(s, i)).norm(), 1e-9);
  EXPECT_LT((place_of(file, i, 0) - from).norm(), 1e-12);  // without strength there is no force
}

TEST(ForceEdits, ContradictoryDragsAndWrongNumbersAreRefusedAndNothingIsLost) {
  ForcesFile file = with_bump();
  const Vec before = file.plan.rigs[0].samples[1].value;
  EXPECT_THROW(RigDrag(file, "bump", {}, {{3, Vec3::Zero()}, {3, Vec3::Ones()}}), Error);
  EXPECT_THROW(RigDrag(file, "bumb", {}, {{3, Vec3::Zero()}}), Error);
  EXPECT_THROW(RigDrag(file, "bump", {}, {}), Error);
  EXPECT_THROW(set_template_number(file, "bump", 1, "radius", -1), Error);
  EXPECT_THROW(set_template_number(file, "bump", 1, "width", 1), Error);
  EXPECT_EQ(file.plan.rigs[0].samples[1].value, before);
  set_template_number(file, "bump", 1, "strength", 2);
  EXPECT_EQ(file.rig->rigs()[0].samples[1].value[0], 2);
  EXPECT_EQ(file.rig->rigs()[0].samples[0].value[0], 0);
}

TEST(ForceEdits, ATargetThatCannotBeMatchedLeavesTheRigsAsTheyWere) {
  ForcesFile file = with_bump();
  TriMesh target = testing::flexed_arm(60, 20);
  target.points.conservativeResize(target.points.size() - 3);
  EXPECT_THROW(fit_rig(file, target, {.name = "flex"}), Error);
  EXPECT_EQ(file.plan.rigs.size(), 1u);
  Vec p = file.rig->rest();
  EXPECT_THROW(fit_rig(file, testing::flexed_arm(60, 20), {.control = "forearm.rx", .p = p}), Error);  // at rest
  p[file.rig->find("forearm.rx")] = 60 * kDegree;
  const RigFit fit = fit_rig(file, testing::flexed_arm(60, 20), {.name = "flex", .control = "forearm.rx", .p = p});
  EXPECT_LT(fit.found.after, 0.5 * fit.found.before);
  EXPECT_EQ(file.plan.rigs.size(), 2u);
}

TEST(ForceEdits, SplitCellsGoToAnotherCharacter) {
  ForcesFile file = plain();
  Vec p = file.rig->rest();
  p[file.rig->find("forearm.rx")] = 60 * kDegree;
  fit_rig(file, testing::flexed_arm(60, 20),
          {.name = "flex", .control = "forearm.rx", .p = p, .fit = {.tolerance = 1e-3, .levels = 1}});
  ASSERT_FALSE(file.plan.rigs[0].splits.empty());
  const RigTransfer same = transfer_forces(file, arm(), "arm.glb");
  Vec here, there;
  file.rig->evaluate(*file.rig->make_workspace(), p, here);
  const Rig& rig = *same.file.rig;
  rig.evaluate(*rig.make_workspace(), p, there);
  Vec plain_shape;
  plain().rig->evaluate(*plain().rig->make_workspace(), p, plain_shape);
  EXPECT_EQ(same.file.plan.rigs[0].splits, file.plan.rigs[0].splits);
  EXPECT_LT((here - there).norm(), 0.05 * (here - plain_shape).norm());  // to itself: the same shape
}

TEST(ForceEdits, AFlexGoesFromOneRealCharacterToAnother) {
  RIGSPACE_ASSET_OR_SKIP(mannequin, "gdquest_mannequiny/mannequiny-0.3.0.glb");
  RIGSPACE_ASSET_OR_SKIP(other, "khr_CesiumMan/CesiumMan.glb");
  ForcesFile file = make_forces_file(load_character(mannequin), "m.glb", {.cover = {.cells = 80}});
  ForceRigPart flex = template_on_bone(*file.bodies->whole(), ForceTemplate::bulge, "upperarm.l");
  flex.control = "lowerarm.l.rz", flex.samples[1].at = 70 * kDegree;
  file.plan.rigs.push_back(flex);
  renew_rigs(file);
  const RigTransfer made = transfer_forces(file, load_character(other), "o.glb", {.iterations = 50});
  EXPECT_LT(made.map.skeleton_error, 0.03);
  EXPECT_GT(made.map.least_volume, 0.02);
  const ForceRig& rig = *made.file.rig;
  const std::string& control = made.file.plan.rigs[0].control;
  EXPECT_EQ(control, "Skeleton_arm_joint_L__3_.rz");  // the elbow's own, the other way round
  EXPECT_NEAR(made.file.plan.rigs[0].samples[0].at, -70 * kDegree, 1e-9);
  Vec p = rig.rest(), shaped, plain;
  p[rig.find(control)] = -70 * kDegree;
  rig.evaluate(*rig.make_workspace(), p, shaped);
  const ForceRig without(rig.shared_body(), {});
  without.evaluate(*without.make_workspace(), p, plain);
  double most = 0, far = 0;
  const ForceSkeleton& skeleton = rig.body().skeleton;
  const int arm_joint = skeleton.find("Skeleton_arm_joint_L__4_");
  for (int i = 0; i < rig.point_count(); ++i) {
    const double moved = (point(shaped, i) - point(plain, i)).norm();
    bool is_arm = false;
    for (const Influence& of : skeleton.skin[i]) is_arm = is_arm || of.joint == arm_joint;
    (is_arm ? most : far) = std::max(is_arm ? most : far, moved);
  }
  EXPECT_GT(most, 0.003);  // of 1.5 units of height
  EXPECT_GT(most, far);
}

}  // namespace
}  // namespace rigspace::force_edits_test
