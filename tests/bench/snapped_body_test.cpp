#include "bench/snapped_body.h"

#include "rigspace/cast/sized.h"

#include <gtest/gtest.h>

namespace rigspace::bench {
namespace {

/// Coarse tetrahedra in a fine surface.
const RigBody& body() {
  static const RigBody made = make_rig_body(make_sized_peanut(20000), {.cell = 0.09});
  return made;
}

Vec carried(const RigBody& of, In p) {
  Vec s, x;
  of.rig->evaluate(*of.rig->make_workspace(), p, s);
  of.ties.apply(s, x);
  return x;
}

TEST(SnappedBody, GivesNodesOnTheSurfaceOnePoint) {
  const RigBody lean = snapped_to_points(body());
  const auto ties = [](const RigBody& of, int i) { return std::ssize(of.ties.points_of(i)); };
  int on_surface = 0, single = 0;
  for (int i = 0; i < lean.node_count(); ++i) {
    if (!body().skin[i] || ties(body(), i) > 3) continue;  // beside it, where the tail is thinner than a cell
    ++on_surface;
    single += ties(lean, i) == 1 && lean.ties.weights_of(i)[0] == 1;
  }
  EXPECT_GT(on_surface, 300);
  EXPECT_GT(single, 0.95 * on_surface);
  EXPECT_LT(lean.rig->point_count(), body().rig->point_count());
  EXPECT_EQ(lean.mesh.tets, body().mesh.tets);
  EXPECT_EQ(lean.skin, body().skin);
}

TEST(SnappedBody, KeepsTheShapeAndItsTetrahedraUpright) {
  const RigBody lean = snapped_to_points(body());
  EXPECT_EQ(quality(lean.mesh).inverted, 0);
  EXPECT_NEAR(volume(lean.mesh), volume(body().mesh), 0.01 * volume(body().mesh));
  const Vec apart = lean.mesh.points - body().mesh.points;
  EXPECT_LT(apart.cwiseAbs().maxCoeff(), 0.02);  // a fifth of a cell: skin by 0.2 edges, the inside by less
  EXPECT_GT(apart.cwiseAbs().maxCoeff(), 0);
}

TEST(SnappedBody, MovesNodesAsTheirPlacesWereMoved) {
  const RigBody lean = snapped_to_points(body());
  Vec p = body().rig->rest();
  p[body().rig->find("belly_223.tz")] += 0.05;
  p[body().rig->find("belly_333.ty")] -= 0.04;
  const Vec by = carried(body(), p) - body().mesh.points, lean_by = carried(lean, p) - lean.mesh.points;
  EXPECT_GT(by.cwiseAbs().maxCoeff(), 0.005);
  // Places a centimetre apart in a bulge of 20 cm width: a tenth of its height at most.
  EXPECT_LT((lean_by - by).cwiseAbs().maxCoeff(), 0.1 * by.cwiseAbs().maxCoeff());
}

TEST(SnappedBody, LeavesEverythingWhereNothingMayMove) {
  const RigBody same = snapped_to_points(body(), {.within = 0});
  EXPECT_LT((same.mesh.points - body().mesh.points).cwiseAbs().maxCoeff(), 1e-9);
  const Vec p = body().rig->rest();
  EXPECT_LT((carried(same, p) - carried(body(), p)).cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace rigspace::bench
