#include "rigspace/rig/wrap.h"

#include "deformers.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/testing/check_rig.h"
#include "support/allocations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>

namespace rigspace {
namespace {

using namespace testing;

/// A tube along y, n rings of m points.
TriMesh tube(int n, int m, double radius) {
  TriMesh mesh;
  mesh.points.resize(3 * n * m);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      const double angle = 2 * std::numbers::pi * (j + 0.5 * i) / m;
      mesh.points.segment<3>(3 * (i * m + j)) =
          Vec3(radius * std::cos(angle), 2.0 * i / (n - 1) - 1, -radius * std::sin(angle));
    }
  for (int i = 0; i + 1 < n; ++i)
    for (int j = 0; j < m; ++j) {
      const int a = i * m + j, b = i * m + (j + 1) % m;
      mesh.triangles.push_back({a, b, a + m});
      mesh.triangles.push_back({b, b + m, a + m});
    }
  return mesh;
}

struct Wrapped {
  TriMesh coarse = tube(6, 8, 0.5), fine = tube(17, 12, 0.55);
  std::shared_ptr<const Rig> base;

  Wrapped() {
    auto graph = std::make_shared<ControlGraph>();
    const auto joints = add_tree(*graph, 3);
    const auto lattice = add_lattice(*graph, coarse.point_count(), {.size = {2, 3, 2}, .frame = box_frame()});
    base = make_rig_of(graph, coarse.points, make_lattice(lattice),
                       make_linear_blend_skin(random_skin(coarse.point_count(), 2, joints, 2)));
  }
};

TEST(Wrap, ObeysTheLawsOfRigs) {
  const Wrapped wrapped;
  for (const bool keep : {true, false}) {
    const WrapRig rig(wrapped.base, wrapped.coarse, wrapped.fine.points, {.keep_base = keep});
    EXPECT_EQ(rig.point_count(), (keep ? 48 : 0) + 17 * 12);
    const auto report = check_rig(rig, {.spread = 0.5});
    EXPECT_TRUE(report.ok()) << report;
  }
}

/// One node carries everything.
std::unique_ptr<WrapRig> carried(const TriMesh& coarse, const TriMesh& fine) {
  auto graph = std::make_shared<ControlGraph>();
  const int node = add_node(*graph, {.name = "node"});
  return std::make_unique<WrapRig>(make_rig_of(graph, coarse.points, make_rigid(0, coarse.point_count(), node)), coarse,
                                   fine.points, WrapOptions{.keep_base = false});
}

TEST(Wrap, FollowsSimilaritiesOfTheBaseAndRestsWhereItWas) {
  const Wrapped wrapped;
  const auto rig = carried(wrapped.coarse, wrapped.fine);
  EXPECT_LT((evaluated(*rig, rig->rest()) - wrapped.fine.points).cwiseAbs().maxCoeff(), 1e-14);
  Vec p = rig->rest();
  p[rig->find("node.rx")] = 0.7, p[rig->find("node.rz")] = -1.1, p[rig->find("node.ty")] = 2;
  for (const char* scale : {"node.sx", "node.sy", "node.sz"}) p[rig->find(scale)] = 1.4;
  const Mat3 turn = 1.4 * rotation_exp(Vec3(0.7, 0, -1.1));
  const Vec s = evaluated(*rig, p);
  for (int i = 0; i < rig->point_count(); ++i)
    EXPECT_LT((s.segment<3>(3 * i) - turn * point(wrapped.fine.points, i) - Vec3(0, 2, 0)).norm(), 1e-13);
  std::vector<Mat3> B;
  ASSERT_TRUE(rig->rest_jacobian(*rig->make_workspace(), p, B));
  for (const Mat3& slope : B) EXPECT_LT((slope - turn).norm(), 1e-13);
}

TEST(Wrap, DoesNotShowWhichOfManyTrianglesWereLeftOut) {
  // A regular tube has many triangles equally far from a point on its axis: rounding decides their order.
  const Wrapped wrapped;
  TriMesh rounded = wrapped.coarse;
  rounded.points += 1e-9 * random_points(rounded.point_count(), 7);
  const TriMesh axis = tube(9, 3, 0.02);
  for (const int most : {4, 16}) {
    const WrapRig a(wrapped.base, wrapped.coarse, axis.points, {.blend = 2, .max_triangles = most, .keep_base = false});
    const WrapRig b(wrapped.base, rounded, axis.points, {.blend = 2, .max_triangles = most, .keep_base = false});
    const Vec p = random_pose(a, 0.5, 3);
    const Vec apart = evaluated(a, p) - evaluated(b, p);
    EXPECT_LT(apart.cwiseAbs().maxCoeff(), 1e-5) << most;
  }
}

TEST(Wrap, TouchesOnlyTheBasePointsThatItNeeds) {
  /// Counts what it is asked for.
  struct Counting : Rig {
    std::shared_ptr<const Rig> inner;
    mutable std::shared_ptr<std::size_t> asked = std::make_shared<std::size_t>(0);
    std::span<const Control> controls() const override { return inner->controls(); }
    int point_count() const override { return inner->point_count(); }
    std::unique_ptr<Workspace> make_workspace() const override { return inner->make_workspace(); }
    void evaluate(Workspace& workspace, In p, Vec& s) const override { inner->evaluate(workspace, p, s); }
    std::unique_ptr<Rig> restricted(std::span<const int> points) const override {
      *asked = points.size();
      return inner->restricted(points);
    }
  };
  const Wrapped wrapped;
  auto counting = std::make_shared<Counting>();
  counting->inner = wrapped.base;
  auto rig = std::make_unique<WrapRig>(counting, wrapped.coarse, wrapped.fine.points);
  const int last = rig->point_count() - 1;
  const Vec p = random_pose(*rig, 0.5, 3);
  const Vec whole = evaluated(*rig, p);
  auto part = rig->restricted(std::vector{5, last - 1, last});
  EXPECT_GT(*counting->asked, 3u);
  EXPECT_LT(*counting->asked, 30u);
  const auto less = part->restricted(std::vector{0, 2});
  part.reset();
  rig.reset();  // the restricted ones stand on their own
  const Vec s = evaluated(*less, p);
  EXPECT_LT((s.head<3>() - point(whole, 5)).norm(), 1e-14);
  EXPECT_LT((s.tail<3>() - point(whole, last)).norm(), 1e-14);
}

/// A body in a lattice and on joints, a shirt that follows it, a badge that follows the shirt, all in one rig; joints
/// move the shirt a little more afterwards. `late`: the shirt is wrapped after the badge, which then misses it.
std::unique_ptr<BuiltInRig> dressed(const Wrapped& wrapped, bool late = false) {
  auto graph = std::make_shared<ControlGraph>();
  const auto joints = add_tree(*graph, 3);
  const auto lattice = add_lattice(*graph, wrapped.coarse.point_count(), {.size = {2, 3, 2}, .frame = box_frame()});
  const TriMesh badge = tube(3, 4, 0.1);
  const int body = wrapped.coarse.point_count(), shirt = wrapped.fine.point_count(), all = body + shirt + 12;
  Vec rest(3 * all);
  rest << wrapped.coarse.points, wrapped.fine.points, badge.points;
  const auto make = [&](int first, int count, const TriMesh& followed, int offset) {
    WrapDescription wrap{.first_point = first,
                         .weights = std::vector<double>(count, 1),
                         .surface = {rest, followed.triangles},
                         .rest_slopes = std::vector<Mat3>(count, Mat3::Identity()),
                         .options = {}};
    for (int k = 0; k < count; k += 3) wrap.weights[k] = k % 2 == 0 ? 0 : 0.4;
    for (Triangle& triangle : wrap.surface.triangles)
      for (int& corner : triangle) corner += offset;
    return std::shared_ptr<const Deformer>(make_wrap(wrap));
  };
  std::vector<std::shared_ptr<const Deformer>> stack{
      make_lattice(lattice), make_linear_blend_skin(random_skin(body, 2, joints, 2)),
      make(body, shirt, wrapped.coarse, 0), make(body + shirt, 12, wrapped.fine, body)};
  if (late) std::swap(stack[2], stack[3]);
  SkinDescription more = random_skin(shirt, 2, joints, 2);
  more.first_point = body;
  stack.push_back(make_linear_blend_skin(more));
  return std::make_unique<BuiltInRig>(graph, rest, stack);
}

TEST(WrapDeformer, ObeysTheLawsOfRigs) {
  const Wrapped wrapped;
  for (const bool late : {false, true}) {
    const auto rig = dressed(wrapped, late);
    const auto report = check_rig(*rig, {.spread = 0.5});
    EXPECT_TRUE(report.ok()) << report;
  }
}

TEST(WrapDeformer, EqualsTheWrapAroundTheBase) {
  const Wrapped wrapped;
  const WrapRig around(wrapped.base, wrapped.coarse, wrapped.fine.points);
  const auto& base = dynamic_cast<const BuiltInRig&>(*wrapped.base);
  const int body = wrapped.coarse.point_count(), shirt = wrapped.fine.point_count();
  Vec rest(3 * (body + shirt));
  rest << wrapped.coarse.points, wrapped.fine.points;
  std::vector<std::shared_ptr<const Deformer>> stack(base.deformers().begin(), base.deformers().end());
  stack.push_back(make_wrap({.first_point = body,
                             .weights = std::vector<double>(shirt, 1),
                             .surface = {rest, wrapped.coarse.triangles},
                             .rest_slopes = std::vector<Mat3>(shirt, Mat3::Identity()),
                             .options = {}}));
  const BuiltInRig within(base.shared_graph(), rest, stack);
  const Vec p = random_pose(within, 0.5, 3);
  EXPECT_LT((evaluated(within, p) - evaluated(around, p)).cwiseAbs().maxCoeff(), 1e-14);
  std::vector<Mat3> B, C;
  ASSERT_TRUE(within.rest_jacobian(*within.make_workspace(), p, B));
  ASSERT_TRUE(around.rest_jacobian(*around.make_workspace(), p, C));
  ASSERT_EQ(B.size(), C.size());
  for (std::size_t i = 0; i < B.size(); ++i) EXPECT_LT((B[i] - C[i]).norm(), 1e-12);
}

TEST(WrapDeformer, TakesAlongWhatItFollowsWhenRestricted) {
  const Wrapped wrapped;
  auto rig = dressed(wrapped);
  const Vec p = random_pose(*rig, 0.5, 3), whole = evaluated(*rig, p);
  const int last = rig->point_count() - 1;  // of the badge, which follows the shirt, which follows the body
  const auto part = rig->restricted(std::vector{5, 60, last}), less = part->restricted(std::vector{0, 2});
  std::vector<Mat3> B, C;
  rig->rest_jacobian(*rig->make_workspace(), p, B);
  ASSERT_TRUE(part->rest_jacobian(*part->make_workspace(), p, C));
  EXPECT_LT((B[60] - C[1]).norm() + (B[last] - C[2]).norm(), 1e-13);
  rig.reset();  // the restricted ones stand on their own
  EXPECT_EQ(part->point_count(), 3);
  EXPECT_LT((evaluated(*part, p) - (Vec(9) << point(whole, 5), point(whole, 60), point(whole, last)).finished()).norm(),
            1e-13);
  EXPECT_LT((evaluated(*less, p).tail<3>() - point(whole, last)).norm(), 1e-13);
}

TEST(WrapDeformer, AllocatesNothingAfterTheFirstCallAndGivesTheSameBitsOnAnyNumberOfThreads) {
  const Wrapped wrapped;
  const auto rig = dressed(wrapped);
  std::vector<int> free(rig->controls().size());
  std::iota(free.begin(), free.end(), 0);
  const Vec g = random_points(rig->point_count(), 5), poses[] = {random_pose(*rig, 0.5, 3), random_pose(*rig, 0.5, 4)};
  const auto run = [&](int threads, bool counted) {
    const ThreadCountScope scope(threads);
    const auto workspace = rig->make_workspace();
    Vec s, g_p;
    BlockJacobian J;
    for (const Vec& p : poses) {
      allocations = 0;
      counting = counted;
      rig->evaluate(*workspace, p, s);
      rig->jacobian(*workspace, p, free, J);
      rig->pull(*workspace, p, g, g_p);
      counting = false;
    }
    if (counted) {
      EXPECT_EQ(allocations, 0);
    }
    std::vector<double> bits(s.data(), s.data() + s.size());
    bits.insert(bits.end(), J.value.data(), J.value.data() + J.value.size());
    bits.insert(bits.end(), g_p.data(), g_p.data() + g_p.size());
    return bits;
  };
  const auto one = run(1, RIGSPACE_COUNTS_ALLOCATIONS);
  for (const int threads : {2, 8}) {
    const auto many = run(threads, false);
    ASSERT_EQ(one.size(), many.size());
    EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(double)), 0) << threads;
  }
}

TEST(WrapDeformer, RefusesToFollowItself) {
  const Wrapped wrapped;
  WrapDescription wrap{.first_point = 0,
                       .weights = std::vector<double>(4, 1),
                       .surface = wrapped.coarse,
                       .rest_slopes = std::vector<Mat3>(4, Mat3::Identity()),
                       .options = {}};
  EXPECT_THROW(make_wrap(wrap), Error);
}

TEST(Wrap, GivesTheSameBitsOnAnyNumberOfThreads) {
  const Wrapped wrapped;
  const auto run = [&](int threads) {
    const ThreadCountScope scope(threads);
    const WrapRig rig(wrapped.base, wrapped.coarse, tube(60, 30, 0.56).points);
    const Vec p = random_pose(rig, 0.5, 3);
    std::vector<int> all(p.size());
    std::iota(all.begin(), all.end(), 0);
    BlockJacobian J;
    rig.jacobian(*rig.make_workspace(), p, all, J);
    const Vec s = evaluated(rig, p);
    std::vector<double> bits(s.data(), s.data() + s.size());
    bits.insert(bits.end(), J.value.data(), J.value.data() + J.value.size());
    return bits;
  };
  const auto one = run(1);
  for (const int threads : {2, 8}) {
    const auto many = run(threads);
    ASSERT_EQ(one.size(), many.size());
    EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(double)), 0) << threads;
  }
}

TEST(Wrap, AllocatesNothingAfterTheFirstCall) {
  if (!RIGSPACE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "allocations cannot be counted in this build";
  const ThreadCountScope scope(1);
  const Wrapped wrapped;
  const WrapRig rig(wrapped.base, wrapped.coarse, wrapped.fine.points);
  const auto workspace = rig.make_workspace();
  std::vector<int> free(rig.controls().size());
  std::iota(free.begin(), free.end(), 0);
  const Vec g = random_points(rig.point_count(), 5), poses[] = {random_pose(rig, 0.5, 3), random_pose(rig, 0.5, 4)};
  Vec s, g_p;
  BlockJacobian J;
  for (const Vec& p : poses) {
    allocations = 0;
    counting = true;
    rig.evaluate(*workspace, p, s);
    rig.jacobian(*workspace, p, free, J);
    rig.pull(*workspace, p, g, g_p);
    counting = false;
    if (&p == poses) {
      ASSERT_GT(allocations, 0);  // the counter sees the first call
    } else {
      EXPECT_EQ(allocations, 0);
    }
  }
}

TEST(Wrap, RefusesWhatCannotBe) {
  const Wrapped wrapped;
  const auto refuses = [&](const TriMesh& mesh, const WrapOptions& options) {
    try {
      WrapRig rig(wrapped.base, mesh, wrapped.fine.points, options);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refuses(wrapped.coarse, {}));
  EXPECT_TRUE(refuses(wrapped.coarse, {.blend = 0}));
  EXPECT_TRUE(refuses(wrapped.coarse, {.max_triangles = 65}));
  EXPECT_TRUE(refuses(wrapped.fine, {}));  // more points than the base has
  TriMesh flat = wrapped.coarse;
  flat.triangles.push_back({0, 1, 1});
  EXPECT_TRUE(refuses(flat, {}));
  flat.triangles.clear();
  EXPECT_TRUE(refuses(flat, {}));
}

}  // namespace
}  // namespace rigspace
