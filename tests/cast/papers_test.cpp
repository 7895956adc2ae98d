// What the members that stand for scenes of the papers owe to them: how many points, interior nodes and controls.

#include <gtest/gtest.h>

#include "members.h"
#include "rigspace/geometry/stuffing.h"

namespace rigspace {
namespace {

using testing::built_in;
using testing::grouped;
using testing::member;

// RSP table 1 (scalars / 3), Thesis 4.3.2.
struct Scene {
  std::string name;
  int surface, interior;
};

class Paper : public ::testing::TestWithParam<Scene> {
 protected:
  static TriMesh proxy() {
    const Character& character = member(GetParam().name);
    const Piece& piece = *proxy_of(character);
    TriMesh mesh{.points = built_in(character).points_rest().segment(3 * piece.first_point, 3 * piece.point_count),
                 .triangles = piece.triangles};
    for (Triangle& t : mesh.triangles) {
      for (int& v : t) v -= piece.first_point;
    }
    return mesh;
  }
  static double cell() {
    for (const CastMember& each : cast()) {
      if (each.name == GetParam().name) return each.proxy_cell;
    }
    return 0;
  }
};

INSTANTIATE_TEST_SUITE_P(Scenes, Paper,
                         ::testing::Values(Scene{"peanut", 761, 1328}, Scene{"flower", 329, 363},
                                           Scene{"sphere", 860, 1810}, Scene{"bar", 58, 163}, Scene{"sumo", 1302, 967}),
                         [](const auto& each) { return each.param.name; });

TEST_P(Paper, ProxyHasAsManySurfacePoints) {
  EXPECT_EQ(proxy().point_count(), GetParam().surface);
  EXPECT_FALSE(proxy_of(member(GetParam().name))->drawn);
}

TEST_P(Paper, ProxyIsOneClosedPieceWithoutHandles) {
  const TriMesh mesh = proxy();
  const Components parts = connected_components(mesh);
  ASSERT_EQ(parts.parts.size(), 1u);
  EXPECT_TRUE(parts.all_closed());
  EXPECT_EQ(mesh.point_count() - mesh.triangle_count() / 2, 2);  // Euler
}

TEST_P(Paper, StuffedProxyHasAsManyInteriorNodes) {
  const Body body = stuff(proxy(), {.cell = cell()});
  const auto interior = body.mesh.point_count() - static_cast<int>(boundary_nodes(body.mesh).size());
  EXPECT_NEAR(interior, GetParam().interior, 0.15 * GetParam().interior);
  EXPECT_GT(volumes(body.mesh).minCoeff(), 0);  // none inverted
  for (const Cover cover : body.cover) EXPECT_EQ(cover, Cover::body);
}

TEST_P(Paper, ProxyFillsTheSameSpaceAsTheDisplay) {
  const Character& character = member(GetParam().name);
  const Piece& display = character.pieces.front();
  TriMesh mesh{.points = built_in(character).points_rest().head(3 * display.point_count),
               .triangles = display.triangles};
  EXPECT_NEAR(signed_volume(proxy()), signed_volume(mesh), 0.15 * signed_volume(mesh));
}

TEST_P(Paper, NoControlIsWithoutEffect) {
  // By its typical change, from a pose in which switches are half on and feet and hands are away from their IK
  // controls. Keyed orientations and scales of joints are the clips' and not offered.
  const Character& character = member(GetParam().name);
  const BuiltInRig& rig = built_in(character);
  Vec p = rig.rest();
  for (int c = 0; c < static_cast<int>(rig.controls().size()); ++c) {
    const Control& control = rig.controls()[c];
    if (control.unit == Unit::scalar && control.min == 0 && control.max == 1) p[c] = 0.5;
    if (control.name.find("_ctrl_") != std::string::npos && control.name.ends_with(".ty")) p[c] += 0.04;
  }
  const Vec before = testing::points_of(character, p);
  for (int c = 0; c < static_cast<int>(rig.controls().size()); ++c) {
    const Control& control = rig.controls()[c];
    if (control.unit == Unit::quaternion || control.unit == Unit::scale) continue;
    const double kept = p[c];
    p[c] += 0.5 * control.typical;
    EXPECT_GT((testing::points_of(character, p) - before).cwiseAbs().maxCoeff(), 1e-5) << control.name;
    p[c] = kept;
  }
}

TEST_P(Paper, AdjointOfTheFullRigEqualsDifferences) {
  // In the middle of a clip, switches half on, where no limit is near; on points of the proxy; keyed orientations stay.
  const Character& character = member(GetParam().name);
  const Piece& piece = *proxy_of(character);
  std::vector<int> some;
  for (int v = 0; v < piece.point_count; v += 7) some.push_back(piece.first_point + v);
  const auto rig = character.rig->restricted(some);
  const auto workspace = rig->make_workspace();
  const Vec g = Vec::LinSpaced(3 * rig->point_count(), -1, 1).array().sin() + 0.3;  // any direction
  Vec p = pose_at(character, &character.clips.front(), 0.3), g_p, s;
  const std::span<const Control> controls = rig->controls();
  for (std::size_t c = 0; c < controls.size(); ++c) {
    if (controls[c].unit == Unit::scalar && controls[c].max == 1) p[c] = 0.5;
    if (controls[c].name.find("_ctrl_") != std::string::npos && controls[c].name.ends_with(".ty")) p[c] += 0.03;
  }
  rig->pull(*workspace, p, g, g_p);
  ASSERT_GT(g_p.norm(), 0);
  for (std::size_t c = 0; c < controls.size(); ++c) {
    if (controls[c].unit == Unit::quaternion) continue;
    const double kept = p[c], step = 1e-5 * controls[c].typical;
    const auto along_g = [&](double value) {
      p[c] = value;
      rig->evaluate(*workspace, p, s);
      return g.dot(s);
    };
    const double slope = (along_g(kept + step) - along_g(kept - step)) / (2 * step);
    p[c] = kept;
    // Rounding of the sum over the step, and the third derivative.
    EXPECT_NEAR(g_p[c], slope, 1e-6 * g_p.cwiseAbs().maxCoeff()) << controls[c].name;
  }
}

TEST(PaperControls, AreAsManyAsInTheTables) {
  const Character& peanut = member("peanut");
  EXPECT_EQ(grouped(peanut, "belly"), 36);
  EXPECT_EQ(grouped(peanut, "trunk"), 13);
  EXPECT_EQ(grouped(peanut, "tail"), 12);
  EXPECT_EQ(grouped(peanut, "shoulders"), 3);
  EXPECT_EQ(grouped(peanut, "ears"), 2);
  const Character& flower = member("flower");
  EXPECT_EQ(grouped(flower, "stem") + grouped(flower, "leaf") + grouped(flower, "blossom"), 24);
  const Character& sumo = member("sumo");
  EXPECT_EQ(grouped(sumo, "belly") + grouped(sumo, "chest") + grouped(sumo, "cheek") + grouped(sumo, "hair"), 174);
  const Character& bar = member("bar");
  EXPECT_EQ(grouped(bar, "modes"), 4);
  EXPECT_EQ(grouped(bar, "joints"), 12);
}

TEST(PaperControls, LeaveTheRestOfTheBodyAlone) {
  // Peanut's belly at its limit moves neither hands, feet, head nor the tip of the trunk.
  const Character& peanut = member("peanut");
  const BuiltInRig& rig = built_in(peanut);
  Vec p = rig.rest();
  for (int c = 0; c < static_cast<int>(rig.controls().size()); ++c) {
    if (rig.controls()[c].group == "belly") p[c] += 0.05;
  }
  const Vec moved = testing::points_of(peanut, p) - rig.points_rest();
  double belly = 0;
  for (int v = 0; v < peanut.pieces.front().point_count; ++v) {
    const Vec3 x = point(rig.points_rest(), v), d = point(moved, v);
    belly = std::max(belly, d.norm());
    if (x.y() < 0.1 || x.y() > 0.85 || x.z() > 0.45 || std::abs(x.x()) > 0.38) {
      EXPECT_LT(d.norm(), 1e-3) << x.transpose();
    }
  }
  EXPECT_GT(belly, 0.05);
}

TEST(Bar, BendsAsInTheFigure) {
  // p1 lifts the left end alone and leaves the inner joint's part; p2 lifts more of the left side; the right is still.
  const Character& bar = member("bar");
  const Vec& rest = built_in(bar).points_rest();
  const auto lift_between = [&](const char* control, double from, double to) {
    const Vec moved = testing::points_of(bar, testing::posed(bar, {{control, 0.3}})) - rest;
    double most = 0;
    for (int v = 0; v < bar.pieces.front().point_count; ++v) {
      if (rest[3 * v] > from && rest[3 * v] < to) most = std::max(most, moved[3 * v + 1]);
    }
    return most;
  };
  EXPECT_GT(lift_between("p1", -0.5, -0.4), 0.02);
  EXPECT_LT(lift_between("p1", -0.25, 0.5), 1e-9);
  EXPECT_GT(lift_between("p2", -0.25, -0.2), 0.01);
  EXPECT_GT(lift_between("p2", -0.5, -0.4), lift_between("p1", -0.5, -0.4));
  EXPECT_LT(lift_between("p2", -0.05, 0.5), 1e-9);
  EXPECT_GT(lift_between("p4", 0.4, 0.5), 0.02);
  EXPECT_GT(lift_between("p3", 0.2, 0.25), 0.01);
}

}  // namespace
}  // namespace rigspace
