#include "rigspace/rig/weight_brush.h"

#include "rigspace/base/error.h"

#include <gtest/gtest.h>

#include <random>

namespace rigspace::weight_brush_test {
namespace {

using Lists = std::vector<std::vector<Influence>>;

/// Two strips of triangles of 21 x 3 points, one unit long, along x; 0.05 apart in z, joined by nothing. The first
/// column of the upper one is there twice, as at the seam of a texture.
struct Strips {
  TriMesh mesh;
  int seam = 0;  ///< the number of the first doubled point

  Strips() {
    std::vector<double> x;
    for (int layer = 0; layer < 2; ++layer)
      for (int i = 0; i < 21; ++i)
        for (int k = 0; k < 3; ++k) x.insert(x.end(), {0.05 * i, 0.05 * k, 0.05 * layer});
    for (int layer = 0; layer < 2; ++layer)
      for (int i = 0; i < 20; ++i)
        for (int k = 0; k < 2; ++k) {
          const int a = 63 * layer + 3 * i + k;
          mesh.triangles.push_back({a, a + 3, a + 4}), mesh.triangles.push_back({a, a + 4, a + 1});
        }
    seam = 126;
    for (int k = 0; k < 3; ++k) x.insert(x.end(), {0, 0.05 * k, 0.05});
    mesh.triangles.push_back({seam, seam + 1, 63 + 4});
    mesh.points = Eigen::Map<Vec>(x.data(), std::ssize(x));
  }
  Lists halves() const {  // joint 0 to the left, 1 to the right
    Lists lists(mesh.point_count());
    for (int i = 0; i < mesh.point_count(); ++i) lists[i] = {{point(mesh.points, i).x() < 0.5 ? 0 : 1, 1.0}};
    return lists;
  }
};

double weight_of(const std::vector<Influence>& list, int joint) {
  for (const Influence& each : list)
    if (each.joint == joint) return each.weight;
  return 0;
}

TEST(WeightBrush, AddsMostInTheMiddleAndNothingBeyondItsRadius) {
  const Strips strips;
  Lists lists = strips.halves();
  const WeightBrush brush(strips.mesh);
  const auto changed = brush.apply({.point = 16, .joint = 1, .radius = 0.22, .strength = 1}, lists);
  EXPECT_EQ(weight_of(lists[16], 1), 1);
  double before = 1;
  for (const int i : {19, 22, 25}) {  // farther along x, in the same row
    EXPECT_LT(weight_of(lists[i], 1), before);
    EXPECT_GT(weight_of(lists[i], 1), 0);
    before = weight_of(lists[i], 1);
  }
  for (int i = 0; i < strips.mesh.point_count(); ++i) {
    const bool near = (point(strips.mesh.points, i) - point(strips.mesh.points, 16)).norm() < 0.22;
    const bool is_changed =
        std::any_of(changed.begin(), changed.end(), [i](const Repainted& each) { return each.point == i; });
    EXPECT_EQ(is_changed, near && i < 63) << i;  // the other strip is near, and joined by nothing
  }
}

TEST(WeightBrush, KeepsSumsAndSignsWhateverIsDone) {
  const Strips strips;
  Lists lists = strips.halves();
  const WeightBrush brush(strips.mesh, 3);
  std::mt19937 random(24);
  for (int k = 0; k < 400; ++k) {
    const Dab dab{.mode = static_cast<BrushMode>(random() % 3),
                  .point = static_cast<int>(random() % lists.size()),
                  .joint = static_cast<int>(random() % 6),
                  .radius = 0.01 + 0.01 * static_cast<double>(random() % 40),
                  .strength = 0.25 * static_cast<double>(random() % 5)};
    for (const auto& [i, before] : brush.apply(dab, lists)) {
      double sum = 0;
      for (const Influence& each : lists[i]) {
        sum += each.weight;
        EXPECT_GT(each.weight, 0);
      }
      EXPECT_NEAR(sum, 1, 1e-12);
      EXPECT_LE(lists[i].size(), 3u);
    }
  }
  for (int k = 0; k < 3; ++k)  // both sides of the seam
    for (const Influence& each : lists[strips.seam + k]) EXPECT_EQ(weight_of(lists[63 + k], each.joint), each.weight);
}

TEST(WeightBrush, TakesAwayWhatItAdded) {
  const Strips strips;
  Lists lists = strips.halves();
  const WeightBrush brush(strips.mesh);
  brush.apply({.point = 46, .joint = 0, .radius = 0.1, .strength = 0.5}, lists);
  EXPECT_DOUBLE_EQ(weight_of(lists[46], 0), 0.5);
  brush.apply({.mode = BrushMode::subtract, .point = 46, .joint = 0, .radius = 0.1, .strength = 1}, lists);
  EXPECT_DOUBLE_EQ(weight_of(lists[46], 1), 1);
}

TEST(WeightBrush, GivesAJointsWeightToThoseOfItsNeighbours) {
  const Strips strips;
  Lists lists = strips.halves();
  const WeightBrush brush(strips.mesh);
  const Dab dab{.mode = BrushMode::subtract, .point = 28, .joint = 0, .radius = 0.04, .strength = 0.5};
  const auto changed = brush.apply(dab, lists);  // beside the border: joint 1 is near
  ASSERT_EQ(changed.size(), 1u);
  EXPECT_EQ(changed[0].point, 28);
  EXPECT_EQ(weight_of(changed[0].before, 0), 1);
  EXPECT_DOUBLE_EQ(weight_of(lists[28], 1), 0.5);
  Dab far = dab;
  far.point = 1;
  EXPECT_TRUE(brush.apply(far, lists).empty());  // nobody there could take over
}

TEST(WeightBrush, SmoothingSpreadsAStepAndLeavesConstantsAlone) {
  const Strips strips;
  Lists lists = strips.halves();
  const WeightBrush brush(strips.mesh);
  EXPECT_TRUE(brush.apply({.mode = BrushMode::smooth, .point = 4, .radius = 0.2, .strength = 1}, lists).empty());
  for (int k = 0; k < 20; ++k)
    brush.apply({.mode = BrushMode::smooth, .point = 31, .radius = 0.4, .strength = 1}, lists);
  for (int i = 22; i < 40; i += 3) EXPECT_LE(weight_of(lists[i], 1), weight_of(lists[i + 3], 1)) << i;
  EXPECT_GT(weight_of(lists[28], 1), 0.2);
  EXPECT_LT(weight_of(lists[31], 1), 0.8);
}

TEST(WeightBrush, LetsANewJointInWhereAllPlacesAreTaken) {
  const Strips strips;
  Lists lists(strips.mesh.point_count(), {{0, 0.4}, {1, 0.35}, {2, 0.25}});
  const WeightBrush brush(strips.mesh, 3);
  brush.apply({.point = 31, .joint = 5, .radius = 0.1, .strength = 0.05}, lists);
  EXPECT_EQ(lists[31].size(), 3u);
  EXPECT_GT(weight_of(lists[31], 5), 0);
  EXPECT_EQ(weight_of(lists[31], 2), 0);
}

TEST(WeightBrush, RefusesWhatIsNoTouch) {
  const Strips strips;
  Lists lists = strips.halves();
  const WeightBrush brush(strips.mesh);
  EXPECT_THROW(brush.apply({.point = 10000}, lists), Error);
  EXPECT_THROW(brush.apply({.point = 1, .radius = 0}, lists), Error);
  EXPECT_THROW(brush.apply({.point = 1, .strength = 2}, lists), Error);
  EXPECT_THROW(brush_mode("blur"), Error);
}

}  // namespace
}  // namespace rigspace::weight_brush_test
