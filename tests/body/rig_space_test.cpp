#include "rigspace/body/rig_space.h"

#include "rigspace/base/error.h"
#include "rigspace/rig/black_box.h"
#include "rigspace/testing/check_mapping.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

/// Twelve points on a ring that bends and swells: redundant, curved.
std::shared_ptr<const Rig> ring_rig() {
  BlackBoxDescription box;
  for (const char* name : {"bend", "swell", "x", "y", "z", "keyed"}) box.controls.push_back({.name = name});
  box.point_count = 12;
  box.noise = 0;
  box.evaluate = [](In p, Vec& s) {
    for (int i = 0; i < 12; ++i) {
      const double a = 0.5 * i, r = 1 + p[1] * std::cos(a) + p[5];
      s.segment<3>(3 * i) = Vec3(r * std::cos(a + p[0]), r * std::sin(a) + p[3], p[0] * p[1] + 0.1 * i + p[4]);
      s[3 * i] += p[2];
    }
  };
  return std::make_shared<BlackBoxRig>(box);
}

RigSpaceDescription ring_body() {
  RigSpaceDescription body{.rig = ring_rig(), .free = {0, 1, 2, 4}, .node_count = 14, .interior = {1, 4, 5, 9}};
  for (int node = 0; node < 14; ++node) {
    if (node == 1 || node == 4 || node == 5 || node == 9 || node == 13) continue;  // 13 is held
    body.bound.push_back(node);
    for (int k = 0; k < 3; ++k) body.ties.add((node + 2 * k) % 12, k == 0 ? 0.5 : 0.25);
    body.ties.end_row();
  }
  return body;
}

TEST(RigSpace, ObeysTheLawsOfMappings) {
  RigSpaceMapping mapping(ring_body());
  Vec p = Vec::Constant(6, 0.2), x = Vec::LinSpaced(42, -1, 1);
  mapping.set_key(p, x);
  Vec q = mapping.coordinates(x, p);
  q.tail(4) << 0.3, -0.2, 0.5, 0.1;
  const auto report = testing::check_mapping(mapping, q, {.tolerance = 1e-5});  // a black box: J is by differences too
  EXPECT_TRUE(report.ok()) << report;
}

TEST(RigSpace, KnowsItsCurvature) {
  RigSpaceMapping mapping(ring_body());
  mapping.set_curvature(RigCurvature::exact);
  Vec p = Vec::Constant(6, 0.2), x = Vec::LinSpaced(42, -1, 1);
  mapping.set_key(p, x);
  Vec q = mapping.coordinates(x, p);
  q.tail(4) << 0.3, -0.2, 0.5, 0.1;
  // Second differences of a black box at a thousandth of a typical change: third derivatives of order 1 are left out.
  const auto report = testing::check_mapping(mapping, q, {.tolerance = 3e-3});
  EXPECT_TRUE(report.ok()) << report;
}

TEST(RigSpace, HoldsWhatIsNeitherFreeNorBound) {
  RigSpaceMapping mapping(ring_body());
  const Vec p = Vec::Constant(6, 0.2), x_key = Vec::LinSpaced(42, -1, 1);
  mapping.set_key(p, x_key);
  const auto state = mapping.make_state();
  Vec q = mapping.coordinates(x_key, p), x, p_full;
  q.array() += 0.7;
  mapping.evaluate(*state, q, x);
  EXPECT_EQ(x.tail(3), x_key.tail(3));
  mapping.controls_at(q, p_full);
  EXPECT_EQ(p_full[5], 0.2);
  EXPECT_DOUBLE_EQ(p_full[0], 0.9);
}

TEST(RigSpace, RefusesNodesWithTwoRoles) {
  RigSpaceDescription body = ring_body();
  body.interior = {0, 1};
  EXPECT_THROW(RigSpaceMapping{body}, Error);
}

}  // namespace
}  // namespace rigspace
