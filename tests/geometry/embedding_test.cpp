#include "rigspace/geometry/embedding.h"

#include "rigspace/base/error.h"
#include "rigspace/geometry/stuffing.h"
#include "solid_shapes.h"

#include <gtest/gtest.h>

#include <random>

namespace rigspace {
namespace {

using testing::blob;
using testing::cuboid;

Vec moved(const Vec& points, const Mat3& A, const Vec3& t) {
  Vec result(points.size());
  for (int i = 0; i < points.size() / 3; ++i) point(result, i) = A * point(points, i) + t;
  return result;
}

TEST(SurfaceBinding, ReproducesTheBoundary) {
  const TriMesh surface = blob(1);
  const Body body = stuff(surface, {.cell = 0.1});
  const SurfaceBinding binding = bind_boundary(body.mesh, surface);
  Vec linear, whole;
  binding.apply(surface.points, linear);
  binding.evaluate(surface.points, whole);
  int on_surface = 0;
  for (int i = 0; i < binding.count(); ++i) {
    const Vec3 node = point(body.mesh.points, binding.nodes[i]);
    EXPECT_LT((point(whole, i) - node).norm(), 1e-12);
    if (binding.off_surface[i]) continue;
    EXPECT_LT((point(linear, i) - node).norm(), 1e-12);
    EXPECT_GE(binding.weights[i].minCoeff(), 0);
    ++on_surface;
  }
  EXPECT_GT(on_surface, 0.98 * binding.count());
}

TEST(SurfaceBinding, MatrixIsItsLinearPartAndTransposeItsAdjoint) {
  const TriMesh surface = blob(2);
  const SurfaceBinding binding = bind_boundary(stuff(surface, {.cell = 0.2}).mesh, surface);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  Vec s(surface.points.size()), g(3 * binding.count());
  for (double& x : s) x = normal(random);
  for (double& x : g) x = normal(random);
  Vec b, g_s = Vec::Zero(s.size());
  binding.apply(s, b);
  binding.add_transposed(g, g_s);
  const auto B = binding.matrix();
  EXPECT_LT((B * s - b).norm(), 1e-12 * b.norm());
  EXPECT_LT((B.transpose() * g - g_s).norm(), 1e-12 * g_s.norm());
}

TEST(SurfaceBinding, IsExactForAffineMapsOfNodesOnTheSurface) {
  const TriMesh surface = blob(3);
  const Body body = stuff(surface, {.cell = 0.15});
  const SurfaceBinding binding = bind_boundary(body.mesh, surface);
  Mat3 A;
  A << 1.3, 0.2, -0.1, 0.4, 0.7, 0.3, 0.1, -0.5, 1.1;
  const Vec3 t(3, -2, 5);
  Vec b;
  binding.apply(moved(surface.points, A, t), b);
  for (int i = 0; i < binding.count(); ++i) {
    if (binding.off_surface[i]) continue;
    EXPECT_LT((point(b, i) - (A * point(body.mesh.points, binding.nodes[i]) + t)).norm(), 1e-11);
  }
}

TEST(SurfaceBinding, OffsetsTurnWithTheSurface) {
  // A plate that is thickened: most nodes are off its surface.
  const TriMesh plate = cuboid(Vec3(-1, -1, -0.01), Vec3(1, 1, 0.01));
  const Body body = stuff(plate, {.cell = 0.15});
  const SurfaceBinding binding = bind_boundary(body.mesh, plate);
  EXPECT_GT(std::count(binding.off_surface.begin(), binding.off_surface.end(), 1), binding.count() / 2);
  const Mat3 R = Eigen::AngleAxisd(1.1, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
  const Vec3 t(0.3, 0.1, -4);
  Vec b;
  binding.evaluate(moved(plate.points, R, t), b);
  for (int i = 0; i < binding.count(); ++i)
    EXPECT_LT((point(b, i) - (R * point(body.mesh.points, binding.nodes[i]) + t)).norm(), 1e-12);
}

TEST(SurfaceBinding, ChoosesTheSideThatFacesTheSameWay) {
  // Two plates almost in contact: nodes of each stay with their own, though the other is as near.
  const TriMesh low = cuboid(Vec3(-1, -1, -0.5), Vec3(1, 1, -1e-4)), high = cuboid(Vec3(-1, -1, 1e-4), Vec3(1, 1, 0.5));
  const TriMesh surface = testing::together(low, testing::flipped(high));  // orientation as it came does not matter
  const Body body = stuff(surface, {.cell = 0.2});
  EXPECT_EQ(connected_components(body.mesh).tets.size(), 2u);
  const SurfaceBinding binding = bind_boundary(body.mesh, surface);
  const TetComponents parts = connected_components(body.mesh);
  std::vector<int> part_of_node(body.mesh.point_count());
  std::vector<double> height(2, 0);
  for (int t = 0; t < body.mesh.tet_count(); ++t)
    for (const int c : body.mesh.tets[t]) {
      part_of_node[c] = parts.of_tet[t];
      height[parts.of_tet[t]] += body.mesh.points[3 * c + 2];
    }
  int wrong = 0, middle = 0;
  for (int i = 0; i < binding.count(); ++i) {
    const Vec3 x = point(body.mesh.points, binding.nodes[i]);
    if (std::abs(x[2]) > 0.01 || std::abs(x[0]) > 0.8 || std::abs(x[1]) > 0.8) continue;
    const bool node_high = height[part_of_node[binding.nodes[i]]] > 0;
    wrong += node_high != (binding.corners[i][0] >= low.point_count());
    ++middle;
  }
  EXPECT_GT(middle, 50);
  EXPECT_EQ(wrong, 0);
}

TEST(TetEmbedding, ReproducesPointsAndAffineMaps) {
  const TriMesh surface = blob(4);
  const Body body = stuff(surface, {.cell = 0.2});
  const TetEmbedding embedding = embed(body.mesh, surface.points);
  Vec x;
  embedding.evaluate(body.mesh.points, x);
  EXPECT_LT((x - surface.points).lpNorm<Eigen::Infinity>(), 1e-12);  // also of those just outside: extrapolated
  Mat3 A;
  A << 0.9, 0.3, 0, -0.2, 1.2, 0.5, 0.3, 0.1, 0.8;
  embedding.evaluate(moved(body.mesh.points, A, Vec3(1, 2, 3)), x);
  EXPECT_LT((x - moved(surface.points, A, Vec3(1, 2, 3))).lpNorm<Eigen::Infinity>(), 1e-11);
}

TEST(TetTree, FindsThePlaceOfEveryTetrahedron) {
  const Body body = stuff(blob(5), {.cell = 0.25});
  const TetTree tree(body.mesh);
  for (int t = 0; t < body.mesh.tet_count(); ++t) {
    Vec3 middle = Vec3::Zero();
    for (const int c : body.mesh.tets[t]) middle += 0.25 * point(body.mesh.points, c);
    ASSERT_EQ(tree.containing(middle), t);
    EXPECT_LT((tree.barycentric(t, middle) - Vec4::Constant(0.25)).norm(), 1e-12);
  }
  EXPECT_EQ(tree.containing(Vec3(9, 9, 9)), -1);
  EXPECT_GE(tree.nearest(Vec3(9, 9, 9)), 0);
}

TEST(TetEmbedding, OfNothingIsRefused) {
  EXPECT_THROW(embed(TetMesh{}, Vec::Zero(3)), Error);
  EXPECT_EQ(embed(TetMesh{}, Vec()).count(), 0);
}

}  // namespace
}  // namespace rigspace
