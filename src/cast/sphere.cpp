// A ball that scales and travels (RSP, figure 2).

#include "assembly.h"
#include "coarsen.h"
#include "members.h"
#include "rigspace/geometry/polygonise.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace rigspace {
namespace {

constexpr double kRadius = 0.25;  // metres
constexpr double kBounceDuration = 1.2;

// The paper's has 860 surface points.
flesh::Flesh make_ball(bool proxy) {
  const Vec3 center(0, kRadius, 0);
  const ScalarField solid = [center](const Vec3& p) { return sphere(p, center, kRadius); };
  flesh::Flesh ball{.name = proxy ? "proxy" : "ball"};
  const TriMesh surface = surface_of(
      solid, {.low = {-0.36, -0.11, -0.36}, .high = {0.36, 0.61, 0.36}, .cell = proxy ? 0.02 : 0.011}, proxy ? 860 : 0);
  ball.triangles = surface.triangles;
  for (int v = 0; v < surface.point_count(); ++v) {
    const Vec3 p = point(surface.points, v), out = (p - center).normalized();
    ball.points.push_back(p);
    ball.normals.push_back(out);
    // A beach ball: six fields between the poles.
    const double field = std::sin(3 * std::atan2(out.z(), out.x()) + 0.5);
    const auto t = static_cast<float>(smooth_step(-0.12, 0.12, field) * smooth_step(0.98, 0.95, std::abs(out.y())));
    const Eigen::Vector4f coral(0.82f, 0.16f, 0.10f, 1), cream(0.90f, 0.82f, 0.66f, 1);
    ball.colors.push_back(cream + t * (coral - cream));
    ball.influences.push_back({{0, 1.0}});
  }
  return ball;
}

// One bounce on the spot and travelling: up and down under gravity, squashed while it touches the floor.
Animation bounce() {
  constexpr double kGravity = 9.81, kContact = 0.2, kFlight = kBounceDuration - kContact;
  Animation clip{.name = "Bounce", .duration = kBounceDuration, .tracks = {}, .rotations = {}};
  const auto track = [&](const char* control) -> Curve& {
    clip.tracks.push_back({.control = control, .curve = {}});
    return clip.tracks.back().curve;
  };
  const int last = static_cast<int>(std::lround(60 * kBounceDuration));
  std::vector<double> times;
  for (int k = 0; k <= last; ++k) times.push_back(k / 60.0);
  const auto squash = [&](double t) {  // 1 in the middle of the contact, which straddles the loop's seam
    const double u = std::min(t, kBounceDuration - t) / (0.5 * kContact);
    return u < 1 ? std::pow(std::cos(0.5 * std::numbers::pi * u), 2) : 0.0;
  };
  const auto height = [&](double t) {
    const double u = std::clamp(t - 0.5 * kContact, 0.0, kFlight);
    return 0.5 * kGravity * u * (kFlight - u);
  };
  const auto fill = [&](const char* control, const std::function<double(double)>& value) {
    Curve& curve = track(control);
    curve.times = times;
    for (const double t : times) curve.values.push_back(value(t));
  };
  const auto tall = [&](double t) { return 1 - 0.32 * squash(t); };
  fill("sphere.ty", [&](double t) { return kRadius * tall(t) + height(t); });
  fill("sphere.tz", [](double t) { return 0.6 * t / kBounceDuration; });
  fill("sphere.sy", tall);
  fill("sphere.sx", [&](double t) { return 1 / std::sqrt(tall(t)); });
  fill("sphere.sz", [&](double t) { return 1 / std::sqrt(tall(t)); });
  return clip;
}

}  // namespace

RiggedCharacter make_sphere(Version version) {
  puppet::Skeleton skeleton;
  const Vec3 center(0, kRadius, 0);
  skeleton.add("sphere", "", center, center + Vec3::UnitY(), Vec3::UnitX());
  Assembly assembly("sphere", {"rubber"});
  assembly.add_joints(skeleton);
  assembly.add(make_ball(false));
  if (version == Version::rig) assembly.add(make_ball(true));
  assembly.plan.rules.push_back({.pattern = "sphere", .group = "sphere"});
  assembly.character.clips = {bounce()};
  return std::move(assembly).finish(version);
}

}  // namespace rigspace
