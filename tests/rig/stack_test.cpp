// Deformers on top of each other, in different orders.
#include "deformers.h"

#include "rigspace/base/parallel.h"
#include "rigspace/testing/check_rig.h"
#include "support/allocations.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace rigspace {
namespace {

using namespace testing;

/// Lattice, wire, bend, blend shapes and skin, on overlapping ranges of points; `order` says which comes when.
std::unique_ptr<BuiltInRig> stack(int points, const std::array<int, 5>& order) {
  auto graph = std::make_shared<ControlGraph>();
  const auto joints = add_tree(*graph, 3);
  std::vector<std::unique_ptr<Deformer>> all(5);
  LatticeDescription lattice =
      add_lattice(*graph, points - 5, {.size = {3, 2, 5}, .frame = box_frame(1.2), .basis = LatticeBasis::b_spline});
  lattice.points.first = 5;
  all[0] = make_lattice(lattice);
  WireDescription wire{.radius = 1.5, .thinning = 0.3};
  wire.roll_end_slot = add_scalar(*graph, {.name = "roll", .unit = Unit::angle, .typical = 0.5});
  all[1] = make_wire(add_wire(*graph, points, wire));
  NonlinearDescription bend = add_nonlinear(*graph, points, Nonlinear::bend);
  bend.handle_slot = joints[1];
  all[2] = make_nonlinear(bend);
  MorphTarget smile{.weight_slot = add_scalar(*graph, {.name = "face:smile", .node = "face"})};
  const Vec offsets = 0.2 * random_points(points, 9);
  for (int k = 0; k < points; k += 2) smile.points.push_back(k), smile.offsets.push_back(offsets.segment<3>(3 * k));
  all[3] = make_blend_shapes(0, points, std::vector{smile});
  all[4] = make_linear_blend_skin(random_skin(points, 2, joints, 4));
  std::vector<std::unique_ptr<Deformer>> ordered;
  for (const int d : order) ordered.push_back(std::move(all[d]));
  return make_rig(graph, random_points(points, 1), std::move(ordered));
}

constexpr std::array<int, 5> kOrders[] = {{3, 0, 1, 2, 4}, {4, 2, 1, 0, 3}, {1, 4, 0, 3, 2}, {2, 3, 4, 1, 0}};

TEST(Stack, OfFiveObeysTheLawsOfRigsInEveryOrder) {
  for (const auto& order : kOrders) {
    const auto rig = stack(40, order);
    const auto report = check_rig(*rig, {.spread = 0.5});
    EXPECT_TRUE(report.ok()) << order[0] << order[1] << order[2] << order[3] << order[4] << ": " << report;
    EXPECT_GT(report.checks(), 100);
  }
}

TEST(Stack, HasAnExactDerivativeByTheRestPosition) {
  for (const auto& order : kOrders) {
    const auto rig = stack(30, order);
    const Vec p = random_pose(*rig, 0.5, 3);
    std::vector<Mat3> B;
    ASSERT_TRUE(rig->rest_jacobian(*rig->make_workspace(), p, B));
    const double h = 1e-6;
    for (int c = 0; c < 3; ++c) {
      Vec low = rig->points_rest(), high = low;
      for (int i = 0; i < 30; ++i) low[3 * i + c] -= h, high[3 * i + c] += h;
      const auto at = [&](const Vec& x) {
        const std::vector<std::shared_ptr<const Deformer>> same(rig->deformers().begin(), rig->deformers().end());
        return evaluated(BuiltInRig(rig->shared_graph(), x, same), p);
      };
      const Vec difference = (at(high) - at(low)) / (2 * h);
      for (int i = 0; i < 30; ++i) EXPECT_LT((B[i].col(c) - difference.segment<3>(3 * i)).norm(), 1e-7) << i;
    }
  }
}

TEST(Stack, GivesTheSameBitsOnAnyNumberOfThreads) {
  const auto rig = stack(3000, kOrders[0]);
  const Vec p = random_pose(*rig, 0.5, 3);
  std::vector<int> free(p.size());
  std::iota(free.begin(), free.end(), 0);
  const auto one = answers(*rig, p, free, 1);
  for (const int threads : {2, 8}) {
    const auto many = answers(*rig, p, free, threads);
    ASSERT_EQ(one.size(), many.size());
    EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(double)), 0) << threads << " threads";
  }
}

TEST(Stack, AllocatesNothingAfterTheFirstCall) {
  if (!RIGSPACE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "allocations cannot be counted in this build";
  const ThreadCountScope scope(1);
  const auto rig = stack(500, kOrders[0]);
  const auto workspace = rig->make_workspace();
  const Vec g = random_points(500, 5), poses[] = {random_pose(*rig, 0.5, 3), random_pose(*rig, 0.5, 4)};
  std::vector<int> free(poses[0].size());
  std::iota(free.begin(), free.end(), 0);
  Vec s, g_p;
  BlockJacobian J;
  const auto run = [&](const Vec& p) {
    rig->evaluate(*workspace, p, s);
    rig->jacobian(*workspace, p, free, J);
    rig->pull(*workspace, p, g, g_p);
  };
  allocations = 0;
  counting = true;
  run(poses[0]);
  counting = false;
  ASSERT_GT(allocations, 0);  // the counter sees the first call
  allocations = 0;
  counting = true;
  run(poses[1]);
  counting = false;
  EXPECT_EQ(allocations, 0);
}

}  // namespace
}  // namespace rigspace
