#include "rigspace/apps/sketch/individual.h"

#include "creature_rig.h"
#include "rigspace/base/error.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/geometry/view_plane.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rigspace {
namespace creature {
namespace {

/// Middle and root mean square radius of points in the picture.
struct Extent {
  Vec2 middle = Vec2::Zero();
  double radius = 0;
};

Extent extent_of(const std::vector<Vec2>& points) {
  Extent extent;
  for (const Vec2& x : points) extent.middle += x / static_cast<double>(points.size());
  for (const Vec2& x : points) extent.radius += (x - extent.middle).squaredNorm() / static_cast<double>(points.size());
  extent.radius = std::sqrt(extent.radius);
  return extent;
}

/// By length, so that slow and fast strokes count alike.
Extent extent_of(std::span<const Stroke> strokes) {
  std::vector<Vec2> points;
  for (const Stroke& stroke : strokes) {
    const auto count = std::max<std::size_t>(2, static_cast<std::size_t>(stroke.length() * 200));
    const std::vector<Vec2> even = resampled(stroke.points, stroke.closed, static_cast<int>(count));
    points.insert(points.end(), even.begin(), even.end());
  }
  return extent_of(points);
}

Extent icon_extent(const CreaturePart& part, const Camera& camera, In p) {
  return extent_of(seen_icon(part, camera, p));
}

/// Puts the part where the strokes are, as large as they are, in its rest pose.
Vec placed(const CreaturePart& part, const Camera& camera, std::span<const Stroke> strokes) {
  const Rig& rig = *part.character.rig;
  const ViewPlane view(camera);
  const Extent drawn = extent_of(strokes);
  Vec p = rig.rest();
  const int size = rig.find(part.root + ".size");
  const double ratio = drawn.radius / icon_extent(part, camera, p).radius;
  p[size] = std::clamp(ratio, rig.controls()[size].min, rig.controls()[size].max);
  const Mat3 axes = camera.axes();
  const int shift = rig.find(part.root + ".tx");
  for (int round = 0; round < 3; ++round) {  // a perspective view needs more than one
    const Vec2 off = (drawn.middle - icon_extent(part, camera, p).middle) / view.scale(p.segment<3>(shift));
    p.segment<3>(shift) += off.x() * axes.col(0) + off.y() * axes.col(1);
  }
  return p;
}

/// The controls of a part that a drawing may turn: those that move the icon across the view. What moves it mostly along
/// the view (a roll of the torso, a bend towards the eye) would fit a stroke by turning the part out of the picture.
std::vector<int> fitted_controls(const CreaturePart& part, const Camera& camera, In p) {
  const Rig& rig = *part.drawn.rig;
  const auto workspace = rig.make_workspace();
  const Vec3 along = camera.axes().col(2);
  Vec before, after, moved = p;
  rig.evaluate(*workspace, p, before);
  std::vector<int> result;
  for (const int c : offered_controls(rig)) {
    const Control& control = rig.controls()[c];
    const double step = 1e-3 * control.typical * (p[c] + 1e-3 * control.typical > control.max ? -1 : 1);
    moved[c] = p[c] + step;
    rig.evaluate(*workspace, moved, after);
    moved[c] = p[c];
    double depth = 0, all = 0;
    for (Eigen::Index v = 0; 3 * v < before.size(); ++v) {
      const Vec3 by = after.segment<3>(3 * v) - before.segment<3>(3 * v);
      depth += std::pow(along.dot(by), 2);
      all += by.squaredNorm();
    }
    if (all > 0 && depth < 0.5 * all) result.push_back(c);
  }
  return result;
}

Vec3 root_of(const CreaturePart& part, In p) { return p.segment<3>(part.character.rig->find(part.root + ".tx")); }

}  // namespace
}  // namespace creature

std::vector<Stroke> seen_icon(const CreaturePart& part, const Camera& camera, In p) {
  const ViewPlane view(camera);
  std::vector<Stroke> curves;
  Vec z;
  part.drawn.rig->evaluate(*part.drawn.rig->make_workspace(), p, z);
  for (const DrawnPart::Curve& curve : part.drawn.curves) {
    Stroke seen{.points = {}, .closed = curve.closed};
    for (int k = 0; k < curve.point_count; ++k) seen.points.push_back(view.project(point(z, curve.first_point + k)));
    curves.push_back(std::move(seen));
  }
  return curves;
}

SketchAbstraction sketch_abstraction(const CastAbstraction& curves) {
  SketchAbstraction result;
  result.name = curves.name;
  for (const CastCurve& curve : curves.curves) {
    SketchCurve made;
    made.name = curve.name;
    made.closed = curve.closed;
    for (int k = curve.first_point; k < curve.first_point + curve.point_count; ++k) {
      CurvePlace place;
      if (!curves.surface_points.empty()) {
        place.push_back({.point = curves.surface_points[k]});
      } else {
        for (const Influence& influence : curves.influences[k])
          place.push_back({.bone = influence.joint, .rest = point(curves.points_rest, k), .weight = influence.weight});
      }
      made.places.push_back(std::move(place));
    }
    result.curves.push_back(std::move(made));
  }
  return result;
}

std::vector<CreaturePart> dragon_database() {
  std::vector<CreaturePart> database;
  for (const std::string_view name : sketch_cast()) {
    if (!name.starts_with("dragon_")) continue;
    CastSketch made = make_cast_sketch(name);
    const CastAbstraction& icon = made.abstractions.front();
    CreaturePart part;
    part.name = part.root = name.substr(7);
    part.carries = part.name == "torso";
    part.icon = sketch_abstraction(icon);
    part.drawn = {.name = part.name, .rig = icon.rig, .curves = {}, .varied = {}};
    for (const CastCurve& curve : icon.curves)
      part.drawn.curves.push_back({curve.first_point, curve.point_count, curve.closed});
    for (const int c : offered_controls(*icon.rig)) {
      if (icon.rig->controls()[c].group != "place") part.drawn.varied.push_back(c);
    }
    part.character = std::move(made.character);
    database.push_back(std::move(part));
  }
  return database;
}

std::vector<DrawnGroup> drawn_groups(std::span<const Stroke> strokes) {
  std::vector<DrawnGroup> groups;
  for (const Stroke& stroke : strokes) {
    auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& each) { return each.name == stroke.part; });
    if (found == groups.end()) found = groups.insert(groups.end(), {stroke.part, {}});
    found->strokes.push_back(stroke);
  }
  return groups;
}

std::string kind_in_name(std::span<const CreaturePart> database, const std::string& name) {
  const std::size_t end = name.find_last_not_of("0123456789 _-.") + 1;
  for (const CreaturePart& part : database)
    if (part.name == name.substr(0, end)) return part.name;
  return {};
}

Creature::Creature(std::span<const CreaturePart> database, const PartClassifier& classifier, const Camera& camera,
                   const IndividualOptions& options)
    : database_(database), classifier_(classifier), camera_(camera), options_(options) {}

FittedPart Creature::fitted(std::span<const Stroke> strokes, const std::string& kind) const {
  for (std::size_t k = 0; k < strokes.size(); ++k) check_stroke(strokes[k], k, options_.fit.aspect);
  Drawing drawing;
  for (const Stroke& stroke : strokes) {
    drawing.push_back(stroke.points);
    if (stroke.closed) drawing.back().push_back(stroke.points.front());
  }
  FittedPart result;
  const PartGuess guess = kind.empty() ? classifier_.guesses(drawing).front() : PartGuess{kind, 1};
  const auto found = std::find_if(database_.begin(), database_.end(),
                                  [&](const CreaturePart& part) { return part.name == guess.name; });
  if (found == database_.end()) {
    std::string names;
    for (const CreaturePart& part : database_) names += (names.empty() ? "" : ", ") + part.name;
    throw Error({.code = ErrorCode::usage,
                 .element = "part \"" + guess.name + "\"",
                 .value = guess.name,
                 .problem = "is not in the database",
                 .remedy = "choose from: " + names});
  }
  result.part = static_cast<int>(found - database_.begin());
  result.probability = guess.probability;
  result.strokes.assign(strokes.begin(), strokes.end());
  SketchOptions fit = options_.fit;
  const Vec start = creature::placed(*found, camera_, strokes);
  fit.controls.free = creature::fitted_controls(*found, camera_, start);
  SketchPoser poser(found->character, found->icon, camera_, start, fit);
  result.report = poser.solve(strokes);
  result.p = poser.controls();
  result.seen = poser.seen();
  return result;
}

// Into the plane of the carrier's root first, which the picture does not show, then onto its surface.
void Creature::attach(FittedPart& part) const {
  const CreaturePart& own = database_[part.part];
  if (own.carries) return;
  const auto found =
      std::find_if(parts_.begin(), parts_.end(), [&](const FittedPart& each) { return database_[each.part].carries; });
  if (found == parts_.end()) return;
  const CreaturePart& carrier = database_[found->part];
  const ViewPlane view(camera_);
  const int shift = own.character.rig->find(own.root + ".tx");
  Vec3 root = creature::root_of(own, part.p);
  const Vec3 away = view.direction(root), middle = creature::root_of(carrier, found->p);
  root += away * away.dot(middle - root);
  TriMesh surface = rest_surface(carrier.character);
  const auto& rig = dynamic_cast<const BuiltInRig&>(*carrier.character.rig);
  const auto workspace = rig.make_workspace();
  rig.evaluate(*workspace, found->p, surface.points);
  const double size = (surface.points.reshaped(3, surface.point_count()).rowwise().maxCoeff() -
                       surface.points.reshaped(3, surface.point_count()).rowwise().minCoeff())
                          .norm();
  const TriangleTree tree(surface);
  const SurfacePoint nearest = tree.closest(root);
  const bool outside = (root - nearest.position).dot(tree.normal(nearest.triangle)) > 0;
  if (outside && nearest.distance > options_.attach * size) {
    part.p.segment<3>(shift) = root;
    return;  // a part that was drawn by itself
  }
  if (outside) root = nearest.position;
  part.p.segment<3>(shift) = root;
  part.carrier = static_cast<int>(found - parts_.begin());
  Vec u;
  rig.evaluate_slots(*workspace, found->p, u);
  double least = 1e300;
  for (std::size_t b = 1; b < carrier.character.bones.size(); ++b) {
    const Vec3 joint = translation(transform_at(u, rig.graph().slots()[carrier.character.bones[b].slot]));
    if ((joint - root).norm() >= least) continue;
    least = (joint - root).norm();
    part.carrier_bone = static_cast<int>(b);
  }
}

int Creature::add(std::span<const Stroke> strokes, const std::string& kind) {
  FittedPart part = fitted(strokes, kind);
  attach(part);
  parts_.push_back(std::move(part));
  // A carrier that comes late takes those that wait for one.
  if (database_[parts_.back().part].carries) {
    for (FittedPart& each : parts_) {
      if (each.carrier < 0) attach(each);
    }
  }
  return static_cast<int>(parts_.size()) - 1;
}

void Creature::redraw(int number, std::span<const Stroke> strokes, const std::string& kind) {
  FittedPart part = fitted(strokes, kind);
  attach(part);
  parts_[number] = std::move(part);
  for (FittedPart& each : parts_) {  // what hung on the old one hangs on the new one, or on none
    if (each.carrier != number) continue;
    each.carrier = each.carrier_bone = -1;
    attach(each);
  }
}

int Creature::repeat(int number, const Vec2& by) {
  FittedPart part = parts_[number];
  const CreaturePart& own = database_[part.part];
  const int shift = own.character.rig->find(own.root + ".tx");
  const double scale = ViewPlane(camera_).scale(part.p.segment<3>(shift));
  const Mat3 axes = camera_.axes();
  part.p.segment<3>(shift) += (by.x() * axes.col(0) + by.y() * axes.col(1)) / scale;
  for (std::vector<Stroke>* strokes : {&part.strokes, &part.seen})
    for (Stroke& stroke : *strokes)
      for (Vec2& z : stroke.points) z += by;
  part.carrier = part.carrier_bone = -1;
  attach(part);
  parts_.push_back(std::move(part));
  return static_cast<int>(parts_.size()) - 1;
}

void Creature::remove(int number) {
  parts_.erase(parts_.begin() + number);
  for (FittedPart& part : parts_) {
    if (part.carrier == number) part.carrier = part.carrier_bone = -1;
    if (part.carrier > number) --part.carrier;
    if (part.carrier < 0) attach(part);
  }
}

Character Creature::character(std::string name) const { return whole_creature(std::move(name), database_, parts_); }

}  // namespace rigspace
