#include "rigspace/rig/cage.h"

#include "deformers.h"
#include "geometry/cages.h"
#include "rigspace/base/affine.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>

namespace rigspace::cage_rig_test {

using namespace testing;

std::vector<Vec3> positions(const TriMesh& cage) {
  std::vector<Vec3> all;
  for (int j = 0; j < cage.point_count(); ++j) all.emplace_back(point(cage.points, j));
  return all;
}

struct CageRig {
  std::shared_ptr<ControlGraph> graph = std::make_shared<ControlGraph>();
  TriMesh cage = ell();
  Vec points = points_inside(cage, 30, 1, 0.05);

  CageDescription describe(CageFamily family) {
    CageDescription description{.points = {.count = 30, .rest = points},
                                .cage = cage,
                                .point_slots = add_points(*graph, "cage", positions(cage), 0.1),
                                .coordinates = {.family = family, .nodes = 400, .rays = 100}};
    return description;
  }
};

TEST(CageDeformer, ObeysTheLawsOfRigsInEveryFamily) {
  for (const CageFamily family : {CageFamily::mean_value, CageFamily::green, CageFamily::harmonic}) {
    CageRig rig;
    const auto made = make_rig_of(rig.graph, rig.points, make_cage(rig.describe(family)));
    const auto report = check_rig(*made);
    EXPECT_TRUE(report.ok()) << name(family) << ": " << report;
    Vec s;
    made->evaluate(*made->make_workspace(), made->rest(), s);
    EXPECT_EQ(s, rig.points) << name(family) << ": at rest nothing moves, to the bit";
  }
}

TEST(CageDeformer, ObeysTheLawsOfRigsBetweenOthers) {
  for (const CageFamily family : {CageFamily::mean_value, CageFamily::green}) {
    CageRig rig;
    MorphTarget morph{.weight_slot = add_scalar(*rig.graph, {.name = "face"})};
    for (int k = 0; k < 30; k += 2) morph.points.push_back(k), morph.offsets.push_back(Vec3(0.1, -0.05, 0.02 * k));
    const std::vector morphs{morph};
    CageDescription description = rig.describe(family);
    description.points.weights.assign(30, 1);
    for (int k = 0; k < 10; ++k) description.points.weights[k] = 0.1 * k;
    const auto joints = add_tree(*rig.graph, 4);
    const auto made = make_rig_of(rig.graph, rig.points, make_blend_shapes(0, 30, morphs), make_cage(description),
                                  make_linear_blend_skin(random_skin(30, 3, joints, 2)));
    const auto report = check_rig(*made, {.spread = 0.5});
    EXPECT_TRUE(report.ok()) << name(family) << ": " << report;
  }
}

TEST(CageDeformer, FollowsTransformsAndLeavesFixedPoints) {
  CageRig rig;
  const auto joints = add_tree(*rig.graph, 3);
  const Vec rest = rest_slots(*rig.graph);
  CageDescription description{.points = {.count = 30, .rest = rig.points},
                              .cage = rig.cage,
                              .point_slots = std::vector<int>(static_cast<std::size_t>(rig.cage.point_count()), -1),
                              .transforms = true,
                              .coordinates = {.family = CageFamily::green}};
  for (int k = 0; k < 3; ++k) {
    description.point_slots[2 * k] = joints[k];
    const Vec3 at = point(rig.cage.points, 2 * k);
    description.point_slots[2 * k] = add_transform_of_point(
        *rig.graph, add_point_of_transform(*rig.graph, joints[k],
                                           apply(inverse(transform_at(rest, rig.graph->slots()[joints[k]])), at)));
  }
  const auto made = make_rig_of(rig.graph, rig.points, make_cage(description));
  const auto report = check_rig(*made, {.spread = 0.3});
  EXPECT_TRUE(report.ok()) << report;
}

// What a face's shapes did before, the cage carries along: an affine motion of the whole cage is that of all points.
TEST(CageDeformer, AnAffineMotionOfTheCageIsThatOfWhatIsInside) {
  Affine by;
  by << 0.9, -0.4, 0.1, 0.5, 0.3, 1.1, 0, -1, 0.1, 0.2, 0.8, 2;
  for (const CageFamily family :
       {CageFamily::mean_value, CageFamily::positive_mean_value, CageFamily::harmonic, CageFamily::maximum_entropy}) {
    CageRig rig;
    MorphTarget morph{.weight_slot = add_scalar(*rig.graph, {.name = "face"})};
    for (int k = 0; k < 30; ++k) morph.points.push_back(k), morph.offsets.push_back(Vec3(0.3, -0.1, 0.02 * k));
    const std::vector morphs{morph};
    const auto made =
        make_rig_of(rig.graph, rig.points, make_blend_shapes(0, 30, morphs), make_cage(rig.describe(family)));
    Vec p = made->rest(), before, after;
    p[made->find("face")] = 1;
    made->evaluate(*made->make_workspace(), p, before);
    for (int j = 0; j < rig.cage.point_count(); ++j) {
      const Vec3 c = point(rig.cage.points, j);
      p.segment<3>(made->find("cage" + std::to_string(j) + ".tx")) = apply(by, c) - c;
    }
    made->evaluate(*made->make_workspace(), p, after);
    for (int k = 0; k < 30; ++k)
      EXPECT_LT((point(after, k) - apply(by, point(before, k))).norm(), 1e-7) << name(family) << " " << k;
  }
}

TEST(CageDeformer, EqualsItsCoordinates) {
  for (const CageFamily family : {CageFamily::mean_value, CageFamily::green, CageFamily::biharmonic}) {
    CageRig rig;
    const CageDescription description = rig.describe(family);
    const auto made = make_rig_of(rig.graph, rig.points, make_cage(description));
    const Vec p = random_pose(*made, 1, 3);
    Vec s, moved = rig.cage.points;
    made->evaluate(*made->make_workspace(), p, s);
    for (int j = 0; j < rig.cage.point_count(); ++j)
      point(moved, j) += p.segment<3>(made->find("cage" + std::to_string(j) + ".tx"));
    const CageCoordinates at = cage_coordinates(rig.cage, rig.points, description.coordinates);
    // The deformer adds what the cage changes: families that do not reproduce places differ by a constant.
    EXPECT_LT((s - rig.points - at.evaluate(moved) + at.evaluate(rig.cage.points)).norm(), 1e-12) << name(family);
  }
}

}  // namespace rigspace::cage_rig_test
