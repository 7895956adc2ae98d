#include "rigspace/apps/clothing/kinematic_reference.h"

#include "rigspace/apps/clothing/example_weights.h"
#include "rigspace/apps/clothing/pose_parameters.h"
#include "rigspace/apps/clothing/reference_mapping.h"
#include "rigspace/apps/clothing/worn_skin.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/testing/check_mapping.h"
#include "tube_arm.h"

#include <gtest/gtest.h>

#include <random>

namespace rigspace {
namespace kinematic_reference_tests {

using testing::SleeveOnArm;

KinematicReference reference_of(const SleeveOnArm& sleeve) { return {sleeve.x_rest, sleeve.weights, 2}; }

Vec noise(Eigen::Index size, double amount, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> at(-amount, amount);
  Vec result(size);
  for (double& value : result) value = at(random);
  return result;
}

Mat noise_basis(Eigen::Index rows, int columns) {
  Mat A(rows, columns);
  for (int k = 0; k < columns; ++k) A.col(k) = noise(rows, 0.1, 10 + k);
  return A;
}

TEST(KinematicReference, IsTheGarmentItselfAtRest) {
  const SleeveOnArm sleeve;
  const KinematicReference reference = reference_of(sleeve);
  Vec x;
  reference.transform(sleeve.x_rest, x);
  EXPECT_LT((x - sleeve.x_rest).norm(), 1e-12);
  EXPECT_EQ(reference.guarded(), 0);
}

TEST(KinematicReference, MovesAsTheBodysSkinDoes) {
  const Character body = make_character("mannequin", Version::skeleton);
  const WornSkin skin(body);
  const auto workspace = skin.make_workspace();
  KinematicReference reference(skin.surface().points, skin.influences(), skin.joint_count());
  std::vector<Affine> C;
  const Vec p = pose_at(body, body.clip("Gym"), 8.3);
  skin.transforms(*workspace, p, C);
  reference.set_pose(C);
  Vec x, s;
  reference.transform(reference.rest(), x);
  body.rig->evaluate(*workspace, p, s);
  // One drawn piece; its points come in the order of the triangles.
  const Piece& piece = body.pieces.front();
  ASSERT_EQ(skin.surface().triangles.size(), piece.triangles.size());
  for (std::size_t t = 0; t < piece.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k)
      ASSERT_LT((point(x, skin.surface().triangles[t][k]) - point(s, piece.triangles[t][k])).norm(), 1e-12);
}

TEST(KinematicReference, HasAnInverseInEveryPose) {
  const SleeveOnArm sleeve;
  KinematicReference reference = reference_of(sleeve);
  const Vec y = sleeve.x_rest + noise(sleeve.x_rest.size(), 0.05, 1);
  Vec x, back;
  for (const auto& pose :
       {SleeveOnArm::pose(90), SleeveOnArm::pose(20, 120, 40), SleeveOnArm::pose(0, 180), SleeveOnArm::pose(179.99)}) {
    reference.set_pose(pose);
    reference.transform(y, x);
    reference.untransform(x, back);
    EXPECT_LT((back - y).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(KinematicReference, IsGuardedWhereBlendingIsSingularAndThenKeepsRestPointsInPlace) {
  const SleeveOnArm sleeve;
  KinematicReference reference = reference_of(sleeve);
  // Opposite rotations about x blend to a matrix of rank 1 in the middle of the sleeve.
  const std::vector<Affine> C = SleeveOnArm::pose(0, 180);
  reference.set_pose(C);
  EXPECT_GT(reference.guarded(), 0);
  EXPECT_LT(reference.guarded(), sleeve.point_count() / 2);
  Vec x;
  reference.transform(sleeve.x_rest, x);
  for (int i = 0; i < sleeve.point_count(); ++i) {
    Vec3 expected = Vec3::Zero();
    for (const Influence& own : sleeve.weights[i])
      expected += own.weight * apply(C[own.joint], point(sleeve.x_rest, i));
    ASSERT_LT((point(x, i) - expected).norm(), 1e-12);
    const Vec stretch = symmetric_eigenvalues(reference.matrix(i).transpose() * reference.matrix(i));
    ASSERT_GT(stretch[0], 0.2 * 0.2 - 1e-9);
  }
  reference.set_pose(SleeveOnArm::pose(60));
  EXPECT_EQ(reference.guarded(), 0);
}

TEST(ReferenceMapping, KeepsTheLawsOfMappings) {
  const SleeveOnArm sleeve(6, 5);
  KinematicReference reference = reference_of(sleeve);
  reference.set_pose(SleeveOnArm::pose(70, 150, 20));
  const auto full =
      testing::check_mapping(UntransformedMapping(reference), sleeve.x_rest + noise(sleeve.x_rest.size(), 0.05, 2));
  EXPECT_TRUE(full.ok()) << full;
  const Mat A = noise_basis(sleeve.x_rest.size(), 4);
  for (const DisplacementSpace space :
       {DisplacementSpace::rest, DisplacementSpace::posed, DisplacementSpace::untransformed}) {
    const LinearMapping mapping = displacement_mapping(reference, A, space);
    const auto laws = testing::check_mapping(mapping, noise(4, 0.5, 3));
    EXPECT_TRUE(laws.ok()) << laws;
    // Its inverse gives back A q.
    const Vec q = noise(4, 0.5, 4);
    Vec x;
    mapping.evaluate(*mapping.make_state(), q, x);
    EXPECT_LT((displacement_of(reference, x, space) - A * q).norm(), 1e-11);
  }
}

// A bump on the outside of the forearm: seen in the arm's own axes it is the same in all poses.
TEST(ReferenceMapping, UntransformedDisplacementsHoldInOtherPosesWhereWorldOnesDoNot) {
  const SleeveOnArm sleeve;
  KinematicReference reference = reference_of(sleeve);
  const auto bumped = [&](double bend) {
    reference.set_pose(SleeveOnArm::pose(bend));
    Vec y = sleeve.x_rest, x;
    for (int i = 0; i < sleeve.point_count(); ++i)
      if (point(y, i).x() > 0.4 && point(y, i).y() > 0.05) point(y, i).y() += 0.05;
    reference.transform(y, x);
    return x;
  };
  const auto error_elsewhere = [&](DisplacementSpace space) {
    const Vec x_from = bumped(10);
    const Mat A = displacement_of(reference, x_from, space);
    const Vec x_to = bumped(80);
    const LinearMapping mapping = displacement_mapping(reference, A, space);
    Vec x, best;
    mapping.pull(*mapping.make_state(), x_to - mapping.origin(), best);
    mapping.evaluate(*mapping.make_state(), best / mapping.basis().squaredNorm(), x);  // nearest in the span
    return (x - x_to).norm();
  };
  const double rest = error_elsewhere(DisplacementSpace::rest), posed = error_elsewhere(DisplacementSpace::posed);
  EXPECT_LT(error_elsewhere(DisplacementSpace::untransformed), 1e-10);
  EXPECT_GT(posed, 0.1);       // the bump points where it pointed before: 3 cm a point and more
  EXPECT_GT(rest, 5 * posed);  // and the bend itself is missing
}

TEST(PoseParameters, AreCentredWhitenedAndBlindToRootMotion) {
  const SleeveOnArm sleeve;
  KinematicReference reference = reference_of(sleeve);
  const auto shape = [&](double bend, double twist, double root) {
    std::vector<Affine> C = SleeveOnArm::pose(bend, twist, root);
    remove_root_motion(0, C);
    reference.set_pose(C);
    Vec x;
    reference.transform(reference.rest(), x);
    return x;
  };
  Mat shapes(sleeve.x_rest.size(), 40);
  for (int k = 0; k < 40; ++k) shapes.col(k) = shape(35 + 30 * std::sin(0.7 * k), 20 * std::cos(1.3 * k), 9.0 * k);
  const PoseParameters parameters(shapes);
  EXPECT_GE(parameters.dimensions(), 1);
  EXPECT_LE(parameters.dimensions(), 4);
  EXPECT_GT(parameters.explained(), 0.95);
  Mat z(parameters.dimensions(), 40);
  for (int k = 0; k < 40; ++k) z.col(k) = parameters.position(shapes.col(k));
  EXPECT_LT(z.rowwise().mean().norm(), 1e-9);
  const Mat covariance = z * z.transpose() / 39.0;
  EXPECT_LT((covariance - Mat::Identity(z.rows(), z.rows())).cwiseAbs().maxCoeff(), 1e-6);
  EXPECT_LT((parameters.position(shape(50, 10, 0)) - parameters.position(shape(50, 10, 250))).norm(), 1e-9);
  // Nearer in pose is nearer in z.
  const Vec here = parameters.position(shape(40, 0, 0));
  EXPECT_LT((parameters.position(shape(45, 0, 0)) - here).norm(), (parameters.position(shape(60, 0, 0)) - here).norm());
  EXPECT_EQ(PoseParameters(shapes, {.dimensions = 3}).dimensions(), 3);
  EXPECT_THROW(PoseParameters(Mat::Ones(9, 5)), Error);
}

TEST(WornSkin, FindsTheRootOfWhatIsWorn) {
  const Character body = make_character("mannequin", Version::skeleton);
  const WornSkin skin(body);
  for (int j = 0; j < skin.joint_count(); ++j)
    EXPECT_EQ(skin.common_joint(std::vector<std::vector<Influence>>{{{j, 1.0}}}), j);
  const int top = skin.common_joint(skin.influences());
  EXPECT_GE(top, 0);
  // Everything hangs below the pelvis, whose motion moves all points alike.
  const auto workspace = skin.make_workspace();
  std::vector<Affine> C;
  skin.transforms(*workspace, pose_at(body, body.clip("Cartwheel"), 0.8), C);
  EXPECT_GT((C[top] - identity_affine()).norm(), 1);
  remove_root_motion(top, C);
  EXPECT_LT((C[top] - identity_affine()).norm(), 1e-12);
}

TEST(ExampleWeights, RecoverTheWeightsThatMadeTheExamples) {
  const SleeveOnArm truth(24, 12, 0.25), guess(24, 12, 0.5);
  const KinematicReference reference = reference_of(guess);
  KinematicReference made = reference_of(truth);
  std::vector<ClothExample> examples;
  for (const double bend : {30.0, 60.0, 90.0}) {
    ClothExample example{.C = SleeveOnArm::pose(bend, 0.3 * bend)};
    made.set_pose(example.C);
    made.transform(made.rest(), example.x);
    examples.push_back(std::move(example));
  }
  const ExampleWeights fitted = fit_example_weights(reference, guess.triangles, examples, {.prior = 1e-6});
  EXPECT_GT(fitted.rms_before, 0.003);
  EXPECT_LT(fitted.rms_after, 0.01 * fitted.rms_before);
  double worst = 0;
  for (int i = 0; i < truth.point_count(); ++i) {
    double sum = 0;
    for (const Influence& own : fitted.weights[i]) {
      EXPECT_GE(own.weight, 0);
      sum += own.weight;
      for (const Influence& other : truth.weights[i])
        if (other.joint == own.joint) worst = std::max(worst, std::abs(other.weight - own.weight));
    }
    ASSERT_NEAR(sum, 1, 1e-12);
  }
  EXPECT_LT(worst, 0.01);
  // A strong prior holds them back.
  EXPECT_GT(fit_example_weights(reference, guess.triangles, examples, {.prior = 10}).rms_after,
            0.5 * fitted.rms_before);
}

}  // namespace kinematic_reference_tests
}  // namespace rigspace
