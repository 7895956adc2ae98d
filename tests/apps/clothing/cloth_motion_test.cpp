// No intersections, whatever happens, by either method of contact.

#include "energy/sheets.h"
#include "rigspace/apps/clothing/simulate_cloth.h"
#include "rigspace/base/error.h"
#include "rigspace/geometry/surface_crossings.h"
#include "rigspace/geometry/triangle_overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace cloth_motion_test {

using namespace testing;

void expect_apart(const ClothSimulation& cloth, const Garment& garment, const ClothBody& body) {
  const TriMesh worn{cloth.points(), garment.mesh.triangles};
  ASSERT_EQ(
      self_crossings(worn).crossing() + count_crossings(worn, {cloth.body_points(), body.mesh.triangles}).crossing(), 0)
      << "at " << cloth.time() << " s";
}

class ClothContact : public ::testing::TestWithParam<ContactMethod> {};

INSTANTIATE_TEST_SUITE_P(Methods, ClothContact, ::testing::Values(ContactMethod::barrier, ContactMethod::impulses),
                         [](const auto& method) {
                           return method.param == ContactMethod::barrier ? "Barrier" : "Impulses";
                         });

TEST_P(ClothContact, DroppedOnASphereEndsWithoutIntersections) {
  Garment garment{.mesh = sheet(1, 1, 16, 16)};
  for (int i = 0; i < garment.mesh.point_count(); ++i) garment.mesh.points(3 * i + 1) += 0.01;
  const ClothBody body{.mesh = ball(Vec3(0.02, -0.31, 0.01), 0.3, 12, 20)};
  ClothSimulation cloth(garment, body, {.contact_method = GetParam(), .contact = {.distance = 0.005}});
  for (int frame = 1; frame <= 16; ++frame) {
    cloth.advance(frame / 24.0);
    expect_apart(cloth, garment, body);
  }
  // It hangs over the sphere: the middle lies on top, the corners are far below.
  EXPECT_GT(point(cloth.points(), 8 * 17 + 8).y(), -0.02);
  EXPECT_LT(point(cloth.points(), 0).y(), -0.28);
  EXPECT_GT(cloth.report().nearest, 0);
}

TEST_P(ClothContact, TwistedAsATubeEndsWithoutIntersections) {
  Garment garment{.mesh = tube(0.4, 0.08, 16, 18)};
  for (const int ring : {0, 16})
    for (int k = 0; k < 18; ++k) {
      const Vec3 p = point(garment.mesh.points, ring * 18 + k);
      const double sign = ring == 0 ? -1 : 1;
      garment.pins.push_back({.point = ring * 18 + k, .position = [=](double time) {
                                const Eigen::AngleAxisd turn(sign * 3.0 * time, Vec3::UnitX());
                                return Vec3(turn * p - Vec3(sign * 0.04 * time, 0, 0));
                              }});
    }
  ClothSimulation cloth(garment, {},
                        {.material = {.bending = 1e-5}, .contact_method = GetParam(), .contact = {.distance = 0.003}});
  for (int frame = 1; frame <= 10; ++frame) {
    cloth.advance(frame / 10.0);
    expect_apart(cloth, garment, {});
  }
  EXPECT_LT(cloth.report().nearest, 0.003) << "it touched itself";
}

// A ribbon laid in an overhand knot, x = t^3 - 3t, y = t^4 - 4t^2, z = t^5 - 10t, and flat at rest.
Garment knotted_ribbon() {
  constexpr int kLong = 110;
  Garment garment{.mesh = sheet(1, 0.008, kLong, 1), .warp = Vec3::UnitX()};
  garment.rest = garment.mesh.points;
  const auto at = [](double t) {
    return Vec3(0.03 * (t * t * t - 3 * t), 0.03 * (t * t * t * t - 4 * t * t), 0.012 * (std::pow(t, 5) - 10 * t));
  };
  constexpr double kEnd = 2.15;
  Vec3 side = Vec3::UnitZ();
  double along = 0;
  for (int i = 0; i <= kLong; ++i) {
    const double t = kEnd * (2.0 * i / kLong - 1), dt = 2 * kEnd / kLong;
    const Vec3 tangent = (at(t + 1e-4) - at(t - 1e-4)).normalized();
    side = (side - tangent * tangent.dot(side)).normalized();
    if (i > 0) along += (at(t) - at(t - dt)).norm();
    for (int row = 0; row < 2; ++row) {
      const int k = row * (kLong + 1) + i;
      point(garment.mesh.points, k) = at(t) + (row == 0 ? -0.004 : 0.004) * side;
      point(garment.rest, k).x() = along;
    }
  }
  return garment;
}

TEST_P(ClothContact, PulledTightAsAKnotEndsWithoutIntersections) {
  Garment garment = knotted_ribbon();
  const int last = garment.mesh.point_count() / 2 - 1;
  const Vec3 ends = (point(garment.mesh.points, last) - point(garment.mesh.points, 0)).normalized();
  for (int row = 0; row < 2; ++row)
    for (const int i : {0, last}) {
      const int k = row * (last + 1) + i;
      const Vec3 from = point(garment.mesh.points, k), by = (i == 0 ? -0.25 : 0.25) * ends;
      garment.pins.push_back({.point = k, .position = [=](double time) { return Vec3(from + time * by); }});
    }
  ClothSimulation cloth(garment, {},
                        {.material = {.bending = 1e-6},
                         .contact_method = GetParam(),
                         .contact = {.distance = 0.002},
                         .gravity = Vec3::Zero()});
  for (int frame = 1; frame <= 12; ++frame) {
    cloth.advance(frame / 12.0);
    expect_apart(cloth, garment, {});
  }
  EXPECT_LT(cloth.report().nearest, 0.002) << "it touched itself";
}

TEST_P(ClothContact, IsNotPassedByAFastBody) {
  const Garment garment{.mesh = sheet(0.6, 0.6, 12, 12)};
  const TriMesh start = ball(Vec3(0.01, 0.25, 0.02), 0.1, 8, 12);
  // 20 m/s: the ball covers its diameter within a hundredth of a second.
  const ClothBody body{.mesh = start, .points = [&](double time, Vec& points) {
                         points = start.points;
                         for (int i = 0; i < start.point_count(); ++i) points(3 * i + 1) -= 20 * time;
                       }};
  ClothSimulation cloth(garment, body, {.contact_method = GetParam(), .contact = {.distance = 0.005}});
  for (int frame = 1; frame <= 2; ++frame) {
    cloth.advance(frame / 48.0);
    expect_apart(cloth, garment, body);
  }
  EXPECT_GT(cloth.report().extra_steps, 0);
  const double ball_at = 0.25 - 20 * 2 / 48.0;
  EXPECT_LT(point(cloth.points(), 6 * 13 + 6).y(), ball_at - 0.1) << "the middle is in front of the ball";
}

TEST(Cloth, CaughtBetweenPlatesThatPassEachOtherLetsThemGoAndIsCounted) {
  const Garment garment{.mesh = sheet(0.2, 0.2, 4, 4)};
  TriMesh plates = sheet(0.5, 0.5, 2, 2);
  const int half = plates.point_count();
  plates.points.conservativeResize(6 * half);
  plates.points.tail(3 * half) = plates.points.head(3 * half);
  const std::vector<Triangle> lower = plates.triangles;
  for (const Triangle& t : lower) plates.triangles.push_back({t[0] + half, t[1] + half, t[2] + half});
  const TriMesh start = plates;
  const auto place = [&start, half](double time, Vec& points) {
    points = start.points;
    for (int i = 0; i < 2 * half; ++i) points(3 * i + 1) = (i < half ? -1 : 1) * (0.01 - 0.2 * time);
  };
  place(0, plates.points);
  ClothSimulation cloth(garment, {.mesh = plates, .points = place}, {.contact = {.distance = 0.004}});
  cloth.advance(0.04);
  EXPECT_EQ(cloth.report().released, 0) << "2 mm to either side";
  expect_apart(cloth, garment, {.mesh = plates});
  cloth.advance(0.06);
  EXPECT_GT(cloth.report().released, 0);
  EXPECT_TRUE(cloth.points().allFinite());
}

TEST(Cloth, GoesOnFromAStateInWhichTheBodyHasCaughtIt) {
  const Garment garment{.mesh = sheet(0.2, 0.2, 4, 4)};
  TriMesh needle = ball(Vec3(0.011, 0.004, 0.017), 0.03, 7, 9);  // through the middle of the sheet
  EXPECT_THROW(ClothSimulation(garment, {.mesh = needle}), Error);
  ClothSimulation cloth(garment, {.mesh = needle}, {.start_crossing = true});
  EXPECT_GT(cloth.report().absent, 0);
  const Vec x = cloth.points(), v = Vec::Zero(x.size());
  cloth.advance(0.05);
  EXPECT_TRUE(cloth.points().allFinite());
  const Vec once = cloth.points();
  ClothSimulation again(garment, {.mesh = needle}, {.start_crossing = true});
  again.restart(x, v);
  again.advance(0.05);
  EXPECT_EQ(again.points(), once) << "a restart depends on its state alone";
}

// A small ball comes down on a sheet that lies on a large one, passes into the large one, and leaves again.
TEST(Cloth, StaysOnTheBodyWhereALimbThatPinchesItPassesThrough) {
  Garment garment{.mesh = sheet(0.2, 0.2, 10, 10)};
  for (int i = 0; i < garment.mesh.point_count(); ++i) garment.mesh.points(3 * i + 1) += 0.006;
  const TriMesh large = ball(Vec3(0.003, -0.2, 0.002), 0.2, 16, 24);
  TriMesh start = large;
  const TriMesh small = ball(Vec3(0.01, 0.35, 0.01), 0.04, 8, 12);
  const int n = large.point_count();
  start.points.conservativeResize(large.points.size() + small.points.size());
  start.points.tail(small.points.size()) = small.points;
  for (const Triangle& t : small.triangles) start.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  const ClothBody body{.mesh = start, .points = [&](double time, Vec& points) {
                         points = start.points;
                         const double down = 0.35 * std::sin(std::numbers::pi * std::min(1.0, time / 0.4));
                         for (int i = n; i < start.point_count(); ++i) points(3 * i + 1) -= down;
                       }};
  ClothSimulation cloth(garment, body, {.contact = {.distance = 0.003}});
  int on_limb = 0;
  for (int frame = 1; frame <= 12; ++frame) {
    cloth.advance(frame * 0.45 / 12);
    const TriMesh now{cloth.points(), garment.mesh.triangles};
    EXPECT_EQ(count_crossings(now, large).crossing(), 0) << "at " << cloth.time() << " s";
    on_limb = count_crossings(now, {cloth.body_points(), start.triangles}).crossing();
  }
  EXPECT_GT(cloth.report().absent, 0) << "the limb left contact";
  EXPECT_EQ(on_limb, 0) << "and is out of the cloth again";
  EXPECT_LT(std::sqrt(1 + 2 * cloth.report().worst_stretch) - 1, 0.1) << "it did not tear the sheet along";
}

TEST(SelfCrossings, OfPartsThatFaceEachOtherLayersAreNone) {
  TriMesh two = ball(Vec3::Zero(), 0.3, 12, 16);
  const TriMesh other = ball(Vec3(0.55, 0.01, 0.02), 0.3, 12, 16), layer = ball(Vec3(0.004, 0, 0.003), 0.3, 12, 16);
  const int n = two.point_count();
  const auto with = [&](const TriMesh& mesh) {
    TriMesh both = two;
    both.points.conservativeResize(two.points.size() + mesh.points.size());
    both.points.tail(mesh.points.size()) = mesh.points;
    for (const Triangle& t : mesh.triangles) both.triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
    return both;
  };
  const auto count = [](const std::vector<char>& found) { return std::count(found.begin(), found.end(), 1); };
  const TriMesh pressed = with(other), layers = with(layer);
  SelfCrossingFinder of_pressed(pressed), of_layers(layers), of_one(two);
  EXPECT_EQ(count(of_one.find(two.points)), 0);
  EXPECT_GT(count(of_pressed.find(pressed.points)), 0);
  EXPECT_EQ(of_pressed.find(pressed.points, {}, -0.2), of_pressed.find(pressed.points)) << "they face each other";
  EXPECT_GT(count(of_layers.find(layers.points)), 100);
  EXPECT_EQ(count(of_layers.find(layers.points, {}, -0.2)), 0);
  std::vector<char> firm(pressed.triangles.size(), 0);
  std::fill(firm.begin(), firm.begin() + two.triangle_count(), 1);
  const std::vector<char> yielding = of_pressed.find(pressed.points, {}, -0.2, firm);
  EXPECT_EQ(std::count(yielding.begin(), yielding.begin() + two.triangle_count(), 1), 0);
  EXPECT_GT(count(yielding), 0);
}

TEST(Cloth, RefusesWhatCannotBeClothInOneSentence) {
  const auto sentence = [](const Garment& garment, const ClothBody& body = {}) {
    try {
      ClothSimulation(garment, body, {});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  Garment good{.mesh = sheet(1, 1, 2, 2)};
  EXPECT_EQ(sentence(good), "");
  Garment flat = good;
  flat.mesh.triangles.push_back({0, 1, 1});
  EXPECT_NE(sentence(flat).find("triangle without area, number 8"), std::string::npos) << sentence(flat);
  Garment twice = good;
  twice.mesh.points.conservativeResize(30);
  point(twice.mesh.points, 9) = point(twice.mesh.points, 2);
  EXPECT_NE(sentence(twice).find("1 duplicate points"), std::string::npos) << sentence(twice);
  Garment fin = good;
  fin.mesh.points.conservativeResize(30);
  point(fin.mesh.points, 9) = Vec3(0.1, 1, 0.1);
  fin.mesh.triangles.push_back({0, 4, 9});
  EXPECT_NE(sentence(fin).find("edge of 3 triangles"), std::string::npos) << sentence(fin);
  EXPECT_NE(sentence(good, {.mesh = ball(Vec3::Zero(), 0.3, 6, 8)}).find("passes through the body"), std::string::npos);
}

}  // namespace cloth_motion_test
}  // namespace rigspace
