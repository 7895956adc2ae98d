#include "deformers.h"

#include "rigspace/base/error.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <algorithm>

namespace rigspace {
namespace {

using namespace testing;

constexpr LatticeBasis kBases[] = {LatticeBasis::bezier, LatticeBasis::b_spline};

TEST(Lattice, ObeysTheLawsOfRigs) {
  for (const LatticeBasis basis : kBases)
    for (const LatticeOutside outside : {LatticeOutside::still, LatticeOutside::fade, LatticeOutside::extend}) {
      auto graph = std::make_shared<ControlGraph>();
      LatticeDescription lattice{.size = {3, 6, 2}, .frame = box_frame(0.8), .basis = basis, .outside = outside};
      lattice.points.weights.assign(40, 1);
      for (int k = 0; k < 40; k += 4) lattice.points.weights[k] = 0.1 * k / 4;
      lattice = add_lattice(*graph, 40, lattice);
      const auto rig = make_rig_of(graph, random_points(40, 1), make_lattice(lattice));
      const auto report = check_rig(*rig);
      EXPECT_TRUE(report.ok()) << static_cast<int>(basis) << static_cast<int>(outside) << report;
    }
}

TEST(Lattice, IsExactlyTheIdentityAtRest) {
  auto graph = std::make_shared<ControlGraph>();
  const auto lattice = add_lattice(*graph, 30, {.size = {4, 5, 3}, .frame = box_frame()});
  const Vec points = random_points(30, 2);
  const auto rig = make_rig_of(graph, points, make_lattice(lattice));
  EXPECT_EQ(evaluated(*rig, rig->rest()), points);
}

// Partition of unity and linear precision: what all lattice points do affinely, the inside does, and with `extend` all
// of space.
TEST(Lattice, FollowsAffineMotionsOfAllItsPointsExactly) {
  Affine motion;
  motion << 0.6, -0.8, 0.3, 0.5, 0.9, 0.7, -0.2, -1, 0.1, 0.4, 1.3, 2;
  for (const LatticeBasis basis : kBases)
    for (const std::array<int, 3> size : {std::array{2, 3, 4}, std::array{5, 6, 9}}) {
      auto graph = std::make_shared<ControlGraph>();
      const auto lattice = add_lattice(
          *graph, 50, {.size = size, .frame = box_frame(0.6), .basis = basis, .outside = LatticeOutside::extend});
      const Vec points = random_points(50, 3);
      const auto rig = make_rig_of(graph, points, make_lattice(lattice));
      Vec p = rig->rest();
      const auto rest = lattice_points(lattice);
      for (std::size_t i = 0; i < rest.size(); ++i)
        set_point(*rig, p, "lattice" + std::to_string(i), apply(motion, rest[i]) - rest[i]);
      const Vec s = evaluated(*rig, p);
      for (int k = 0; k < 50; ++k)
        EXPECT_LT((s.segment<3>(3 * k) - apply(motion, points.segment<3>(3 * k))).norm(), 1e-13);
    }
}

TEST(Lattice, IsTheQuadraticBezierVolumeOfSederbergAndParry) {
  auto graph = std::make_shared<ControlGraph>();
  const auto lattice = add_lattice(*graph, 1, {.size = {3, 3, 3}});  // the unit box
  const Vec x{{0.3, 0.8, 0.45}};
  const auto rig = make_rig_of(graph, x, make_lattice(lattice));
  const Vec p = random_pose(*rig, 1, 4);
  Vec3 expected = Vec3::Zero();
  const auto bernstein = [](int i, double t) { return i == 0 ? (1 - t) * (1 - t) : i == 1 ? 2 * t * (1 - t) : t * t; };
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k)
        expected += bernstein(i, x[0]) * bernstein(j, x[1]) * bernstein(k, x[2]) *
                    (Vec3(i, j, k) / 2 + p.segment<3>(3 * (i + 3 * j + 9 * k)));  // absolute, as they print it
  EXPECT_LT((evaluated(*rig, p) - expected).norm(), 1e-14);
}

// With four points the clamped cubic B-spline is the cubic Bezier curve; with more, a point far away is not felt.
TEST(Lattice, BSplinesEqualBezierForOneSpanAndAreLocalForMany) {
  const Vec points = random_points(20, 5);
  Vec moved[2];
  for (int b = 0; b < 2; ++b) {
    auto graph = std::make_shared<ControlGraph>();
    const auto rig = make_rig_of(
        graph, points,
        make_lattice(add_lattice(*graph, 20, {.size = {4, 4, 4}, .frame = box_frame(), .basis = kBases[b]})));
    moved[b] = evaluated(*rig, random_pose(*rig, 1, 6));
  }
  EXPECT_LT((moved[0] - moved[1]).norm(), 1e-13);

  auto graph = std::make_shared<ControlGraph>();
  const Vec place{{0.1, 0.5, 0.5}};
  const auto rig = make_rig_of(
      graph, place, make_lattice(add_lattice(*graph, 1, {.size = {8, 2, 2}, .basis = LatticeBasis::b_spline})));
  Vec p = rig->rest();
  set_point(*rig, p, "lattice4", Vec3(1, 1, 1));  // its weight begins at 1/5
  EXPECT_EQ(evaluated(*rig, p), place);
  set_point(*rig, p, "lattice3", Vec3(1, 1, 1));
  EXPECT_NE(evaluated(*rig, p), place);
}

TEST(Lattice, FadesSmoothlyOutsideItsBox) {
  auto graph = std::make_shared<ControlGraph>();
  const auto lattice = add_lattice(*graph, 401, {.size = {3, 3, 3}, .margin = Vec3::Constant(0.4)});
  Vec points(3 * 401);
  for (int k = 0; k <= 400; ++k) points.segment<3>(3 * k) = Vec3(0.5 + 0.005 * k, 0.4, 0.6);
  const auto rig = make_rig_of(graph, points, make_lattice(lattice));
  Vec p = rig->rest();
  for (int i = 0; i < 27; ++i) set_point(*rig, p, "lattice" + std::to_string(i), Vec3(0, 1 + 0.5 * (i % 3), 0));
  const Vec move = evaluated(*rig, p) - points;
  // The box ends at k = 100, the margin at 180: closed form (1 + u) (1 - e^2)^2 with e = (u - 1) / 0.4.
  for (int k = 0; k <= 400; ++k) {
    const double u = points[3 * k], e = std::clamp((u - 1) / 0.4, 0.0, 1.0);
    EXPECT_NEAR(move[3 * k + 1], (1 + u) * (1 - e * e) * (1 - e * e), 1e-14) << u;
  }
  std::vector<Mat3> B;
  rig->rest_jacobian(*rig->make_workspace(), p, B);
  for (int k = 1; k <= 400; ++k)  // C1: the second derivative is at most 2.4 * 8 / 0.4^2 = 120, times 0.005
    EXPECT_LT((B[k] - B[k - 1]).norm(), 0.62);
}

TEST(Lattice, LeavesOutWhatItCannotReach) {
  const Vec points = 2 * random_points(200, 7);
  for (const double drift : {0.0, 0.3}) {
    auto graph = std::make_shared<ControlGraph>();
    LatticeDescription all = add_lattice(
        *graph, 200,
        {.size = {7, 7, 7}, .frame = box_frame(), .basis = LatticeBasis::b_spline, .margin = Vec3::Constant(0.1)});
    LatticeDescription near = all;
    near.points.rest = points;
    near.points.drift = drift;
    const auto dense = make_rig_of(graph, points, make_lattice(all)),
               sparse = make_rig_of(graph, points, make_lattice(near));
    const Vec p = random_pose(*dense, 1, 8);
    EXPECT_LT((evaluated(*dense, p) - evaluated(*sparse, p)).norm(), 1e-13);
    std::vector<int> free(p.size());
    for (std::size_t k = 0; k < free.size(); ++k) free[k] = static_cast<int>(k);
    BlockJacobian J_dense, J_sparse;
    dense->jacobian(*dense->make_workspace(), p, free, J_dense);
    sparse->jacobian(*sparse->make_workspace(), p, free, J_sparse);
    EXPECT_LT((J_dense.dense() - J_sparse.dense()).norm(), 1e-13);
    EXPECT_LT(J_sparse.column.size(), J_dense.column.size() / (drift == 0 ? 20 : 5));
    int untouched = 0;
    for (int k = 0; k < 200; ++k) untouched += J_sparse.start[k] == J_sparse.start[k + 1];
    EXPECT_GT(untouched, 50);
  }
}

TEST(Lattice, RefusesWhatCannotBe) {
  auto graph = std::make_shared<ControlGraph>();
  const auto good = add_lattice(*graph, 5, {.size = {2, 2, 2}});
  const auto sentence = [&](auto&& spoil) {
    LatticeDescription bad = good;
    spoil(bad);
    try {
      make_lattice(bad);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(sentence([](auto&) {}), "");
  EXPECT_NE(sentence([](auto& bad) { bad.point_slots.pop_back(); }).find("number of points is 7"), std::string::npos);
  EXPECT_NE(sentence([](auto& bad) { bad.size[1] = 1; }).find("size is 1"), std::string::npos);
  EXPECT_NE(sentence([](auto& bad) { bad.frame.col(2) = bad.frame.col(1); }).find("volume"), std::string::npos);
  EXPECT_NE(sentence([](auto& bad) { bad.margin[0] = 0; }).find("margin"), std::string::npos);
  EXPECT_NE(sentence([](auto& bad) { bad.points.weights = {1, 2}; }).find("weights is 2"), std::string::npos);
  EXPECT_EQ(lattice_description(*make_lattice(good))->size, good.size);
  EXPECT_EQ(lattice_description(*make_rigid(0, 1, 0)), nullptr);
}

}  // namespace
}  // namespace rigspace
