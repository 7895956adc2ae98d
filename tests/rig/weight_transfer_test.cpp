#include "rigspace/rig/weight_transfer.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace rigspace {
namespace weight_transfer_tests {

/// An open tube about a vertical line; radius over height. Outward.
struct TubePlan {
  Vec3 foot = Vec3::Zero();
  double height = 1;
  std::function<double(double)> radius;
  int rings = 40, sides = 24;
};

TriMesh tube(const TubePlan& plan) {
  TriMesh mesh;
  mesh.points.resize(3 * (plan.rings + 1) * plan.sides);
  for (int r = 0; r <= plan.rings; ++r)
    for (int k = 0; k < plan.sides; ++k) {
      const double y = plan.height * r / plan.rings, around = 2 * std::numbers::pi * k / plan.sides;
      const double radius = plan.radius(y);
      point(mesh.points, r * plan.sides + k) =
          plan.foot + Vec3(radius * std::cos(around), y, -radius * std::sin(around));
    }
  for (int r = 0; r < plan.rings; ++r)
    for (int k = 0; k < plan.sides; ++k) {
      const int a = r * plan.sides + k, b = r * plan.sides + (k + 1) % plan.sides;
      mesh.triangles.push_back({a, b, b + plan.sides});
      mesh.triangles.push_back({a, b + plan.sides, a + plan.sides});
    }
  return mesh;
}

int append(TriMesh& to, const TriMesh& other) {
  const int first = to.point_count();
  Vec points(to.points.size() + other.points.size());
  points << to.points, other.points;
  to.points = points;
  for (Triangle t : other.triangles) {
    for (int& v : t) v += first;
    to.triangles.push_back(t);
  }
  return first;
}

using WeightLists = std::vector<std::vector<Influence>>;

double weight_of(const std::vector<Influence>& list, int joint) {
  for (const Influence& own : list)
    if (own.joint == joint) return own.weight;
  return 0;
}

void expect_partition_of_unity(const WeightLists& lists) {
  for (const auto& list : lists) {
    double sum = 0;
    for (const Influence& own : list) {
      EXPECT_GT(own.weight, 0);
      sum += own.weight;
    }
    ASSERT_NEAR(sum, 1, 1e-12);
  }
}

/// A trunk (joint 2) and an arm (joint 5) that hangs beside it with a gap of three centimetres.
struct TrunkAndArm {
  TriMesh surface;
  WeightLists weights;

  TrunkAndArm() {
    surface = tube({.foot = {0, -0.2, 0}, .height = 1.2, .radius = [](double) { return 0.15; }});
    weights.assign(surface.point_count(), {{2, 1.0}});
    append(surface, tube({.foot = {0.22, -0.1, 0}, .height = 0.8, .radius = [](double) { return 0.04; }}));
    weights.resize(surface.point_count(), {{5, 1.0}});
  }
};

TEST(WeightTransfer, FollowsTheArmWhereTheTrunkIsNearer) {
  const TrunkAndArm body;
  // The sleeve's inner side is 1 cm from the trunk, 2 cm from the arm.
  const TriMesh sleeve = tube({.foot = {0.22, 0, 0}, .height = 0.5, .radius = [](double) { return 0.06; }});
  const auto astray = [&](const TransferredWeights& transferred) {
    return std::count_if(transferred.influences.begin(), transferred.influences.end(),
                         [](const auto& list) { return weight_of(list, 2) > 0.01; });
  };
  const SkinnedSurface skin{body.surface, body.weights};
  EXPECT_GT(astray(transfer_weights(skin, sleeve, {.inpaint = false, .smoothing = 0})), 100);
  const TransferredWeights good = transfer_weights(skin, sleeve, {.smoothing = 0});
  EXPECT_EQ(astray(good), 0);
  EXPECT_EQ(good.astray, 0);
  expect_partition_of_unity(good.influences);
}

TEST(WeightTransfer, DoesNotDependOnWhichWayTheGarmentFaces) {
  const TrunkAndArm body;
  TriMesh sleeve = tube({.foot = {0.22, 0, 0}, .height = 0.5, .radius = [](double) { return 0.06; }});
  const TransferredWeights before = transfer_weights({body.surface, body.weights}, sleeve);
  for (Triangle& t : sleeve.triangles) std::swap(t[1], t[2]);
  const TransferredWeights after = transfer_weights({body.surface, body.weights}, sleeve);
  EXPECT_EQ(before.turned, 0);
  EXPECT_EQ(after.turned, 1);
  EXPECT_EQ(before.trusted, after.trusted);
}

/// One limb of two joints, the second one's weight rising evenly over the middle half of its height.
struct BendingLimb {
  TriMesh surface = tube({.height = 1, .radius = [](double) { return 0.1; }});
  WeightLists weights;

  static double upper(double y) { return std::clamp(2 * (y - 0.25), 0.0, 1.0); }

  BendingLimb() {
    for (int i = 0; i < surface.point_count(); ++i) {
      const double w = upper(point(surface.points, i).y());
      weights.push_back({{0, 1 - w}, {1, w}});
    }
  }
};

TEST(WeightTransfer, ContinuesSmoothlyOverWhatStandsOff) {
  const BendingLimb limb;
  // A puff between 0.4 and 0.6, far from the limb and not facing as it does.
  const TriMesh garment = tube({.foot = {0, 0.1, 0},
                                .height = 0.8,
                                .radius =
                                    [](double y) {
                                      const double bulge = std::cos(std::numbers::pi * (y - 0.4) / 0.2);
                                      return 0.11 + (std::abs(y - 0.4) < 0.1 ? 0.15 * bulge * bulge : 0.0);
                                    },
                                .rings = 64});
  const TransferredWeights transferred = transfer_weights({limb.surface, limb.weights}, garment, {.smoothing = 0});
  int inpainted = 0;
  for (int i = 0; i < garment.point_count(); ++i) {
    const double expected = BendingLimb::upper(point(garment.points, i).y());
    const double w = weight_of(transferred.influences[i], 1);
    if (transferred.trusted[i]) {
      ASSERT_NEAR(w, expected, 1e-9);
      continue;
    }
    ++inpainted;
    // Along the cloth, not along the height: the puff's flanks are nearly level, so only the range is given there.
    ASSERT_NEAR(w, expected, 0.12);
  }
  EXPECT_GT(inpainted, 200);
  EXPECT_LT(transferred.most_negative, 0.01);
  expect_partition_of_unity(transferred.influences);
}

TEST(WeightTransfer, GivesLayersTheWeightsOfWhatTheyCover) {
  const BendingLimb limb;
  TriMesh layers = tube({.foot = {0, 0.1, 0}, .height = 0.8, .radius = [](double) { return 0.105; }});
  const int second = append(layers, tube({.foot = {0, 0.1, 0}, .height = 0.8, .radius = [](double) { return 0.12; }}));
  const TransferredWeights transferred = transfer_weights({limb.surface, limb.weights}, layers);
  for (int i = 0; i < second; ++i)
    ASSERT_NEAR(weight_of(transferred.influences[i], 1), weight_of(transferred.influences[i + second], 1), 1e-9);
}

TEST(WeightTransfer, SolvesEveryPieceApart) {
  const BendingLimb limb;
  TriMesh garment = tube({.foot = {0, 0.1, 0}, .height = 0.3, .radius = [](double) { return 0.105; }});
  const int badge = append(
      garment,
      tube({.foot = {0.45, 0.8, 0}, .height = 0.02, .radius = [](double) { return 0.01; }, .rings = 2, .sides = 6}));
  const int lone = append(garment, {.points = Vec3(0, 0.97, 0.2), .triangles = {}});
  const TransferredWeights transferred = transfer_weights({limb.surface, limb.weights}, garment);
  EXPECT_EQ(transferred.astray, 2);
  expect_partition_of_unity(transferred.influences);
  // Far off, a badge is rigid: one set of weights, that of the part of the limb nearest to it.
  for (int i = badge; i < lone; ++i) ASSERT_NEAR(weight_of(transferred.influences[i], 1), 1.0, 1e-9);
  EXPECT_NEAR(weight_of(transferred.influences[lone], 1), 1.0, 1e-9);
}

TEST(WeightTransfer, KeepsSeamsOfAFileTogetherAndKeepsTheLargestWeights) {
  const BendingLimb limb;
  const TriMesh whole = tube({.foot = {0, 0.1, 0}, .height = 0.8, .radius = [](double) { return 0.105; }});
  TriMesh cut{.points = Vec(9 * whole.triangle_count()), .triangles = {}};
  for (int t = 0; t < whole.triangle_count(); ++t) {
    for (int k = 0; k < 3; ++k) point(cut.points, 3 * t + k) = point(whole.points, whole.triangles[t][k]);
    cut.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  const TransferredWeights a = transfer_weights({limb.surface, limb.weights}, whole, {.most_influences = 1});
  const TransferredWeights b = transfer_weights({limb.surface, limb.weights}, cut);
  for (int t = 0; t < whole.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k) {
      const auto& one = a.influences[whole.triangles[t][k]];
      ASSERT_EQ(one.size(), 1u);
      ASSERT_EQ(one[0].weight, 1.0);
      ASSERT_GE(weight_of(b.influences[3 * t + k], one[0].joint), 0.5 - 1e-9);
    }
}

TEST(WeightTransfer, RefusesWhatCannotBe) {
  const BendingLimb limb;
  const TriMesh none{.points = limb.surface.points, .triangles = {}};
  EXPECT_THROW(transfer_weights({none, limb.weights}, limb.surface), Error);
  EXPECT_THROW(transfer_weights({limb.surface, {}}, limb.surface), Error);
  EXPECT_THROW(transfer_weights({limb.surface, limb.weights}, limb.surface, {.distance = 0}), Error);
}

}  // namespace weight_transfer_tests
}  // namespace rigspace
