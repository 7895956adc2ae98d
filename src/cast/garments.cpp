#include "rigspace/cast/garments.h"

#include "cut_sheet.h"
#include "flatten.h"
#include "mannequin.h"
#include "mannequin_clips.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/weight_transfer.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace rigspace {
namespace {

using mannequin::kPlan;
using shapes::to_left;

constexpr std::array<std::string_view, 4> kGarments{"sweater", "trousers", "skirt", "cape"};
constexpr double kSideSeam = -0.015;  // z: front and back meet there

/// A panel for each triangle by the place of its middle.
std::vector<int> panels_by(const TriMesh& mesh, const std::function<int(const Vec3&)>& label) {
  std::vector<int> panel;
  for (const Triangle& t : mesh.triangles)
    panel.push_back(label((point(mesh.points, t[0]) + point(mesh.points, t[1]) + point(mesh.points, t[2])) / 3));
  return panel;
}

CastGarment sewn(std::string name, TriMesh mesh, const std::function<int(const Vec3&)>& label,
                 const std::function<Eigen::Vector2d(int, const Vec3&)>& guess) {
  CastGarment garment{.name = std::move(name), .mesh = std::move(mesh), .panel_corners = {}, .panel = {}, .pinned = {}};
  garment.panel = panels_by(garment.mesh, label);
  garment.panel_corners = flatten_panels(garment.mesh, garment.panel, guess);
  return garment;
}

// Panels 0, 1: front and back; 2 to 5: the front and the back of the left, of the right sleeve.
CastGarment sweater(const GarmentOptions& options) {
  const auto& at = kPlan.arm;
  const Vec3 along = (at[3] - at[2]).normalized(), cuff = at[3] - 0.035 * along;
  const double hem = 0.915;
  const CutSheetPlan plan{.solid =
                              [=](const Vec3& p) {
                                return smooth_intersection(mannequin::upper_body(p) - options.offset,
                                                           hem - 0.06 - p.y(), 0.02);
                              },
                          .cut =
                              [=](const Vec3& p) {
                                const double neck = (p - Vec3(0, 1.497, -0.02)).dot(Vec3(0, 1, 0.45).normalized());
                                return std::max({hem - p.y(), neck, (to_left(p) - cuff).dot(along)});
                              },
                          .low = {-0.68, 0.80, -0.21},
                          .high = {0.68, 1.70, 0.19},
                          .points = options.vertices};
  const Vec3 upper = (at[2] - at[1]).normalized(), armhole = at[1] + 0.01 * upper;
  const auto label = [=](const Vec3& p) {
    const int back = p.z() < kSideSeam ? 1 : 0;
    if ((to_left(p) - armhole).dot(upper) < 0) return back;
    return 2 + (p.x() < 0 ? 2 : 0) + back;
  };
  const auto guess = [=](int panel, const Vec3& p) {
    const double mirror = panel % 2 == 0 ? 1 : -1;  // seen from outside
    if (panel < 2) return Eigen::Vector2d(mirror * p.x(), p.y());
    const Vec3 left = to_left(p) - at[1];
    return Eigen::Vector2d((panel < 4 ? 1 : -1) * mirror * left.dot(upper), left.dot(Vec3::UnitZ().cross(upper)));
  };
  return sewn("sweater", cut_sheet(plan), label, guess);
}

// Panels 0, 1: front and back of the left half; 2, 3: of the right half.
CastGarment trousers(const GarmentOptions& options) {
  const CutSheetPlan plan{.solid =
                              [=](const Vec3& p) {
                                return smooth_intersection(mannequin::lower_body(p) - options.offset, p.y() - 1.10,
                                                           0.02);
                              },
                          .cut = [](const Vec3& p) { return std::max(p.y() - 1.025, 0.135 - p.y()); },
                          .low = {-0.24, -0.04, -0.20},
                          .high = {0.24, 1.14, 0.18},
                          .points = options.vertices};
  const auto label = [](const Vec3& p) { return (p.x() < 0 ? 2 : 0) + (p.z() < kSideSeam ? 1 : 0); };
  const auto guess = [](int panel, const Vec3& p) { return Eigen::Vector2d(panel % 2 == 0 ? p.x() : -p.x(), p.y()); };
  return sewn("trousers", cut_sheet(plan), label, guess);
}

/// How far from `from` along `direction` a solid's outermost skin is, seen from a distance of `reach`; -1: none.
double outermost(const ScalarField& solid, const Vec3& from, const Vec3& direction, double reach) {
  double r = reach;
  while (r > 0) {
    const double d = solid(from + r * direction);
    if (d < 1e-4) return r;
    r -= std::max(0.7 * d, 1e-4);
  }
  return -1;
}

/// A grid of rows x columns points, closed around (columns) or not, facing outward; odd and even rows' diagonals
/// alternate so that no direction is stiffer.
TriMesh grid_sheet(int rows, int columns, bool around, const std::function<Vec3(int, int)>& place) {
  TriMesh mesh{.points = Vec(3 * rows * columns), .triangles = {}};
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) point(mesh.points, r * columns + c) = place(r, c);
  for (int r = 0; r + 1 < rows; ++r)
    for (int c = 0; c + (around ? 0 : 1) < columns; ++c) {
      const int a = r * columns + c, b = r * columns + (c + 1) % columns, d = a + columns, e = b + columns;
      if ((r + c) % 2 == 0) {
        mesh.triangles.push_back({a, d, e});
        mesh.triangles.push_back({a, e, b});
      } else {
        mesh.triangles.push_back({a, d, b});
        mesh.triangles.push_back({d, e, b});
      }
    }
  return mesh;
}

// From the waist, over the hips, flaring. Panels 0, 1: front and back.
CastGarment skirt(const GarmentOptions& options) {
  constexpr double kTop = 1.03, kBottom = 0.52, kFlare = 0.38;  // metres; metres outward per metre down
  const int columns = 2 * std::max(12, static_cast<int>(std::lround(0.5 * std::sqrt(2.6 * options.vertices))));
  const int rows = std::max(4, static_cast<int>(std::lround(static_cast<double>(options.vertices) / columns)));
  const double step = (kTop - kBottom) / (rows - 1);
  Mat radius(rows, columns);
  for (int c = 0; c < columns; ++c) {
    const double around = 2 * std::numbers::pi * c / columns;
    const Vec3 direction(std::cos(around), 0, -std::sin(around));
    for (int r = 0; r < rows; ++r) {
      const double skin = outermost(mannequin::lower_body, {0, kTop - r * step, -0.005}, direction, 0.4);
      // The hips push the cloth out from above, where it must pass them.
      radius(r, c) = std::max(skin + 1.2 * options.offset, r == 0 ? 0.0 : radius(r - 1, c) + kFlare * step);
    }
  }
  const auto place = [&](int r, int c) {
    const double around = 2 * std::numbers::pi * c / columns;
    return Vec3(radius(r, c) * std::cos(around), kTop - r * step, -0.005 - radius(r, c) * std::sin(around));
  };
  const auto label = [](const Vec3& p) { return p.z() < kSideSeam ? 1 : 0; };
  const auto guess = [](int panel, const Vec3& p) {
    const double out = std::hypot(p.x(), p.z()), turn = std::atan2(p.x(), std::abs(p.z()));
    return Eigen::Vector2d((panel == 0 ? 1 : -1) * out * turn, p.y());
  };
  CastGarment garment = sewn("skirt", grid_sheet(rows, columns, true, place), label, guess);
  for (int c = 0; c < columns; ++c) garment.pinned.push_back(c);
  return garment;
}

// Hangs from the shoulders down the back; one panel.
CastGarment cape(const GarmentOptions& options) {
  constexpr double kTop = 1.425, kBottom = 0.60, kLean = 0.10;  // metres; metres backward per metre down
  const int columns = std::max(8, static_cast<int>(std::lround(std::sqrt(0.7 * options.vertices))));
  const int rows = std::max(8, static_cast<int>(std::lround(static_cast<double>(options.vertices) / columns)));
  const double step = (kTop - kBottom) / (rows - 1);
  Mat back(rows, columns);
  const auto aside = [&](int r, int c) { return (2.0 * c / (columns - 1) - 1) * (0.175 + 0.16 * r / (rows - 1)); };
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r) {
      const double skin = outermost(mannequin::body, {aside(r, c), kTop - r * step, 0.05}, -Vec3::UnitZ(), 0.5) - 0.05;
      back(r, c) = std::max(skin + 1.2 * options.offset, r == 0 ? 0.03 : back(r - 1, c) + kLean * step);
    }
  const auto place = [&](int r, int c) { return Vec3(-aside(r, c), kTop - r * step, -back(r, c)); };
  CastGarment garment = sewn(
      "cape", grid_sheet(rows, columns, false, place), [](const Vec3&) { return 0; },
      [](int, const Vec3& p) { return Eigen::Vector2d(-p.x(), p.y()); });
  for (int c = 0; c < columns; ++c) garment.pinned.push_back(c);
  return garment;
}

flesh::Flesh as_flesh(const CastGarment& garment, const flesh::Flesh& skin, int material) {
  static const std::array<Eigen::Vector4f, 4> colors{
      Eigen::Vector4f(0.10f, 0.22f, 0.42f, 1), Eigen::Vector4f(0.07f, 0.075f, 0.09f, 1),
      Eigen::Vector4f(0.42f, 0.06f, 0.08f, 1), Eigen::Vector4f(0.30f, 0.05f, 0.30f, 1)};
  TriMesh body{.points = Vec(3 * skin.size()), .triangles = skin.triangles};
  for (int i = 0; i < skin.size(); ++i) point(body.points, i) = skin.points[i];
  flesh::Flesh cloth{.name = garment.name, .material = material};
  const Vec normals = vertex_normals(garment.mesh);
  const auto kind = std::find(kGarments.begin(), kGarments.end(), garment.name) - kGarments.begin();
  for (int i = 0; i < garment.mesh.point_count(); ++i) {
    cloth.points.emplace_back(point(garment.mesh.points, i));
    cloth.normals.emplace_back(point(normals, i));
    cloth.colors.push_back(colors[kind % 4]);
  }
  cloth.triangles = garment.mesh.triangles;
  cloth.influences = transfer_weights({body, skin.influences}, garment.mesh, {.most_influences = 4}).influences;
  return cloth;
}

}  // namespace

void GarmentOptions::validate() const {
  if (vertices < 800)
    throw Error({.code = ErrorCode::usage,
                 .element = "a garment",
                 .value = std::to_string(vertices),
                 .problem = "of " + std::to_string(vertices) + " vertices is too coarse for the body",
                 .remedy = "give at least 800"});
  if (!(offset >= 0.002 && offset <= 0.03))
    throw Error({.code = ErrorCode::usage,
                 .element = "a garment",
                 .value = std::to_string(offset),
                 .problem = "is " + std::to_string(offset) + " m from the body",
                 .remedy = "give 0.002 to 0.03"});
}

std::span<const std::string_view> garment_names() { return kGarments; }

CastGarment make_garment(std::string_view name, const GarmentOptions& options) {
  options.validate();
  if (name == kGarments[0]) return sweater(options);
  if (name == kGarments[1]) return trousers(options);
  if (name == kGarments[2]) return skirt(options);
  if (name == kGarments[3]) return cape(options);
  throw Error({.code = ErrorCode::usage,
               .element = "garment \"" + std::string(name) + "\"",
               .value = std::string(name),
               .problem = "is not made here",
               .remedy = "choose from: sweater, trousers, skirt, cape"});
}

Character make_dressed_mannequin(std::span<const CastGarment> garments) {
  const puppet::Skeleton skeleton = mannequin::make_skeleton();
  const flesh::Flesh skin = mannequin::make_skin(skeleton);
  Assembly assembly("mannequin", {"skin", "cloth"});
  assembly.character.materials[1].double_sided = true;
  assembly.add_joints(skeleton);
  assembly.add(skin);
  for (const CastGarment& garment : garments) assembly.add(as_flesh(garment, skin, 1));
  assembly.character.clips = mannequin::clips(skeleton);
  return std::move(assembly).finish(Version::skeleton).character;
}

}  // namespace rigspace
