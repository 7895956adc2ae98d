#include "sketcher.h"

#include "rigspace/apps/sketch/automatic.h"
#include "rigspace/apps/sketch/pose_by_sketch.h"
#include "rigspace/body/joint_points.h"

#include <algorithm>
#include <chrono>

namespace rigspace::studio {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

Stroke stroke_of(const DrawnStroke& drawn) {
  Stroke stroke{.closed = drawn.closed, .name = drawn.name, .curve = drawn.curve};
  for (const auto& [x, y] : drawn.points) stroke.points.emplace_back(x, y);
  return stroke;
}

bool together(const DrawnStroke& a, const DrawnStroke& b) {
  return a.camera == b.camera && a.abstraction == b.abstraction;
}

/// Where the strokes begin that are solved together with the last one.
std::size_t last_group(std::span<const DrawnStroke> strokes) {
  std::size_t first = strokes.size();
  while (first > 0 && together(strokes[first - 1], strokes.back())) --first;
  return first;
}

void take_report(const SketchReport& report, std::span<DrawnStroke> strokes) {
  for (DrawnStroke& stroke : strokes)
    for (const StrokeReport& each : report.strokes)
      if (each.stroke == stroke.name) stroke.residual = each.residual, stroke.reached = each.reached;
}

}  // namespace

/// An abstraction's curves on a rig that has just their points.
struct Sketcher::Places {
  std::string abstraction;
  std::unique_ptr<Rig> rig;
  std::vector<SpaceCurve> curves;                                         // without points
  std::vector<std::vector<std::vector<std::pair<int, double>>>> anchors;  // curve, place, part: point of `rig`, weight

  Places(const Character& character, const SketchAbstraction& from) : abstraction(from.name) {
    const auto* built_in = dynamic_cast<const BuiltInRig*>(character.rig.get());
    std::vector<JointPoint> carried;
    std::vector<int> points;
    for (const SketchCurve& curve : from.curves) {
      curves.push_back({.name = curve.name, .closed = curve.closed, .points = {}});
      auto& places = anchors.emplace_back();
      for (const CurvePlace& place : curve.places) {
        auto& parts = places.emplace_back();
        for (const PlacePart& part : place) {
          int point = part.point;
          if (point < 0 && built_in != nullptr) {
            point = character.rig->point_count() + static_cast<int>(carried.size());
            carried.push_back({character.bones[static_cast<std::size_t>(part.bone)].slot, part.rest});
          }
          if (point >= 0) parts.emplace_back(point, part.weight), points.push_back(point);
        }
      }
    }
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    rig =
        carried.empty() ? character.rig->restricted(points) : with_joint_points(*built_in, carried)->restricted(points);
    for (auto& curve : anchors)
      for (auto& place : curve)
        for (auto& [point, weight] : place)
          point = static_cast<int>(std::lower_bound(points.begin(), points.end(), point) - points.begin());
  }

  std::vector<SpaceCurve> at(In p) const {
    Vec x;
    rig->evaluate(*rig->make_workspace(), p, x);
    std::vector<SpaceCurve> placed = curves;
    for (std::size_t c = 0; c < placed.size(); ++c)
      for (const auto& place : anchors[c]) {
        Vec3 at = Vec3::Zero();
        for (const auto& [i, weight] : place) at += weight * point(x, i);
        placed[c].points.push_back(at);
      }
    return placed;
  }
};

Sketcher::Sketcher(std::shared_ptr<const LiveCharacter> character) : live_(std::move(character)) {}
Sketcher::~Sketcher() = default;

Camera camera_from(const std::string& json) { return sketch_camera(json, Vec(), 1); }

const std::vector<std::string>& Sketcher::abstractions() {
  if (abstractions_) return *abstractions_;
  abstractions_.emplace();
  for (const char* name : {"stick", "outline", "action"}) try {
      if (name != std::string("outline")) find_abstraction(character(), name, character().rig->rest(), {});
      abstractions_->push_back(name);
    } catch (const Error&) {  // without joints there is no stick figure
    }
  for (const SketchAbstraction& own : abstractions_of(character())) abstractions_->push_back(own.name);
  return *abstractions_;
}

std::vector<SpaceCurve> Sketcher::curves(const std::string& abstraction, const std::string& camera, In p) {
  if (abstraction == kDrawnAbstraction) return {};
  if (abstraction == "outline") return Places(character(), outline(character(), p, camera_from(camera))).at(p);
  if (!places_ || places_->abstraction != abstraction)
    places_ = std::make_unique<Places>(character(), find_abstraction(character(), abstraction, p, camera_from(camera)));
  return places_->at(p);
}

/// The poser of strokes like this one, in the pose `start`.
SketchPoser& Sketcher::poser_for(Kept& kept, const DrawnStroke& like, const Vec& start, bool partial) {
  const bool same = kept.poser && kept.abstraction == like.abstraction && kept.camera == like.camera &&
                    kept.aspect == like.aspect && kept.start == start;
  if (!same) {
    const Camera camera = camera_from(like.camera);
    SketchAbstraction abstraction = find_abstraction(character(), like.abstraction, start, camera);
    if (partial && abstraction.correspondence == Correspondence::ordered)
      abstraction.correspondence = Correspondence::from_stroke;
    SketchOptions options;
    options.aspect = like.aspect;
    kept = {};
    kept = {.abstraction = like.abstraction,
            .camera = like.camera,
            .aspect = like.aspect,
            .start = start,
            .poser = std::make_unique<SketchPoser>(character(), std::move(abstraction), camera, start, options)};
  }
  return *kept.poser;
}

/// Pairs: each stroke on the body, as the camera sees it in the pose `start`, is a curve on the surface.
SketchSolve Sketcher::solve_pairs(std::span<DrawnStroke> strokes, const Vec& start, bool partial,
                                  const ProgressCallback& progress) {
  const Camera camera = camera_from(strokes.front().camera);
  const SeenSurface surface(character(), start, camera);
  SketchAbstraction drawn{.name = kDrawnAbstraction};
  if (partial) drawn.correspondence = Correspondence::from_stroke;
  std::vector<Stroke> targets;
  for (std::size_t k = 0; k + 1 < strokes.size(); k += 2) {
    drawn.curves.push_back(project_stroke(surface, clean_stroke(stroke_of(strokes[k]))));
    targets.push_back(stroke_of(strokes[k + 1]));
    targets.back().curve = strokes[k].name;
    targets.back().directed = true;
  }
  if (targets.empty()) return {.p = start};
  SketchOptions options;
  options.aspect = strokes.front().aspect;
  SketchPoser poser(character(), std::move(drawn), camera, start, options);
  const auto begin = Clock::now();
  const SketchReport report = poser.solve(targets, false, progress);
  take_report(report, strokes);
  return {poser.controls(), report.residual, ms_since(begin), report.converged};
}

SketchSolve Sketcher::solve_together(std::span<DrawnStroke> strokes, const Vec& start,
                                     const ProgressCallback& progress) {
  if (strokes.front().abstraction == kDrawnAbstraction) return solve_pairs(strokes, start, false, progress);
  SketchPoser& poser = poser_for(kept_, strokes.front(), start, false);
  std::vector<Stroke> drawn;
  for (const DrawnStroke& stroke : strokes) drawn.push_back(stroke_of(stroke));
  poser.set_pose(start);
  const auto begin = Clock::now();
  const SketchReport report = poser.solve(drawn, false, progress);
  take_report(report, strokes);
  return {poser.controls(), report.residual, ms_since(begin), report.converged};
}

/// The pose that the strokes of former views led to; it is kept.
Vec Sketcher::pose_before(std::span<DrawnStroke> former, const Vec& start, const ProgressCallback& progress) {
  if (former.empty()) return start;
  if (solved_start_.size() == start.size() && solved_start_ == start && std::ranges::equal(former, solved_))
    return solved_pose_;
  Vec p = start;
  for (std::size_t k = 0; k < former.size();) {
    std::size_t end = k + 1;
    while (end < former.size() && together(former[k], former[end])) ++end;
    p = solve_together(former.subspan(k, end - k), p, progress).p;
    k = end;
  }
  solved_.assign(former.begin(), former.end());
  solved_start_ = start, solved_pose_ = p;
  return p;
}

SketchSolve Sketcher::solve(std::vector<DrawnStroke>& strokes, const Vec& start, const ProgressCallback& progress) {
  if (strokes.empty()) return {.p = start};
  const std::span<DrawnStroke> all(strokes);
  const std::size_t first = last_group(all);
  return solve_together(all.subspan(first), pose_before(all.first(first), start, progress), progress);
}

/// A stroke on the body in the pose `seen`, as it would be drawn on the body in the pose `start`.
DrawnStroke Sketcher::carried_back(DrawnStroke stroke, const Vec& seen, const Vec& start) const {
  const Camera camera = camera_from(stroke.camera);
  const SeenSurface surface(character(), seen, camera);
  const SketchCurve curve = project_stroke(surface, clean_stroke(stroke_of(stroke)));
  if (seen == start) return stroke;
  const ViewPlane view(camera);
  Vec x;
  character().rig->evaluate(*character().rig->make_workspace(), start, x);
  stroke.points.clear();
  for (const CurvePlace& place : curve.places) {
    Vec3 at = Vec3::Zero();
    for (const PlacePart& part : place) at += part.weight * point(x, part.point);
    const Vec2 z = view.project(at);
    stroke.points.push_back({z.x(), z.y()});
  }
  return stroke;
}

void Sketcher::insert(std::vector<DrawnStroke>& strokes, DrawnStroke stroke, const Vec& start, const Vec& seen,
                      const ProgressCallback& progress) {
  const std::span<DrawnStroke> all(strokes);
  const bool goes_on = !strokes.empty() && together(strokes.back(), stroke);
  const std::size_t first = goes_on ? last_group(all) : all.size();
  if (stroke.abstraction == kDrawnAbstraction) {
    stroke.from = !(goes_on && strokes.back().from);
    if (stroke.from)
      stroke = carried_back(std::move(stroke), seen, pose_before(all.first(first), start, progress));
    else
      stroke.curve = strokes.back().name;
    strokes.push_back(std::move(stroke));
    return;
  }
  SketchPoser& poser = poser_for(kept_, stroke, pose_before(all.first(first), start, progress), false);
  if (!poser.abstraction().pooled && stroke.curve.empty()) {
    std::vector<Stroke> drawn;
    for (const DrawnStroke& each : all.subspan(first))
      if (each.locked) drawn.push_back(stroke_of(each));
    drawn.push_back(stroke_of(stroke));
    poser.set_pose(seen);
    for (const StrokeReport& each : poser.solve(drawn, false, progress).strokes)
      if (each.stroke == stroke.name) stroke.curve = each.curve;
    if (stroke.curve.empty())
      throw Error({.element = "the stroke",
                   .problem = "stands for no line of the character",
                   .remedy = drawn.size() > 1 ? "unlock a stroke, or draw along another limb" : "draw along a limb"});
  }
  std::size_t k = 0;
  std::erase_if(strokes, [&](const DrawnStroke& old) {
    return k++ >= first && !old.locked && !stroke.curve.empty() && old.curve == stroke.curve;
  });
  strokes.push_back(std::move(stroke));
}

SketchSolve Sketcher::preview(const std::vector<DrawnStroke>& strokes, const DrawnStroke& stroke, const Vec& seen,
                              const ProgressCallback& progress) {
  if (stroke.abstraction == kDrawnAbstraction) {
    if (strokes.empty() || !strokes.back().from || !together(strokes.back(), stroke)) return {.p = seen};
    std::vector<DrawnStroke> pair{strokes.back(), stroke};
    return solve_pairs(pair, seen, true, progress);
  }
  const bool goes_on = previewing_.poser && previewing_.start == seen && previewed_ == stroke.name;
  previewed_ = stroke.name;
  SketchPoser& poser = poser_for(previewing_, stroke, seen, true);
  const Stroke drawn[] = {stroke_of(stroke)};
  const auto begin = Clock::now();
  const SketchReport report = poser.solve(drawn, goes_on, progress);
  return {poser.controls(), report.residual, ms_since(begin), report.converged};
}

}  // namespace rigspace::studio
