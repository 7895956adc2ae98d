// Gravity and obstacles that change while a character is played.

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/apps/physics/body_cells.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/realtime_rig.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rigspace::realtime_world_test {
namespace {

using Model = std::shared_ptr<const RealtimeModel>;

std::span<const double> span_of(const Vec& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

/// Tail and ears as rods, the belly as flesh; rates from sizes.
const Softened& bobbin() {
  static const Softened soft = [] {
    const Character hard = make_character("bobbin");
    return soften(hard, find_parts(hard), {.use_cache = true});
  }();
  return soft;
}

const Model& model() {
  static const Model made = std::make_shared<const RealtimeModel>(bobbin().character, bobbin().parts,
                                                                  RealtimeOptions{.tune = false, .adjustable = true});
  return made;
}

/// The deviation after some seconds in the rest pose.
Vec settled(const Model& in, double seconds) {
  RealtimeRig rig(in);
  const Vec rest = bobbin().character.rig->rest();
  rig.reset(span_of(rest));
  for (int k = 0; k < std::lround(seconds * 60); ++k) rig.set_keyed(span_of(rest)), rig.step(1.0 / 60);
  return Eigen::Map<const Vec>(rig.deviation().data(), std::ssize(rig.deviation()));
}

/// The points that the tail moves by more than a tenth of the most, at a deviation of all free controls.
std::vector<Vec3> tail_points(const Vec& deviation) {
  const Character& character = bobbin().character;
  const auto part =
      std::find_if(bobbin().parts.begin(), bobbin().parts.end(), [](const Part& each) { return each.name == "tail"; });
  Vec p = character.rig->rest(), at_rest, s;
  const auto workspace = character.rig->make_workspace();
  character.rig->evaluate(*workspace, p, at_rest);
  Vec turned = p;
  for (const int bone : part->bones)
    turned[character.rig->find(character.bones[static_cast<std::size_t>(bone)].name + ".rx")] += 0.3;
  character.rig->evaluate(*workspace, turned, s);
  double most = 0;
  for (int i = 0; i < s.size() / 3; ++i) most = std::max(most, (point(s, i) - point(at_rest, i)).norm());
  std::vector<int> chosen;
  for (int i = 0; i < s.size() / 3; ++i)
    if ((point(s, i) - point(at_rest, i)).norm() > 0.5 * most) chosen.push_back(i);
  for (std::size_t k = 0; k < model()->free().size(); ++k)
    p[model()->free()[k]] += deviation[static_cast<Eigen::Index>(k)];
  character.rig->evaluate(*workspace, p, s);
  std::vector<Vec3> points;
  for (const int i : chosen) points.emplace_back(point(s, i));
  return points;
}

TEST(RealtimeWorld, MissingGravityLiftsAsMuchAsASagOfMinusOne) {
  std::vector<PartSetting> looks;
  for (const Part& part : bobbin().parts) looks.push_back({part.name, "sag", -1});
  const Vec lifted = settled(model()->in_world({.gravity = Vec3::Zero()}), 0.5);
  EXPECT_EQ(lifted, settled(model()->adjusted(looks), 0.5));
  EXPECT_GT(lifted.cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_EQ(settled(model(), 0.5).cwiseAbs().maxCoeff(), 0) << "under Earth's the artist's shape is in balance";
}

TEST(RealtimeWorld, AdjustedModelsStayInIt) {
  const std::vector<PartSetting> looks{{"tail", "settle", 0.4}};
  const RealtimeWorld sideways{.gravity = {3, -9.81, 0}};
  EXPECT_EQ(settled(model()->in_world(sideways)->adjusted(looks), 0.5),
            settled(model()->adjusted(looks)->in_world(sideways), 0.5));
}

TEST(RealtimeWorld, ATailComesToLieOnABall) {
  RealtimeWorld heavy{.gravity = {0, -30, 0}};
  const std::vector<Vec3> hanging = tail_points(settled(model()->in_world(heavy), 2));
  Vec3 lowest = hanging.front();
  for (const Vec3& x : hanging)
    if (x.y() < lowest.y()) lowest = x;
  constexpr double kRadius = 0.08;
  heavy.collisions.obstacles.push_back({.name = "ball", .shape = Collider::sphere(lowest, kRadius)});
  const auto deepest = [&](const std::vector<Vec3>& points) {
    double depth = 0;
    for (const Vec3& x : points) depth = std::max(depth, kRadius - (x - lowest).norm());
    return depth;
  };
  EXPECT_NEAR(deepest(hanging), kRadius, 1e-9);
  // Rods meet it with their nodes, which are inside of the skin; springs of contact give way a little.
  EXPECT_LT(deepest(tail_points(settled(model()->in_world(heavy), 2))), 0.6 * kRadius);
}

TEST(RealtimeWorld, MotionGoesOnWhenAnObstacleComesAndGoes) {
  RealtimeWorld far;
  far.collisions.obstacles.push_back({.name = "ball", .shape = Collider::sphere({50, 0, 0}, 0.1)});
  const Model with = model()->in_world(far);
  KeyedMotion motion(bobbin().character, bobbin().character.clip("Walk"));
  motion.set_cyclic(true);
  RealtimeRig stays(model()), changes(model());
  Vec p;
  motion.controls(0, p);
  stays.reset(span_of(p)), changes.reset(span_of(p));
  double apart = 0, swing = 0;
  for (int k = 1; k <= 150; ++k) {
    motion.controls(k / 60.0, p);
    for (RealtimeRig* rig : {&stays, &changes}) rig->set_keyed(span_of(p)), rig->step(1.0 / 60);
    if (k == 60) changes.change_model(with);
    if (k == 110) changes.change_model(model());
    for (std::size_t c = 0; c < stays.deviation().size(); ++c) {
      swing = std::max(swing, std::abs(stays.deviation()[c]));
      apart = std::max(apart, std::abs(stays.deviation()[c] - changes.deviation()[c]));
    }
  }
  EXPECT_GT(swing, 0.02);
  EXPECT_LT(apart, 0.1 * swing);  // all elements in place of few, and a velocity from three states
}

TEST(RealtimeWorld, NeedsAnAdjustableModel) {
  const RealtimeModel fixed(bobbin().character, bobbin().parts, {.tune = false});
  EXPECT_THROW(static_cast<void>(fixed.in_world({})), Error);
}

TEST(BodyCells, AreWhereTheirSolidIsAndFollowTheRig) {
  const Character& character = bobbin().character;
  BodyCells cells(character, bobbin().parts);
  ASSERT_GT(cells.node_count(), 20);
  ASSERT_GT(cells.edges().size(), 40u);
  Vec rest, moved;
  Vec p = character.rig->rest();
  cells.place(p, rest);
  std::vector<Vec3> nodes;
  for (const Part& part : bobbin().parts)
    for (int i = 0; part.flesh && i < part.flesh->mesh.point_count(); ++i)
      nodes.emplace_back(point(part.flesh->mesh.points, i));
  for (int i = 0; i < cells.node_count(); ++i) {
    double nearest = 1;
    for (const Vec3& node : nodes) nearest = std::min(nearest, (node - point(rest, i)).norm());
    EXPECT_LT(nearest, 1e-3) << "node " << i;  // ties to the surface are within its roughness
  }
  const Character& whole = character;
  const int root = whole.rig->find(whole.bones.front().name + ".tx");
  ASSERT_GE(root, 0);
  p[root] += 0.5;
  cells.place(p, moved);
  EXPECT_NEAR((moved - rest).cwiseAbs().maxCoeff(), 0.5, 1e-9) << "the root carries all of it";
  for (const auto& [a, b] : cells.edges())
    ASSERT_NEAR((point(moved, a) - point(moved, b)).norm(), (point(rest, a) - point(rest, b)).norm(), 1e-9);
}

}  // namespace
}  // namespace rigspace::realtime_world_test
