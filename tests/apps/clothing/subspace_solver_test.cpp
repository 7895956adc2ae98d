// A sleeve that hangs between its ends, solved in few directions, against all of them.

#include "rigspace/apps/clothing/subspace_solver.h"
#include "rigspace/energy/cloth_bend.h"
#include "rigspace/energy/cloth_stretch.h"
#include "rigspace/energy/gravity.h"
#include "rigspace/energy/pull.h"
#include "rigspace/optimize/newton.h"
#include "tube_arm.h"

#include <gtest/gtest.h>

#include <random>

namespace rigspace::subspace_solver_test {
namespace {

constexpr int kRings = 16, kSides = 8;

/// The sleeve at rest in any pose: weight against stretch and bending, both ends held where the skin has them.
class Hanging {
 public:
  Hanging()
      : arm_(kRings, kSides),
        reference_(arm_.x_rest, arm_.weights, 2),
        flat_(flat_triangles(arm_.x_rest, arm_.triangles, Vec3::UnitX())),
        stretch_(arm_.point_count(), arm_.triangles, flat_, isotropic_cloth(20)),
        bend_(arm_.x_rest, hinges_of({arm_.x_rest, arm_.triangles}), 1e-4),
        load_(gravity_forces(cloth_masses(arm_.point_count(), arm_.triangles, flat_, 2.0), standard_gravity())),
        pins_(arm_.point_count(), ends()),
        identity_(3 * arm_.point_count()),
        objective_(identity_) {
    objective_.add("stretch", stretch_);
    objective_.add("bending", bend_);
    objective_.add("weight", load_);
    objective_.add("ends", pins_);
  }

  const KinematicReference& reference() const { return reference_; }
  const Objective& objective() const { return objective_; }

  /// The skinned shape in this pose; what comes after is of the same pose.
  Vec pose(double bend, double root = 0) {
    reference_.set_pose(testing::SleeveOnArm::pose(bend, 0, root));
    Vec x;
    reference_.transform(reference_.rest(), x);
    for (std::size_t k = 0; k < held_.size(); ++k) pins_.set_target(static_cast<int>(k), point(x, held_[k]));
    load_.set_reference(x);
    return x;
  }

  Vec solved(Vec x) const {
    EXPECT_TRUE(minimize(objective_, x, {.gradient_tolerance = 1e-8, .max_iterations = 300}).converged());
    return x;
  }

  double value(const Vec& x) const {
    ObjectiveState state = objective_.make_state();
    return objective_.value(state, x, x).value;
  }

  /// Whose pose does not matter: root motion is not in it.
  Vec shape_of(double bend) {
    KinematicReference still = reference_;
    still.set_pose(testing::SleeveOnArm::pose(bend));
    Vec x;
    still.transform(still.rest(), x);
    return x;
  }

 private:
  std::vector<Pull> ends() {
    std::vector<Pull> pulls;
    for (int k = 0; k < kSides; ++k)
      for (const int i : {k, kRings * kSides + k}) {
        Pull pull{.target = point(arm_.x_rest, i), .stiffness = 5000};
        pull.anchor.points[0] = i;
        pulls.push_back(pull);
        held_.push_back(i);
      }
    return pulls;
  }

  std::vector<int> held_;
  testing::SleeveOnArm arm_;
  KinematicReference reference_;
  std::vector<std::array<double, 6>> flat_;
  ClothStretch stretch_;
  ClothBend bend_;
  Load load_;
  Pulls pins_;
  IdentityMapping identity_;
  Objective objective_;
};

double mean_distance(const Vec& a, const Vec& b) { return (a - b).reshaped(3, a.size() / 3).colwise().norm().mean(); }

/// Trained on bends of 0, 6 .. 84 degrees.
PoseSpaceDatabase trained(Hanging& sleeve) {
  std::vector<Vec> displacements;
  Mat shapes(sleeve.reference().rest().size(), 15);
  for (int k = 0; k < 15; ++k) {
    shapes.col(k) = sleeve.shape_of(6 * k);
    Vec y;
    const Vec x = sleeve.solved(sleeve.pose(6 * k));
    sleeve.reference().untransform(x, y);
    displacements.push_back(y - sleeve.reference().rest());
  }
  const PoseParameters parameters(shapes);
  Mat places(parameters.dimensions(), 15);
  for (int k = 0; k < 15; ++k) places.col(k) = parameters.position(shapes.col(k));
  return PoseSpaceDatabase(parameters, places, [&](int k, Vec& u) { u = displacements[static_cast<std::size_t>(k)]; },
                           "sleeve", {.sites = 4});
}

TEST(SubspaceSolver, ComesNearToAllDirectionsAtPosesThatWereNotTrained) {
  Hanging sleeve;
  const PoseSpaceDatabase database = trained(sleeve);
  SubspaceSolver solver(database, sleeve.reference(), {.basis = {.size = 8}, .max_iterations = 30, .decrease = 1e-9});
  for (const double bend : {15.0, 39.0, 69.0}) {
    const Vec skinned = sleeve.pose(bend), full = sleeve.solved(skinned);
    Vec x = skinned;
    solver.solve(sleeve.objective(), database.parameters().position(sleeve.shape_of(bend)), x);
    EXPECT_LT(mean_distance(x, full), 0.1 * mean_distance(skinned, full)) << bend;
    EXPECT_GT(mean_distance(skinned, full), 1e-3);  // there is something to find
    EXPECT_LT(sleeve.value(x), sleeve.value(skinned));
  }
  EXPECT_EQ(solver.report().far, 0);
  EXPECT_LT(solver.report().hessians, solver.report().iterations);  // kept
}

// The same pose with the whole body turned: the sleeve hangs otherwise, and directions turn with the body.
TEST(SubspaceSolver, KeepsItsHessianWhenTheBodyTurns) {
  Hanging sleeve;
  const PoseSpaceDatabase database = trained(sleeve);
  SubspaceSolver solver(database, sleeve.reference(), {.basis = {.size = 8}, .max_iterations = 30, .decrease = 1e-9});
  const Vec place = database.parameters().position(sleeve.shape_of(39));
  Vec x = sleeve.pose(39);
  solver.solve(sleeve.objective(), place, x);
  const int made = solver.report().hessians;
  const Vec skinned = sleeve.pose(39, 90), full = sleeve.solved(skinned);  // about the vertical: the same but turned
  x = skinned;
  solver.solve(sleeve.objective(), place, x);
  EXPECT_LT(mean_distance(x, full), 0.1 * mean_distance(skinned, full));
  EXPECT_LE(solver.report().hessians, made + 2);
}

// With vectors that span all displacements, in random order, few directions are all directions.
TEST(SubspaceSolver, EqualsAllDirectionsWhereItsVectorsSpanThem) {
  Hanging sleeve;
  const int size = static_cast<int>(sleeve.reference().rest().size());
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  Mat shapes(size, 2);
  shapes.col(0) = sleeve.shape_of(0), shapes.col(1) = sleeve.shape_of(60);
  const PoseParameters parameters(shapes);
  const Mat places = Mat::Zero(parameters.dimensions(), size + 5);
  const PoseSpaceDatabase database(parameters, places,
                                   [&](int, Vec& u) { u = Vec::NullaryExpr(size, [&] { return normal(random); }); },
                                   "sleeve", {.sites = 1, .threshold = 0, .most_vectors = size + 1});
  ASSERT_GE(database.vector_count(), size);
  const Vec skinned = sleeve.pose(39), full = sleeve.solved(skinned);
  SubspaceSolver solver(
      database, sleeve.reference(),
      {.basis = {.size = size + 1, .radius = 1e9}, .smoothing = 50, .max_iterations = 30, .decrease = 1e-12});
  Vec x = skinned;
  solver.solve(sleeve.objective(), Vec::Zero(parameters.dimensions()), x);
  EXPECT_LT(mean_distance(x, full), 0.01 * mean_distance(skinned, full));
  EXPECT_LT(solver.report().residual, 0.01);
}

// What the report says of a pose that was not trained: farther from all sites, and more of the gradient left.
TEST(SubspaceSolver, SaysWhereToTrain) {
  Hanging sleeve;
  const PoseSpaceDatabase database = trained(sleeve);
  SubspaceSolver solver(database, sleeve.reference(), {.basis = {.size = 12}, .smoothing = 1, .max_iterations = 10});
  const auto report_at = [&](double bend) {
    Vec x = sleeve.pose(bend);
    solver.solve(sleeve.objective(), database.parameters().position(sleeve.shape_of(bend)), x);
    return solver.report();
  };
  const SubspaceReport known = report_at(39), strange = report_at(-60);
  EXPECT_LT(known.distance, 0.5);
  EXPECT_GT(strange.distance, 1.2 * known.distance);
  EXPECT_GT(strange.residual, 2 * known.residual);
}

TEST(SubspaceSolver, NeverRaisesTheObjectiveFarFromItsData) {
  Hanging sleeve;
  const PoseSpaceDatabase database = trained(sleeve);
  SubspaceSolver solver(database, sleeve.reference());
  Vec x = sleeve.pose(-60);
  const double before = sleeve.value(x);
  solver.solve(sleeve.objective(), Vec::Constant(database.parameters().dimensions(), 50), x);
  EXPECT_LT(sleeve.value(x), before);
  EXPECT_EQ(solver.report().far, 1);
}

}  // namespace
}  // namespace rigspace::subspace_solver_test
