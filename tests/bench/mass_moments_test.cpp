// Momentum without the mesh: the same energy and the same forces on controls as the sum over all nodes.

#include "bench/mass_moments.h"

#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/energy/momentum.h"
#include "rigspace/rig/skeleton.h"
#include "rigspace/testing/check_energy.h"
#include "support/ball.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace rigspace::bench {
namespace {

Vec random_pose(const Rig& rig, std::mt19937& random, double size = 0.5) {
  std::uniform_real_distribution<double> unit(-size, size);
  Vec p = rig.rest();
  for (Eigen::Index c = 0; c < p.size(); ++c) p[c] += rig.controls()[c].typical * unit(random);
  return p;
}

Vec points_at(const Rig& rig, In p) {
  Vec s;
  rig.evaluate(*rig.make_workspace(), p, s);
  return s;
}

Vec nodes_at(const RigBody& body, In p) {
  Vec x;
  body.ties.apply(points_at(*body.rig, p), x);
  return x;
}

/// x inside as given weights carry it from where the key has it.
Vec nodes_at(const RigBody& body, const CarrierWeights& interior, In p, In p_key) {
  Vec x = nodes_at(body, p);
  const Vec key = nodes_at(body, p_key), moved = x - key;
  for (int i = 0; i < body.node_count(); ++i) {
    if (body.skin[i]) continue;
    x.segment<3>(3 * i) = key.segment<3>(3 * i);
    for (const auto& [j, weight] : interior[i]) x.segment<3>(3 * i) += weight * moved.segment<3>(3 * j);
  }
  return x;
}

/// Masses of the nodes that the moments are about; the others have none.
Vec masses_of(const RigBody& body, const MassMoments& moments) {
  const Vec all = lumped_masses(body.mesh, 1000);
  Vec masses = Vec::Zero(all.size());
  for (const int i : moments.node) masses[i] = all[i];
  return masses;
}

double kinetic(const Vec& masses, const Vec& d) {
  double sum = 0;
  for (int i = 0; i < masses.size(); ++i) sum += 0.5 * masses[i] * d.segment<3>(3 * i).squaredNorm();
  return sum;
}

std::vector<int> all_controls(const Rig& rig) {
  std::vector<int> all(rig.controls().size());
  for (std::size_t c = 0; c < all.size(); ++c) all[c] = static_cast<int>(c);
  return all;
}

/// Energies between random poses, their derivative by all controls, and the weight, against the sum over nodes.
void expect_exact(const RigBody& body, const MassMoments& moments) {
  std::mt19937 random(3);
  const Vec masses = masses_of(body, moments);
  MomentMomentum momentum(moments.second);
  Momentum whole(masses);
  const auto state = momentum.make_state(), whole_state = whole.make_state();
  for (int k = 0; k < 5; ++k) {
    const Vec p = random_pose(*body.rig, random), q = random_pose(*body.rig, random);
    const Vec x = nodes_at(body, p), y = points_at(*moments.features, p);
    momentum.set_target(points_at(*moments.features, q), 1e4);
    whole.set_target(nodes_at(body, q), 1e4);
    const double energy = whole.value(*whole_state, x);
    ASSERT_GT(energy, 0);
    EXPECT_NEAR(momentum.value(*state, y), energy, 1e-10 * energy);
    Vec g_x = Vec::Zero(x.size()), g_y = Vec::Zero(y.size()), g_s = Vec::Zero(3 * body.rig->point_count());
    whole.add_gradient(*whole_state, x, 1, g_x);
    momentum.add_gradient(*state, y, 1, g_y);
    body.ties.pull(g_x, g_s);
    Vec g_p, g_q;
    body.rig->pull(*body.rig->make_workspace(), p, g_s, g_p);
    moments.features->pull(*moments.features->make_workspace(), p, g_y, g_q);
    EXPECT_GT(g_p.norm(), 0);
    EXPECT_LT((g_p - g_q).norm(), 1e-10 * g_p.norm());
    // First moments: the weight of all nodes.
    Vec3 sum = Vec3::Zero(), of_features = Vec3::Zero();
    for (int i = 0; i < masses.size(); ++i) sum += masses[i] * x.segment<3>(3 * i);
    for (int f = 0; f < moments.first.size(); ++f) of_features += moments.first[f] * y.segment<3>(3 * f);
    EXPECT_LT((sum - of_features).norm(), 1e-10 * masses.sum());
  }
  EXPECT_NEAR(moments.mass, masses.sum(), 1e-10 * masses.sum());
}

MassMoments moments_of(const RigBody& body, std::span<const int> free) {
  MassMomentsResult result =
      mass_moments(body, free, harmonic_weights(body.mesh, body.skin), lumped_masses(body.mesh, 1000));
  EXPECT_EQ(result.reason, "");
  return result.moments ? *result.moments : MassMoments{};
}

/// The rest surface of the ball and a rig of deformers on its points.
RigBody ball_with(const std::shared_ptr<ControlGraph>& graph, std::vector<std::shared_ptr<const Deformer>> deformers) {
  const TriMesh surface = rest_surface(testing::make_ball());
  return make_rig_body(std::make_shared<BuiltInRig>(graph, surface.points, std::move(deformers)), surface,
                       {.cell = 0.12});
}

/// A smooth shape: all points move along an axis by how far up they are.
MorphTarget shape_of(ControlGraph& graph, In points, int axis) {
  MorphTarget target{.weight_slot = add_scalar(graph, {.name = "shape" + std::to_string(axis)})};
  for (int i = 0; i < points.size() / 3; ++i) {
    target.points.push_back(i);
    target.offsets.push_back(Vec3::Unit(axis) * std::cos(4 * points[3 * i + 1]) + 0.1 * point(points, i));
  }
  return target;
}

SkinDescription two_joints(ControlGraph& graph, In points) {
  const int low = add_node(graph, {.name = "low", .translation = {0, -0.3, 0}});
  const int high = add_node(graph, {.name = "high", .parent_slot = low, .translation = {0, 0.3, 0.1}});
  Affine from_low = identity_affine(), from_high = identity_affine();
  from_low.col(3) = Vec3(0, 0.3, 0), from_high.col(3) = Vec3(0, 0, -0.1);
  SkinDescription skin{.joint_slots = {low, high}, .inverse_bind = {from_low, from_high}};
  for (int i = 0; i < points.size() / 3; ++i) {
    const double up = std::clamp(0.5 + points[3 * i + 1] / 0.6, 0.0, 1.0);
    skin.influences.push_back({{0, 1 - up}, {1, up}});
  }
  return skin;
}

TEST(MassMoments, OfASkinAreFourFeaturesAJoint) {
  const Vec points = rest_surface(testing::make_ball()).points;
  auto graph = std::make_shared<ControlGraph>();
  const SkinDescription skin = two_joints(*graph, points);
  const RigBody body = ball_with(graph, {make_linear_blend_skin(skin)});
  const MassMoments moments = moments_of(body, all_controls(*body.rig));
  EXPECT_EQ(moments.second.rows(), 8);
  EXPECT_EQ(moments.node.size(), static_cast<std::size_t>(body.node_count()));
  EXPECT_EQ(moments.keyed.cwiseAbs().maxCoeff(), 0);
  expect_exact(body, moments);
}

TEST(MassMoments, OfShapesAloneAreThreeFeaturesAShape) {
  const Vec points = rest_surface(testing::make_ball()).points;
  auto graph = std::make_shared<ControlGraph>();
  const std::vector<MorphTarget> shapes{shape_of(*graph, points, 0), shape_of(*graph, points, 2)};
  const RigBody body = ball_with(graph, {make_blend_shapes(0, static_cast<int>(points.size() / 3), shapes)});
  const MassMoments moments = moments_of(body, all_controls(*body.rig));
  EXPECT_EQ(moments.second.rows(), 4 + 2 * 3);
  expect_exact(body, moments);
}

TEST(MassMoments, OfShapesUnderASkinAreThoseOfEachWithEach) {
  const Vec points = rest_surface(testing::make_ball()).points;
  auto graph = std::make_shared<ControlGraph>();
  const std::vector<MorphTarget> shapes{shape_of(*graph, points, 0), shape_of(*graph, points, 2)};
  const SkinDescription skin = two_joints(*graph, points);
  const RigBody body = ball_with(
      graph, {make_blend_shapes(0, static_cast<int>(points.size() / 3), shapes), make_linear_blend_skin(skin)});
  const MassMoments moments = moments_of(body, all_controls(*body.rig));
  EXPECT_EQ(moments.second.rows(), 2 * (4 + 3 * 2));  // m (4 + 3 B) for m joints, B shapes
  expect_exact(body, moments);
}

TEST(MassMoments, OfAWholeCharacterAreExact) {
  const RigBody body = make_rig_body(make_character("bobbin"), {.cell = 0.08, .use_cache = true});
  const MassMoments moments = moments_of(body, all_controls(*body.rig));
  EXPECT_LT(moments.second.rows(), 300);
  expect_exact(body, moments);
}

TEST(MassMoments, OfHandlesUnderASkinAreExactAndAboutWhatTheyMove) {
  const RigBody body = make_rig_body(make_character("sumo"), {.cell = 0.1, .use_cache = true});
  std::vector<int> free;
  for (int c = 0; c < static_cast<int>(body.rig->controls().size()); ++c)
    if (body.rig->controls()[c].node.starts_with("belly_") && body.rig->controls()[c].unit == Unit::length)
      free.push_back(c);
  ASSERT_GT(free.size(), 20u);
  const MassMoments moments = moments_of(body, free);
  EXPECT_LE(moments.node.size(), static_cast<std::size_t>(body.node_count()));
  expect_exact(body, moments);
}

TEST(MassMoments, TellWhatTheKeyDoesToNodesInside) {
  // Each node inside goes with one of the skin alone, from where the key has it.
  const Vec points = rest_surface(testing::make_ball()).points;
  auto graph = std::make_shared<ControlGraph>();
  const SkinDescription skin = two_joints(*graph, points);
  const RigBody body = ball_with(graph, {make_linear_blend_skin(skin)});
  CarrierWeights interior(body.node_count());
  const int first = static_cast<int>(std::find(body.skin.begin(), body.skin.end(), 1) - body.skin.begin());
  for (int i = 0; i < body.node_count(); ++i) interior[i] = {{body.skin[i] ? i : first, 1.0}};
  const MassMomentsResult result =
      mass_moments(body, all_controls(*body.rig), interior, lumped_masses(body.mesh, 1000));
  ASSERT_TRUE(result.moments);
  const MassMoments& moments = *result.moments;
  std::mt19937 random(5);
  const Vec p = random_pose(*body.rig, random), p_then = random_pose(*body.rig, random);
  const Vec key = random_pose(*body.rig, random), key_then = random_pose(*body.rig, random);
  const auto y = [&](In at) { return points_at(*moments.features, at); };
  MomentMomentum momentum(moments.second);
  momentum.set_target(y(p_then), 1);
  const Vec keyed = y(key) - y(key_then);
  const Eigen::Map<const Eigen::Matrix3Xd> K(keyed.data(), 3, moments.keyed.rows());
  const Eigen::Matrix3Xd load = K * moments.keyed.transpose();
  momentum.set_load(Eigen::Map<const Vec>(load.data(), load.size()));
  // Up to what only the keys decide: the difference between two poses.
  const Vec masses = masses_of(body, moments), then = nodes_at(body, interior, p_then, key_then);
  const Vec p_other = random_pose(*body.rig, random);
  const double whole = kinetic(masses, nodes_at(body, interior, p, key) - then) -
                       kinetic(masses, nodes_at(body, interior, p_other, key) - then);
  const auto state = momentum.make_state();
  EXPECT_NEAR(momentum.value(*state, y(p)) - momentum.value(*state, y(p_other)), whole, 1e-10 * std::abs(whole));
  EXPECT_GT(moments.keyed.norm(), 0.1 * moments.second.norm());  // or nothing was tested
}

TEST(MassMoments, AreNotThereForWhatIsNotLinear) {
  const Vec points = rest_surface(testing::make_ball()).points;
  auto graph = std::make_shared<ControlGraph>();
  const SkinDescription skin = two_joints(*graph, points);
  const RigBody body = ball_with(graph, {make_dual_quaternion_skin(skin)});
  const MassMomentsResult result =
      mass_moments(body, all_controls(*body.rig), harmonic_weights(body.mesh, body.skin), lumped_masses(body.mesh, 1));
  EXPECT_FALSE(result.moments);
  EXPECT_NE(result.reason, "");
  EXPECT_FALSE(mass_moments(body, all_controls(*body.rig), harmonic_weights(body.mesh, body.skin),
                            lumped_masses(body.mesh, 1), {.most_features = 2})
                   .moments);
}

TEST(MomentMomentum, KeepsTheLawsOfEnergies) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  const Mat B = Mat::NullaryExpr(6, 6, [&] { return normal(random); });
  MomentMomentum momentum(B * B.transpose());
  const auto anywhere = [&] { return Vec(Vec::NullaryExpr(18, [&] { return normal(random); })); };
  momentum.set_target(anywhere(), 25);
  momentum.set_load(anywhere());
  const auto report = testing::check_energy(momentum, anywhere());
  EXPECT_TRUE(report.ok()) << report.message();
  EXPECT_THROW(MomentMomentum(Mat::Random(3, 2)), Error);
}

}  // namespace
}  // namespace rigspace::bench
