#include "rigspace/apps/sketch/nested_joints.h"

#include "rigspace/apps/sketch/sketch_poser.h"
#include "rigspace/rig/skeleton.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rigspace {
namespace {

/// A palm with two fingers of three joints each, tips first; every joint turns alone.
Character flat_hand() {
  Character character{.name = "hand"};
  auto graph = std::make_shared<ControlGraph>();
  const int armature = add_node(*graph, {.name = "armature", .translation = Vec3(0, 0, 1)});
  Vec points(0);
  SkinDescription skin;
  const auto add = [&](const std::string& name, const Vec3& at) {
    const Quat turn(Eigen::AngleAxisd(0.3 * static_cast<double>(character.bones.size()), Vec3(1, 2, 3).normalized()));
    const int slot = add_node(*graph, {.name = name, .parent_slot = armature, .translation = at, .rotation = turn});
    character.bones.push_back({name, -1, slot});
    Affine inverse = Affine::Identity();
    linear(inverse) = turn.conjugate().toRotationMatrix();
    translation(inverse) = linear(inverse) * -(at + Vec3(0, 0, 1));
    skin.joint_slots.push_back(slot), skin.inverse_bind.push_back(inverse);
    for (const Vec3& aside : {Vec3(0.1, 0, 0), Vec3(0, 0.4, 0), Vec3(0, 0, 0.1), Vec3(-0.1, 0.4, 0)}) {
      points.conservativeResize(points.size() + 3);
      points.tail<3>() = at + Vec3(0, 0, 1) + aside;
      skin.influences.push_back({{static_cast<int>(character.bones.size()) - 1, 1.0}});
    }
  };
  for (const char* finger : {"index", "ring"})
    for (int k = 3; k > 0; --k)
      add(std::string(finger) + "-" + std::to_string(k), Vec3(finger[0] == 'i' ? 0.3 : -0.3, k, 0));
  add("wrist", Vec3(0, 0, 0));
  Piece piece{.name = "skin", .point_count = static_cast<int>(points.size() / 3)};
  for (int i = 0; i + 2 < piece.point_count; i += 4) piece.triangles.push_back({i, i + 1, i + 2});
  character.pieces.push_back(piece);
  character.rig = std::make_shared<BuiltInRig>(
      graph, points, std::vector<std::shared_ptr<const Deformer>>{make_linear_blend_skin(skin)});
  return character;
}

Vec surface(const Character& character, In p) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), p, s);
  return s;
}

TEST(NestedJoints, FingersAreChainsFromThePalm) {
  const Character hand = flat_hand();
  const auto nested = nest_joints(hand);
  ASSERT_TRUE(nested);
  std::vector<int> parents;
  for (const Bone& bone : nested->character.bones) parents.push_back(bone.parent);
  EXPECT_EQ(parents, (std::vector<int>{1, 2, 6, 4, 5, 6, -1}));
  EXPECT_FALSE(nest_joints(nested->character));  // no longer siblings
  const SketchAbstraction stick = stick_figure(hand);
  EXPECT_EQ(stick.curves.size(), 2u);
}

TEST(NestedJoints, APoseIsTheSameSurfaceOnBothSides) {
  const Character hand = flat_hand();
  const auto nested = nest_joints(hand);
  ASSERT_TRUE(nested);
  const Rig &flat = *hand.rig, &chain = *nested->character.rig;
  EXPECT_LT((surface(nested->character, chain.rest()) - surface(hand, flat.rest())).cwiseAbs().maxCoeff(), 1e-12);
  Vec p = chain.rest();
  p[chain.find("index-1.rx")] = 0.7, p[chain.find("ring-2.rz")] = -0.4, p[chain.find("wrist.ry")] = 0.5;
  p[chain.find("armature.tx")] = 0.2;
  const Vec bent = surface(nested->character, p), q = nested->to_original(hand, p);
  EXPECT_GT((bent - surface(hand, flat.rest())).cwiseAbs().maxCoeff(), 0.5);
  EXPECT_LT((surface(hand, q) - bent).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((surface(nested->character, nested->to_nested(hand, q)) - bent).cwiseAbs().maxCoeff(), 1e-9);
}

// The studio, Python and the program all pose by SketchPoser.
TEST(NestedJoints, AFingerIsBentByItsLine) {
  const Character hand = flat_hand();
  const auto nested = nest_joints(hand);
  ASSERT_TRUE(nested);
  const Vec rest = hand.rig->rest();
  const Camera camera = frame(surface(hand, rest), 1, {.azimuth = 0, .elevation = 0, .margin = 0.4});
  Vec bent = nested->character.rig->rest();
  for (const char* joint : {"index-1.rz", "index-2.rz"}) bent[nested->character.rig->find(joint)] -= 0.5;
  const Vec wanted = nested->to_original(hand, bent);
  SketchPoser poser(hand, stick_figure(hand), camera, wanted);
  const std::vector<Stroke> drawn = poser.seen();
  poser.set_pose(rest);
  EXPECT_EQ(poser.controls(), rest);
  const SketchReport report = poser.solve(drawn);
  EXPECT_LT(report.residual, 2e-3);
  // Lines say nothing of depth, but joints stay together: those of a finger are 1 apart, and their skin 0.1 from them.
  const Vec found = surface(hand, poser.controls());
  EXPECT_GT((found - surface(hand, rest)).cwiseAbs().maxCoeff(), 0.5);
  for (const int bone : {0, 1, 3, 4})
    EXPECT_NEAR((point(found, 4 * bone) - point(found, 4 * bone + 4)).norm(), 1, 0.2) << bone;
}

}  // namespace
}  // namespace rigspace
