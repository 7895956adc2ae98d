// Bodies of the papers' scenes: as large as theirs, and at rest where the rig rests.

#include "rigspace/body/rig_body.h"

#include "rigspace/cast/cast.h"
#include "rigspace/geometry/stuffing.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

struct Scene {
  const char* name;
  int interior, surface;  ///< of RSP table 1: scalars
};

class Bodies : public ::testing::TestWithParam<Scene> {
 protected:
  Bodies() : character(make_character(GetParam().name)) {
    for (const CastMember& member : cast())
      if (member.name == GetParam().name) cell = member.proxy_cell;
  }

  Character character;
  double cell = 0;
};

TEST_P(Bodies, AreAsLargeAsThePapersAndKeepTheShapeThatFillsTheSurface) {
  const RigBody body = make_rig_body(character, {.cell = cell, .use_cache = true});
  EXPECT_NEAR(3 * (body.node_count() - body.skin_count()), GetParam().interior, 0.15 * GetParam().interior);
  EXPECT_NEAR(3 * body.rig->point_count(), GetParam().surface, 0.15 * GetParam().surface);
  // Thin petals and ears too, where nodes of the body lie beside the surface.
  TriMesh surface = rest_surface(character);
  surface.triangles = proxy_of(character)->triangles;
  const Body filled = stuff_with_cache(surface, {.cell = cell});
  ASSERT_EQ(body.mesh.points.size(), filled.mesh.points.size());
  const double size = bounding_box(surface.points).diagonal();
  EXPECT_LT((body.mesh.points - filled.mesh.points).cwiseAbs().maxCoeff(), 1e-9 * size);
}

TEST(RigBody, WithPointsIsTheBodyMadeWithThesePoints) {
  const Character bar = make_character("bar");
  const std::vector<int> points{3, 0};
  const RigBody made = make_rig_body(bar, {.cell = 0.08, .points = points});
  const RigBody whole = make_rig_body(bar, {.cell = 0.08, .all_points = true});
  EXPECT_EQ(whole.rig->point_count(), bar.rig->point_count());
  const RigBody body = with_points(whole, points);
  EXPECT_EQ(body.node_count(), whole.node_count() + 2);
  EXPECT_EQ(body.rig->point_count(), made.rig->point_count());
  EXPECT_EQ(body.skin, made.skin);
  EXPECT_EQ(body.mesh.tets, made.mesh.tets);
  EXPECT_EQ(body.mesh.points, made.mesh.points);
  EXPECT_EQ(body.ties.point, made.ties.point);
  EXPECT_EQ(body.ties.weight, made.ties.weight);
}

INSTANTIATE_TEST_SUITE_P(OfTheCast, Bodies,
                         ::testing::Values(Scene{"peanut", 3990, 2253}, Scene{"flower", 1089, 987},
                                           Scene{"sphere", 5430, 2580}, Scene{"bar", 489, 174}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace rigspace
