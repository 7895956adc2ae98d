// No intersections, whatever happens, by either method of contact.

#include "energy/sheets.h"
#include "rigspace/apps/clothing/simulate_cloth.h"
#include "rigspace/base/error.h"
#include "rigspace/geometry/triangle_overlap.h"

#include <gtest/gtest.h>

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
  EXPECT_LT(point(cloth.points(), 0).y(), -0.3);
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
  Garment garment{.mesh = sheet(1, 0.012, kLong, 1), .warp = Vec3::UnitX()};
  garment.rest = garment.mesh.points;
  const auto at = [](double t) {
    return Vec3(0.03 * (t * t * t - 3 * t), 0.03 * (t * t * t * t - 4 * t * t), 0.006 * (std::pow(t, 5) - 10 * t));
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
      point(garment.mesh.points, k) = at(t) + (row == 0 ? -0.006 : 0.006) * side;
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
  ClothSimulation cloth(garment, {.mesh = plates, .points = place}, {.contact = {.distance = 0.004}, .max_pushes = 4});
  cloth.advance(0.04);
  EXPECT_EQ(cloth.report().released, 0) << "2 mm to either side";
  expect_apart(cloth, garment, {.mesh = plates});
  cloth.advance(0.06);
  EXPECT_GT(cloth.report().released, 0);
  EXPECT_TRUE(cloth.points().allFinite());
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
