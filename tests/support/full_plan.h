#pragma once
// A rig with one of everything: a limb with a foot, in a lattice and in a sleeve, and a tail on a spline.

#include "rigspace/rig/rig_plan.h"

#include <cmath>
#include <numbers>

namespace rigspace::testing {

/// Rings of points around the y axis from y = 0 to `length` at x, and their triangles.
struct Tube {
  Vec points;
  std::vector<std::array<int, 3>> triangles;
};

inline Tube make_tube(double x, double length, int rings = 9, int sides = 6, double radius = 0.1) {
  Tube tube;
  tube.points.resize(3 * rings * sides);
  for (int r = 0; r < rings; ++r)
    for (int s = 0; s < sides; ++s) {
      const double turn = 2 * std::numbers::pi * s / sides, y = length * r / (rings - 1);
      tube.points.segment<3>(3 * (r * sides + s)) = Vec3(x + radius * std::cos(turn), y, radius * std::sin(turn));
      if (r == 0) continue;
      const int a = (r - 1) * sides + s, b = (r - 1) * sides + (s + 1) % sides;
      tube.triangles.push_back({a, a + sides, b});
      tube.triangles.push_back({b, a + sides, b + sides});
    }
  return tube;
}

inline Affine moved_back(const Vec3& from) {
  Affine A = Affine::Identity();
  translation(A) = -from;
  return A;
}

/// Three tubes, "limb" (1.2 high, bends at 0.4 and 0.8), "tail" (0.6 high, at x = 1) and "sleeve", around the limb,
/// which it follows. `limb` stands upside down, as it were: hips at the top, so that its foot is at y = 0.
inline RigPlan full_plan() {
  RigPlan plan;
  const Tube limb = make_tube(0, 1.2), tail = make_tube(1, 0.6), sleeve = make_tube(0, 1, 5, 8, 0.13);
  plan.points_rest.resize(limb.points.size() + tail.points.size() + sleeve.points.size());
  plan.points_rest << limb.points, tail.points, sleeve.points;
  const int limb_count = static_cast<int>(limb.points.size() / 3),
            tail_count = static_cast<int>(tail.points.size() / 3);
  const int sleeve_count = static_cast<int>(sleeve.points.size() / 3);
  plan.pieces = {{"limb", 0, limb_count}, {"tail", limb_count, tail_count}};
  plan.pieces.push_back({"sleeve", limb_count + tail_count, sleeve_count});
  plan.triangles = limb.triangles;
  for (const auto& [tube, first] : {std::pair{&tail, limb_count}, std::pair{&sleeve, limb_count + tail_count}})
    for (const auto& t : tube->triangles) plan.triangles.push_back({first + t[0], first + t[1], first + t[2]});

  plan.controls = {{.name = "ik", .node = "ik", .rest = 0.5, .min = 0, .max = 1, .group = "leg", .typical = 0.3},
                   {.name = "roll", .node = "roll", .unit = Unit::angle, .group = "leg", .typical = 0.04},
                   {.name = "twist", .node = "twist", .unit = Unit::angle, .group = "tail", .typical = 0.4},
                   {.name = "squash", .node = "squash", .group = "leg", .typical = 0.2},
                   {.name = "limb:bulge", .node = "limb", .min = 0, .max = 1, .typical = 0.5}};
  plan.nodes = {{.name = "root", .parent = ""},
                {.name = "hip", .parent = "root", .translation = {0, 1.2, 0}},
                {.name = "knee", .parent = "hip", .translation = {0, -0.4, 0.05}},
                {.name = "ankle", .parent = "knee", .translation = {0, -0.4, -0.05}},
                {.name = "toe", .parent = "ankle", .translation = {0, -0.35, 0.1}},
                {.name = "foot", .parent = "root", .translation = {0, 0.4, 0}},
                {.name = "eye", .parent = "root", .translation = {0.5, 1, 0}},
                {.name = "t1", .parent = "root", .translation = {1, 0, 0}},
                {.name = "t2", .parent = "t1", .translation = {0, 0.3, 0}},
                {.name = "t3", .parent = "t2", .translation = {0, 0.3, 0}}};
  for (plan::Node& node : plan.nodes) node.typical_length = 0.1;
  plan.points = {{.name = "knee_pole", .parent = "root", .position = {0, 0.8, 1}, .typical_length = 0.2},
                 {.name = "c1", .parent = "root", .position = {1, 0, 0}, .typical_length = 0.1},
                 {.name = "c2", .parent = "root", .position = {1, 0.2, 0}, .typical_length = 0.1},
                 {.name = "c3", .parent = "root", .position = {1, 0.4, 0}, .typical_length = 0.1},
                 {.name = "c4", .parent = "root", .position = {1, 0.6, 0}, .typical_length = 0.1},
                 {.name = "w1", .parent = "", .position = {0, 0, 0}, .typical_length = 0.1},
                 {.name = "w2", .parent = "", .position = {0, 0.2, 0}, .typical_length = 0.1},
                 {.name = "w3", .parent = "", .position = {0, 0.4, 0}, .typical_length = 0.1}};
  plan.drivers = {{.name = "half_roll", .mode = plan::Driver::Mode::value, .expression = "clamp(roll, -60, 60) / 2"},
                  {.name = "toe.rx", .mode = plan::Driver::Mode::add, .expression = "half_roll * 0.1"},
                  // A parent that its child's control drives.
                  {.name = "hip.rz", .mode = plan::Driver::Mode::add, .expression = "'toe.ry' / 10"},
                  {.name = "eye.sx", .mode = plan::Driver::Mode::set, .expression = "1 + squash / 2"}};
  plan.constraints = {{.name = "eye",
                       .kind = plan::Constraint::Kind::aim,
                       .targets = {{"knee_pole"}},
                       .influence = "0.5 + squash / 4",
                       .keep_offset = false}};
  plan.ik = {{.name = "leg",
              .chain = {"hip", "knee", "ankle"},
              .target = "reverse.ankle",
              .pole = "knee_pole",
              .blend = "ik",
              .orient = 0.5}};
  plan.foot_rolls = {{.name = "reverse",
                      .foot = "foot",
                      .heel = {0, -0.4, -0.1},
                      .ball = {0, -0.4, 0.05},
                      .toe = {0, -0.4, 0.1},
                      .inner = {-0.05, -0.4, 0.05},
                      .outer = {0.05, -0.4, 0.05},
                      .ankle = {0, 0, 0},
                      .roll = "roll"}};
  plan.spline_chains = {{.name = "tail_curve",
                         .points = {"c1", "c2", "c3", "c4"},
                         .joints = {"t1", "t2", "t3"},
                         .up = "root",
                         .up_axis = Vec3::UnitZ(),
                         .stretch = 1,
                         .end_twist = "twist"}};
  plan.pose_weights = {{.name = "pose", .inputs = {"knee.rx / 90", "squash"}, .examples = {{0, 0}, {1, 0}, {0, 1}}}};
  plan.helpers = {{.name = "knee_helper", .parent = "hip", .child = "knee", .axis = -Vec3::UnitY(), .twist = "ik"}};

  plan::Shapes shapes{
      {{.name = "limb:bulge", .weight = "'limb:bulge'", .points = {20, 21}, .offsets = {{0.1, 0, 0}, {0, 0, 0.1}}},
       {.name = "limb:corrective", .weight = "pose.2", .points = {25}, .offsets = {{0.05, 0, 0.02}}}}};
  plan::Lattice lattice;
  lattice.frame << 0.4, 0, 0, -0.2, 0, 0.6, 0, 0.5, 0, 0, 0.4, -0.2;
  lattice.size = {2, 3, 2};
  lattice.free = {{0, 1, 0}, {1, 1, 1}};
  lattice.typical_length = 0.05;
  plan::Wire wire{.points = {"w1", "w2", "w3"}, .radius = 0.5, .end_roll = "twist"};
  wire.where.balls = {{.center = {0, 0.1, 0}, .inner = 0.2, .outer = 0.5}};
  plan::Nonlinear bend{
      .kind = rigspace::Nonlinear::bend, .handle = {}, .low = 0, .high = 1, .parameters = {{"angle", "roll / 3"}}};
  plan::Clusters clusters{{{"eye", {.balls = {{.center = {0, 0.9, 0}, .inner = 0, .outer = 0.3}}}}}};

  plan::Skin limb_skin{.joints = {"hip", "knee", "ankle", "toe", "knee_helper"}};
  for (const Vec3& at : {Vec3(0, 1.2, 0), Vec3(0, 0.8, 0.05), Vec3(0, 0.4, 0), Vec3(0, 0.05, 0.1), Vec3(0, 1, 0.025)})
    limb_skin.inverse_bind.push_back(moved_back(at));
  for (int k = 0; k < limb_count; ++k) {
    const double y = limb.points[3 * k + 1];
    std::vector<Influence> list;
    for (const auto& [joint, at] : {std::pair{0, 1.1}, std::pair{1, 0.6}, std::pair{2, 0.25}, std::pair{3, 0.0}})
      if (const double w = std::max(0.0, 1 - std::abs(y - at) / 0.5); w > 0) list.push_back({joint, w});
    if (y > 0.7 && y < 0.9) list.push_back({4, 0.5});
    double sum = 0;
    for (const Influence& each : list) sum += each.weight;
    for (Influence& each : list) each.weight /= sum;
    limb_skin.influences.push_back(list);
  }
  plan::Skin tail_skin{.joints = {"t1", "t2", "t3"}};
  for (const double y : {0.0, 0.3, 0.6}) tail_skin.inverse_bind.push_back(moved_back({1, y, 0}));
  for (int k = 0; k < tail_count; ++k) {
    const double along = tail.points[3 * k + 1] / 0.3;
    const int joint = std::min(1, static_cast<int>(along));
    tail_skin.influences.push_back({{joint, 1 - (along - joint)}, {joint + 1, along - joint}});
  }
  // The sleeve's upper end follows less, and stays with the hip.
  plan::Skin sleeve_skin{.joints = {"hip"}, .inverse_bind = {moved_back({0, 1.2, 0})}};
  sleeve_skin.influences.assign(sleeve_count, {{0, 1.0}});
  plan::Wrap wrap{.to = {"limb"}, .blend = 1.5};
  wrap.where.balls = {{.center = {0, 0, 0}, .inner = 0.8, .outer = 1.2}};
  plan.deformers = {{.name = "correctives", .pieces = {"limb"}, .kind = shapes},
                    {.name = "belly", .pieces = {"limb"}, .kind = lattice},
                    {.name = "wire", .pieces = {"limb"}, .kind = wire},
                    {.name = "tail_bend", .pieces = {"tail"}, .kind = bend},
                    {.name = "limb_skin", .pieces = {"limb"}, .kind = limb_skin},
                    {.name = "tail_skin", .pieces = {"tail"}, .kind = tail_skin},
                    {.name = "sleeve_skin", .pieces = {"sleeve"}, .kind = sleeve_skin},
                    {.name = "wrap", .pieces = {"sleeve"}, .kind = wrap},
                    {.name = "swell", .pieces = {"limb", "sleeve"}, .kind = clusters}};
  plan.rules = {{.origin = {}, .pattern = "knee.r?", .group = "leg", .min = -120, .max = 120},
                {.origin = {}, .pattern = "belly_*", .group = "belly", .typical = 0.02}};
  return plan;
}

}  // namespace rigspace::testing
