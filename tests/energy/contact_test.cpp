#include "energy/contact_world.h"
#include "rigspace/base/error.h"
#include "rigspace/testing/check_energy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

using namespace testing;

constexpr ContactOptions kTen{.thickness = 0.1, .reach = 0.4, .friction = 0.5, .slip_speed = 0.1};

/// Loose points, all of which touch.
ContactBody loose(In x, double stiffness) {
  ContactBody body{.x_rest = x};
  for (int i = 0; i < x.size() / 3; ++i) body.points.push_back(i), body.stiffness.push_back(stiffness + i);
  return body;
}

/// Points that have touched for a step and then slide and sink: penalties and friction all act.
LawReport check_after_a_step(Collider collider, In x) {
  Contact contact(loose(x, 3), {std::move(collider)}, kTen);
  contact.accept(x);
  contact.begin_step(0.5);
  EXPECT_GT(contact.report().touching, 0);
  return check_energy(contact, x + noise(static_cast<int>(x.size()), 5, 0.03), {.length = 0.05});
}

TEST(Contact, KeepsTheLawsOfEnergiesWithEveryCollider) {
  Vec x(12);
  x << 0, 0.05, 0, 0.3, -0.02, 0.1, -0.2, -0.3, 0.2, 0.1, 2, 0;
  const TriMesh board = plate(1, 0.4);
  Vec shifted = x;
  for (int i = 0; i < 4; ++i) shifted[3 * i + 1] += 0.4;
  const std::pair<const char*, LawReport> reports[] = {
      {"plane", check_after_a_step(Collider::plane(Vec3::Zero(), Vec3(0.1, 1, 0)), x)},
      {"sphere", check_after_a_step(Collider::sphere(Vec3(0, -1, 0), 1), x)},
      {"capsule", check_after_a_step(Collider::capsule(Vec3(-1, -0.5, 0), Vec3(1, -0.5, 0), 0.5), x)},
      {"mesh", check_after_a_step(Collider::mesh(board), shifted)}};
  for (const auto& [name, report] : reports) EXPECT_TRUE(report.ok()) << name << ": " << report;
}

TEST(Contact, KeepsTheLawsOfEnergiesWithTheOwnSurface) {
  const testing::TetBody two = together(box(Vec3(1, 1, 1), 2, 2, 2), [] {
    testing::TetBody upper = box(Vec3(1, 1, 1), 2, 2, 2);
    upper.x = mapped(upper.x, Mat3::Identity(), Vec3(0.13, 1.25, 0.07));
    return upper;
  }());
  ContactOptions options = kTen;
  options.self = true;
  Contact contact(contact_body(two.x, two.tets, 100), {}, options);
  Vec x = two.x;
  for (int i = two.points() / 2; i < two.points(); ++i) x[3 * i + 1] -= 0.27;  // 2 cm into each other
  contact.accept(x);
  contact.begin_step(0.5);
  EXPECT_EQ(contact.report().touching, 8) << "four corners of each cube's face lie over the other's";
  const LawReport report =
      check_energy(contact, x + noise(static_cast<int>(x.size()), 5, 0.02), {.length = 0.05, .max_coordinates = 200});
  EXPECT_TRUE(report.ok()) << report;
  // Action and reaction: the forces of a body on itself sum to zero.
  const Vec g = gradient(contact, x);
  EXPECT_GT(g.norm(), 1);
  EXPECT_LT((Eigen::Map<const Eigen::Matrix3Xd>(g.data(), 3, g.size() / 3).rowwise().sum()).norm(), 1e-12 * g.norm());
}

TEST(Contact, IsNotFeltByNeighboursAtRest) {
  const testing::TetBody sphere = soft_ball(Vec3::Zero(), 0.3, 0.1);
  Contact contact(contact_body(sphere.x, sphere.tets, 1e4), {}, {.thickness = 0.02, .reach = 0.2, .self = true});
  contact.accept(sphere.x);
  EXPECT_EQ(contact.report().touching, 0) << "though cells are nearer to each other than the reach";
  contact.accept(0.6 * sphere.x);
  EXPECT_EQ(contact.report().touching, 0) << "nor where all is pressed together";
}

TEST(Contact, IsTwiceDifferentiableAndOneSided) {
  const Vec x{{0, 0.1 - 1e-5, 0}};
  Contact contact(loose(x, 3), {Collider::plane(Vec3::Zero(), Vec3::UnitY())}, kTen);
  EXPECT_EQ(value(contact, Vec3(0, 0.1, 0)), 0);
  EXPECT_LT(hessian(contact, x).norm(), 1e-3) << "the second derivative begins at zero";
  EXPECT_GT(value(contact, x), 0);
  EXPECT_NEAR(gradient(contact, Vec3(0, -1, 0))[1], -3 * 1.05, 1e-12) << "k (t - a/2): a spring, once inside";
  EXPECT_NEAR(hessian(contact, Vec3(0, -1, 0))(1, 1), 3, 1e-12);
}

TEST(Contact, ActsOnWhatIsDeeperThanTheArtistsShape) {
  const Vec x{{0, -0.3, 0}};
  Contact contact(loose(x, 3), {Collider::plane(Vec3::Zero(), Vec3::UnitY())}, kTen);
  contact.set_reference(x);
  contact.accept(x);
  EXPECT_EQ(value(contact, x), 0) << "the artist's own penetration is not fought";
  EXPECT_EQ(contact.report().deepest, 0);
  EXPECT_LT(gradient(contact, Vec3(0, -0.5, 0))[1], 0) << "what goes deeper is pushed out";
  const Vec near{{0, 0.04, 0}};
  contact.set_reference(near);
  EXPECT_EQ(value(contact, near), 0) << "nor is what the artist put nearer than the thickness";
}

TEST(Contact, RemembersFrictionAndSidesToTheBit) {
  Vec x(6);
  x << 0, 0.42, 0, 0.3, 0.38, 0.1;
  const auto make = [&] { return Contact(loose(x, 3), {Collider::mesh(plate(1, 0.4))}, kTen); };
  Contact first = make(), second = make();
  first.accept(x);
  const Vec memory = first.saved_state();
  second.restore(memory);
  EXPECT_EQ(second.saved_state(), memory);
  for (Contact* each : {&first, &second}) each->begin_step(0.5);
  const Vec moved = x + noise(6, 5, 0.05);
  EXPECT_NE(gradient(first, moved)[0], 0);
  EXPECT_EQ(gradient(first, moved), gradient(second, moved));
}

TEST(Contact, RefusesBadNumbers) {
  EXPECT_THROW(Contact(loose(Vec3::Zero(), -5), {}), Error);
  EXPECT_THROW(Contact(loose(Vec3::Zero(), 1), {}, {.thickness = 0}), Error);
  EXPECT_THROW(Contact({.x_rest = Vec3::Zero(), .points = {1}, .stiffness = {1}}, {}), Error);
  EXPECT_THROW(Collider::sphere(Vec3::Zero(), 0), Error);
  EXPECT_THROW(Collider::plane(Vec3::Zero(), Vec3::Zero()), Error);
  EXPECT_THROW(Collider::mesh({}), Error);
}

TEST(Colliders, KnowInsideFromOutside) {
  const TriMesh round = ball(
      Vec3(1, 2, 3), [](const Vec3&) { return 0.5; }, 16);
  const Collider shape = Collider::mesh(round);
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Vec3 offset = noise(3, seed, 0.7);
    const Touch touch = shape.nearest(Vec3(1, 2, 3) + offset, 10);
    ASSERT_TRUE(touch.found);
    if (offset.norm() < 0.1) continue;  // near the middle every face is near
    EXPECT_NEAR(touch.gap, offset.norm() - 0.5, 0.012) << "facets of a sphere are flat by about 1 %";
    EXPECT_GT(touch.normal.dot(offset.normalized()), 0.95) << offset.transpose();
  }
}

TEST(Colliders, HaveNothingBehindTheRimOfAnOpenMesh) {
  TriMesh sheet{.points = Vec::Zero(9), .triangles = {{0, 1, 2}}};
  point(sheet.points, 1) = Vec3(0, 0, 1), point(sheet.points, 2) = Vec3(1, 0, 0);  // faces +y
  const Collider shape = Collider::mesh(sheet);
  EXPECT_LT(shape.nearest(Vec3(0.2, -0.1, 0.2), 1).gap, 0) << "behind the face";
  EXPECT_GT(shape.nearest(Vec3(0.2, 0.1, 0.2), 1).gap, 0);
  EXPECT_GT(shape.nearest(Vec3(-0.5, -0.1, 0.2), 1).gap, 0) << "beside it";
}

TEST(Colliders, KeepThePointsOfAThinPlateOnTheirSide) {
  const Collider thin = Collider::mesh(plate(1, 0.01));
  const Vec3 below(0.2, -0.05, 0.1);
  EXPECT_NEAR(thin.nearest(below, 1).gap, 0.04, 1e-12) << "nearest to the lower face";
  EXPECT_NEAR(thin.nearest(below, 1, Vec3::UnitY()).gap, -0.06, 1e-12) << "but it came from above";
  const Vec3 beside(1.2, -0.05, 0.1);
  EXPECT_GT(thin.nearest(beside, 1, Vec3::UnitY()).gap, 0) << "and over the rim it is free";
}

TEST(Colliders, TellHowTheirSurfaceMoves) {
  Collider sphere = Collider::sphere(Vec3::Zero(), 1);
  Affine turned = identity_affine();
  linear(turned) = Eigen::AngleAxisd(0.1, Vec3::UnitZ()).toRotationMatrix();
  sphere.place(identity_affine(), turned);
  const Touch touch = sphere.nearest(Vec3(0, 1.2, 0), 1);
  EXPECT_NEAR(sphere.displacement(touch).x(), -std::sin(0.1), 1e-12) << "a spinning ball drags along";
  EXPECT_EQ(sphere.motion_in({.low = Vec3::Constant(-2), .high = Vec3::Constant(2)}), 0) << "but goes nowhere";
}

}  // namespace
}  // namespace rigspace
