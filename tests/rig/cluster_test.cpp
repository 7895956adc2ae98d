#include "deformers.h"

#include "rigspace/base/error.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

using namespace testing;

TEST(Clusters, ObeyTheLawsOfRigs) {
  auto graph = std::make_shared<ControlGraph>();
  const auto slots = add_tree(*graph, 5);
  const auto rig = make_rig_of(graph, random_points(50, 1), make_clusters(random_clusters(50, slots, 2)));
  EXPECT_TRUE(check_rig(*rig).ok()) << check_rig(*rig);
}

TEST(Clusters, AddAndLeaveOthersAlone) {
  auto graph = std::make_shared<ControlGraph>();
  const int a = add_node(*graph, {.name = "a", .translation = Vec3(1, 2, 3)});
  const int b = add_node(*graph, {.name = "b"});
  Affine inverse_rest = Affine::Identity();
  inverse_rest.col(3) = -Vec3(1, 2, 3);
  const ClusterDescription clusters{.transform_slots = {a, b},
                                    .inverse_rest = {inverse_rest, Affine::Identity()},
                                    .influences = {{{0, 1.0}}, {{0, 0.5}, {1, 2.0}}, {}}};
  Vec points(9);
  points << 1, 2, 4, 0, 0, 0, 5, 5, 5;
  const auto rig = make_rig_of(graph, points, make_clusters(clusters));
  EXPECT_EQ(evaluated(*rig, rig->rest()), points);
  Vec p = rig->rest();
  p[rig->find("a.tx")] += 1;
  p[rig->find("a.rx")] = 0.5;  // about (2, 2, 3)
  p[rig->find("b.tz")] = 0.25;
  const Vec s = evaluated(*rig, p);
  const Vec3 pivot(2, 2, 3);
  const Vec3 first = rotation_exp(Vec3(0.5, 0, 0)) * Vec3(0, 0, 1) + pivot;
  const Vec3 second = 0.5 * (rotation_exp(Vec3(0.5, 0, 0)) * Vec3(-1, -2, -3) + pivot) + 2 * Vec3(0, 0, 0.25);
  EXPECT_LT((s.head<3>() - first).norm(), 1e-15);
  EXPECT_LT((s.segment<3>(3) - second).norm(), 1e-15);
  EXPECT_EQ(Vec3(s.tail<3>()), Vec3(5, 5, 5));
}

TEST(Clusters, AreNoSkinAndRefuseWhatCannotBe) {
  auto graph = std::make_shared<ControlGraph>();
  const auto slots = add_tree(*graph, 2);
  ClusterDescription clusters = random_clusters(10, slots, 2);
  const auto deformer = make_clusters(clusters);
  EXPECT_EQ(skin_description(*deformer), nullptr);  // weights need not sum to one: no writer may take it for a skin
  EXPECT_EQ(cluster_description(*deformer)->influences.size(), 10u);
  clusters.influences[0] = {{2, 1.0}};
  EXPECT_THROW(make_clusters(clusters), Error);
}

}  // namespace
}  // namespace rigspace
