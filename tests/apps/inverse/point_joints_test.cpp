// Rigs of other processes that tell their joints as points: here a built-in rig, seen through such points alone.
#include "rigspace/anim/point_joints.h"

#include "rigspace/apps/inverse/inverse_model.h"
#include "rigspace/cast/cast.h"
#include "rigspace/parts/reference_pose.h"

#include <gtest/gtest.h>

#include <random>

namespace rigspace::point_joints_test {

/// Points of the whole's surface, then four for each bone.
class Told final : public Rig {
 public:
  explicit Told(Character whole) : whole_(std::move(whole)) {}
  std::span<const Control> controls() const override { return whole_.rig->controls(); }
  int point_count() const override { return whole_.rig->point_count() + 4 * static_cast<int>(whole_.bones.size()); }
  Traits traits() const override { return {.noise = 1e-9}; }
  void evaluate(Workspace&, In p, Vec& s) const override {
    Vec own;
    whole_.rig->evaluate(*whole_.rig->make_workspace(), p, own);
    s.resize(3 * point_count());
    s.head(own.size()) = own;
    Eigen::Index at = own.size();
    for (const Affine& world : bone_transforms(whole_, p)) {
      s.segment<3>(at) = translation(world);
      for (int k = 0; k < 3; ++k) s.segment<3>(at + 3 * (k + 1)) = translation(world) + 0.2 * linear(world).col(k);
      at += 12;
    }
  }

 private:
  Character whole_;
};

struct Seen {
  Character whole = make_character("toon", Version::skeleton), told = whole;
  Seen() {
    told.rig = std::make_shared<Told>(whole);
    auto joints = std::make_shared<PointJoints>();
    for (std::size_t k = 0; k < whole.bones.size(); ++k) {
      joints->first.push_back(whole.rig->point_count() + 4 * static_cast<int>(k));
      told.bones[k].slot = -1;
    }
    told.extensions[kPointJoints] = joints;
  }
};

const std::vector<std::string> kJoints{"pelvis", "chest",    "head",    "head|y", "upper_arm_l", "lower_arm_l",
                                       "hand_l", "hand_l|z", "thigh_r", "shin_r", "foot_r"};

TEST(PointJoints, AreWhereTheJointsAre) {
  const Seen seen;
  const FeatureRig exact(seen.whole, kJoints), told(seen.told, kJoints);
  std::mt19937 random(5);
  Vec p = seen.whole.rig->rest(), x, y;
  for (int pose = 0; pose < 3; ++pose) {
    for (int c = 0; c < p.size(); ++c)
      if (seen.whole.rig->controls()[c].unit == Unit::angle) p[c] = 0.8 * (random() / 4294967295.0 - 0.5);
    exact.evaluate(p, x), told.evaluate(p, y);
    EXPECT_LT((x - y).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(PointJoints, AreBroughtToTargetsByAModelOfSwingsAlone) {
  Seen seen;
  seen.told.clips.clear();  // as a rig in Blender at its present pose
  const InverseModel model(seen.told, {.joints = kJoints,
                                       .controls = {"pelvis", "chest", "head", "upper_arm_l", "lower_arm_l", "hand_l",
                                                    "thigh_r", "shin_r", "foot_r"}});
  EXPECT_TRUE(model.root().moves());
  EXPECT_TRUE(model.root().turns());  // found from how its turns move the points
  Vec p = seen.told.rig->rest(), x;
  for (const auto& [control, value] : {std::pair("upper_arm_l.rz", 0.5),
                                       {"lower_arm_l.rx", 0.7},
                                       {"thigh_r.rx", 0.6},
                                       {"shin_r.rx", -0.8},
                                       {"pelvis.tx", 1.5},
                                       {"pelvis.ry", 0.9}})
    p[seen.told.rig->find(control)] = value;
  model.features().evaluate(p, x);
  const InversePose pose = model.solve(x, {.max_iterations = 30});
  EXPECT_LT(pose.joint_error, 1e-4);
  Vec reached;  // the place and heading of the whole, put back, included
  model.features().evaluate(pose.p, reached);
  EXPECT_LT((reached - x).cwiseAbs().maxCoeff(), 1e-3 * model.size());
}

}  // namespace rigspace::point_joints_test
