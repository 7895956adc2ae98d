#include "rigspace/apps/forces/force_template.h"

#include "rigspace/base/error.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

namespace rigspace {
namespace {

constexpr std::array<std::string_view, 3> kParameters{"strength", "radius", "ring"};

/// h and dh/dx.
struct Field3 {
  Vec3 h = Vec3::Zero();
  Mat3 dh = Mat3::Zero();
};

Field3 unit_field(ForceTemplate kind, const Vec3& x) {
  const double inner = 1 - x.squaredNorm();
  if (inner <= 0) return {};
  const double w = inner * inner;
  const Vec3 dw = -4 * inner * x;
  if (kind == ForceTemplate::bump) return {Vec3(0, 0, w), Vec3::UnitZ() * dw.transpose()};
  const Vec3 stretch = 3.5 * (kind == ForceTemplate::bulge ? Vec3(1, 1, -2) : Vec3(Vec3::Ones()));
  const Vec3 direction = stretch.cwiseProduct(x);
  return {w * direction, w * Mat3(stretch.asDiagonal()) + direction * dw.transpose()};
}

/// The torus: around its circle a radial field.
LocalForce ring_force(std::span<const double> g, double young, const Vec3& place) {
  const double strength = g[0], r = g[1], ring = g[2], across = std::hypot(place.x(), place.y());
  if (across == 0) return {};
  const Vec3 n(place.x() / across, place.y() / across, 0);
  const Vec3 x = (place - ring * n) / r;
  const Field3 field = unit_field(ForceTemplate::radial, x);
  const double scale = young / r;
  Mat3 d_place = Mat3::Identity();  // of the distance from the circle
  d_place -= ring / across * (Vec3(1, 1, 0).asDiagonal().toDenseMatrix() - n * n.transpose());
  LocalForce result;
  result.force = strength * scale * field.h;
  result.by_place = strength * scale / r * field.dh * d_place;
  result.by_parameter.col(0) = scale * field.h;
  result.by_parameter.col(1) = -strength * scale / r * (field.h + field.dh * x);
  result.by_parameter.col(2) = -strength * scale / r * field.dh * n;
  return result;
}

}  // namespace

std::string_view name(ForceTemplate kind) {
  switch (kind) {
    case ForceTemplate::bump: return "bump";
    case ForceTemplate::bulge: return "bulge";
    case ForceTemplate::radial: return "radial";
    case ForceTemplate::torus: return "torus";
  }
  return "";
}

ForceTemplate force_template(std::string_view wanted) {
  std::string names;
  for (const ForceTemplate kind : kAllForceTemplates) {
    if (name(kind) == wanted) return kind;
    names += (names.empty() ? "" : ", ") + std::string(name(kind));
  }
  throw Error({.element = "template \"" + std::string(wanted) + "\"",
               .value = std::string(wanted),
               .problem = "is not known",
               .remedy = "choose from: " + names});
}

std::span<const std::string_view> parameters(ForceTemplate kind) {
  return std::span(kParameters).first(kind == ForceTemplate::torus ? 3 : 2);
}

double reach(ForceTemplate kind, std::span<const double> g) {
  return kind == ForceTemplate::torus ? g[1] + g[2] : g[1];
}

LocalForce local_force(ForceTemplate kind, std::span<const double> g, double young, const Vec3& place) {
  if (kind == ForceTemplate::torus) return ring_force(g, young, place);
  const double strength = g[0], r = g[1], scale = young / r;
  const Vec3 x = place / r;
  const Field3 field = unit_field(kind, x);
  LocalForce result;
  result.force = strength * scale * field.h;
  result.by_place = strength * scale / r * field.dh;
  result.by_parameter.col(0) = scale * field.h;
  result.by_parameter.col(1) = -strength * scale / r * (field.h + field.dh * x);
  return result;
}

void check_parameters(ForceTemplate kind, std::span<const double> g, std::string_view what) {
  const auto fail = [&](std::string_view parameter, double value, const char* problem, const char* remedy) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    throw Error({.element = std::string(what) + ": " + std::string(parameter),
                 .value = text,
                 .problem = "is " + std::string(text) + problem,
                 .remedy = remedy});
  };
  const auto names = parameters(kind);
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (!std::isfinite(g[k])) fail(names[k], g[k], "", "expected a finite number");
    if (k > 0 && g[k] <= 0) fail(names[k], g[k], "", "expected scene units above 0");
  }
  if (kind == ForceTemplate::torus && g[1] >= g[2])
    fail("radius", g[1], ", as large as the ring", "the tube of a torus is thinner than its ring");
}

}  // namespace rigspace
