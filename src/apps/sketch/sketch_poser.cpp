#include "rigspace/apps/sketch/sketch_poser.h"

#include "kept_jacobian.h"
#include "pose_prior.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/body/joint_points.h"
#include "rigspace/geometry/representatives.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace rigspace {

void SketchOptions::validate() const {
  for (const auto& [name, value] :
       {std::pair{"pose prior", pose}, {"plane prior", plane}, {"distance prior", distance}})
    require_option(value >= 0 && std::isfinite(value), name, value, "expected at least 0");
  require_option(representatives >= 0, "number of representatives", representatives, "expected at least 0");
  require_option(aspect > 0, "aspect", aspect, "expected width over height, above 0");
  require_option(reach > 0, "reach", reach, "expected a share of the size above 0");
  require_option(max_iterations >= 1, "number of iterations", max_iterations, "expected at least 1");
}

namespace {
constexpr int kMostOutlines = 8, kMostStarts = 4;
constexpr double kBent = 25 * kDegree;
}  // namespace

int SketchReport::unreached() const {
  return static_cast<int>(
      std::count_if(strokes.begin(), strokes.end(), [](const auto& each) { return !each.reached; }));
}

/// The abstraction as places on points of a map.
struct SketchPoser::Tied {
  std::shared_ptr<const Rig> rig;  // extended by what bones carry
  std::shared_ptr<long> black_box_count;
  std::vector<int> points;  // of the map: points of `rig`, ascending
  std::vector<CharacterCurve> curves;
  std::vector<Representative> surface;
  std::shared_ptr<const Rig> surface_rig;  // restricted to these
  Vec surface_start;                       // where they are before the strokes
  BlockJacobian surface_jacobian;          // there
  SketchControls controls;
  std::unique_ptr<ControlMapping> mapping;
  NewtonWorkspace workspace;
  long evaluations = 0;

  Vec places_at(In p) const {
    Vec x;
    mapping->evaluate(*mapping->make_state(), mapping->coordinates(p), x);
    return x;
  }
};

/// How one way of giving strokes to curves ended.
struct SketchPoser::Attempt {
  std::vector<StrokeChoice> choices;
  std::vector<StrokePair> pairs;
  Vec p;
  std::vector<double> residuals;                            // of each pair, as a share of the size
  double misfit = std::numeric_limits<double>::infinity();  // mean squared residual, by the pairs' weights
  int iterations = 0;
  bool converged = false;
};

SketchPoser::SketchPoser(const Character& character, SketchAbstraction abstraction, const Camera& camera, In p,
                         const SketchOptions& options)
    : character_(character),
      abstraction_(std::move(abstraction)),
      camera_(camera),
      options_(options),
      p_start_(p),
      p_(p) {
  options_.validate();
  if (SeenSurface(character, p, camera).eye_inside())
    throw Error({.file = character.name,
                 .element = "camera",
                 .problem = "is inside the body",
                 .remedy = "move it away from the character"});
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), p, s);
  const Box box = bounding_box(s);
  const ViewPlane view(camera);
  if (view.perspective() && !(view.depth(box.center()) > 0))
    throw Error({.file = character.name,
                 .element = "camera",
                 .problem = "looks away from the character",
                 .remedy = "point it at the character"});
  size_ = std::max(1e-12, box.diagonal());
  view_size_ = size_ * view.scale(box.center());
  tie();
}

SketchPoser::~SketchPoser() = default;

const std::vector<int>& SketchPoser::free() const { return tied_->controls.free; }
const SketchControls& SketchPoser::limits() const { return tied_->controls; }
const std::shared_ptr<const Rig>& SketchPoser::rig() const { return tied_->rig; }
const std::vector<int>& SketchPoser::points() const { return tied_->points; }
const std::vector<CharacterCurve>& SketchPoser::curves() const { return tied_->curves; }

void SketchPoser::set_pose(In p) {
  p_start_ = p_ = p;
  if (abstraction_.follows_view) {
    abstraction_ = outline(character_, p_, camera_);
    tie();
  }
  start_here();
}

void SketchPoser::tie() {
  auto tied = std::make_unique<Tied>();
  const auto* built_in = dynamic_cast<const BuiltInRig*>(character_.rig.get());
  std::vector<JointPoint> carried;
  std::vector<std::vector<std::vector<std::pair<int, double>>>> places;  // curve, place, part: point of the rig, weight
  for (const SketchCurve& curve : abstraction_.curves) {
    auto& of_curve = places.emplace_back();
    for (const CurvePlace& place : curve.places) {
      auto& parts = of_curve.emplace_back();
      for (const PlacePart& part : place) {
        if (part.point >= 0) {
          parts.emplace_back(part.point, part.weight);
          continue;
        }
        if (built_in == nullptr || part.bone < 0 || part.bone >= static_cast<int>(character_.bones.size()))
          throw Error({.file = character_.name,
                       .element = "curve \"" + curve.name + "\"",
                       .problem = "is tied to a joint that this character does not have",
                       .remedy = "use an abstraction of this character"});
        parts.emplace_back(character_.rig->point_count() + static_cast<int>(carried.size()), part.weight);
        carried.push_back({character_.bones[static_cast<std::size_t>(part.bone)].slot, part.rest});
      }
    }
  }
  if (built_in != nullptr) {
    tied->rig = with_joint_points(*built_in, carried);
  } else if (character_.rig->traits().exact_jacobian) {
    tied->rig = character_.rig;
  } else {
    auto kept = std::make_shared<KeptJacobianRig>(character_.rig);
    tied->black_box_count = kept->counter();
    tied->rig = std::move(kept);
  }
  for (const auto& curve : places)
    for (const auto& place : curve)
      for (const auto& [point, weight] : place) tied->points.push_back(point);
  std::sort(tied->points.begin(), tied->points.end());
  tied->points.erase(std::unique(tied->points.begin(), tied->points.end()), tied->points.end());
  tied->controls = sketch_controls(character_, *tied->rig, tied->points, p_start_, options_.controls);
  if (tied->controls.free.empty())
    throw Error({.file = character_.name,
                 .element = "abstraction \"" + abstraction_.name + "\"",
                 .problem = "is moved by no control",
                 .remedy = "use another abstraction, or free other controls"});
  if (options_.plane > 0 || options_.distance > 0) {
    tied->surface = tied_ ? tied_->surface : representatives(rest_surface(character_), options_.representatives);
    std::vector<int> chosen;
    for (const Representative& each : tied->surface) chosen.push_back(each.point);
    tied->surface_rig = tied->rig->restricted(chosen);
  }
  const auto place_of = [&](int point) {
    return static_cast<int>(std::lower_bound(tied->points.begin(), tied->points.end(), point) - tied->points.begin());
  };
  for (std::size_t c = 0; c < places.size(); ++c) {
    CharacterCurve curve{.closed = abstraction_.curves[c].closed};
    for (const auto& place : places[c]) {
      Anchor anchor{.points = {0, 0, 0, 0}, .weights = {0, 0, 0, 0}};
      for (std::size_t a = 0; a < place.size() && a < 4; ++a)
        anchor.points[a] = place_of(place[a].first), anchor.weights[a] = place[a].second;
      curve.places.push_back(anchor);
    }
    tied->curves.push_back(std::move(curve));
  }
  tied->mapping = std::make_unique<ControlMapping>(tied->rig, tied->controls.free, tied->points);
  if (tied_) tied->evaluations = tied_->evaluations;
  tied_ = std::move(tied);
  start_here();
}

void SketchPoser::start_here() {
  tied_->mapping->set_key(p_start_);
  if (tied_->surface.empty()) return;
  const auto workspace = tied_->surface_rig->make_workspace();
  tied_->surface_rig->evaluate(*workspace, p_start_, tied_->surface_start);
  tied_->surface_rig->jacobian(*workspace, p_start_, tied_->controls.free, tied_->surface_jacobian);
}

std::vector<SeenCurve> SketchPoser::seen_curves(In p) const {
  const Vec x = tied_->places_at(p);
  const ViewPlane view(camera_);
  std::vector<SeenCurve> seen;
  for (std::size_t c = 0; c < tied_->curves.size(); ++c) {
    SeenCurve curve{.name = abstraction_.curves[c].name, .closed = tied_->curves[c].closed};
    Vec3 before = Vec3::Zero();
    for (const Anchor& anchor : tied_->curves[c].places) {
      const Vec3 at = anchored(x, anchor);
      if (!curve.points.empty()) curve.longest += (at - before).norm() / size_ * view_size_;
      curve.points.push_back(view.project(at));
      before = at;
    }
    seen.push_back(std::move(curve));
  }
  return seen;
}

std::vector<Stroke> SketchPoser::seen() const {
  std::vector<Stroke> strokes;
  for (SeenCurve& curve : seen_curves(p_))
    strokes.push_back(
        {.points = std::move(curve.points), .closed = curve.closed, .name = curve.name, .curve = curve.name});
  return strokes;
}

void SketchPoser::prepare(std::span<const Stroke> strokes, std::vector<Stroke>& clean) const {
  if (strokes.empty()) throw Error({.element = "drawing", .problem = "has no strokes", .remedy = "draw a line"});
  std::vector<Stroke> ordered;
  const auto before = [](const Vec2& a, const Vec2& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); };
  for (std::size_t k = 0; k < strokes.size(); ++k) {
    check_stroke(strokes[k], k, options_.aspect);
    Stroke stroke = strokes[k];
    if (stroke.name.empty()) stroke.name = "stroke " + std::to_string(k + 1);
    stroke.number = static_cast<int>(k);
    stroke.turned = before(stroke.points.back(), stroke.points.front());
    if (stroke.turned) std::reverse(stroke.points.begin(), stroke.points.end());
    ordered.push_back(std::move(stroke));
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](const Stroke& a, const Stroke& b) { return before(a.points.front(), b.points.front()); });
  for (const Stroke& stroke : ordered) clean.push_back(clean_stroke(stroke, options_.cleaning));
  const int curves = static_cast<int>(abstraction_.curves.size());
  if (!abstraction_.pooled && static_cast<int>(clean.size()) > curves) {
    clean = group_strokes(clean, 0.025 * view_size_, curves);
    for (Stroke& each : clean)
      each.points =
          resampled_by_turning(each.points, each.closed, options_.cleaning.samples, options_.cleaning.adaptive);
  }
}

std::vector<StrokePair> SketchPoser::pairs_of(std::span<const Stroke> strokes,
                                              const std::vector<StrokeChoice>& choices) const {
  std::vector<StrokePair> pairs;
  double whole = 0;
  if (abstraction_.pooled) {
    StrokePair all{.correspondence = abstraction_.correspondence};
    for (std::size_t c = 0; c < tied_->curves.size(); ++c) all.curves.push_back(static_cast<int>(c));
    for (std::size_t s = 0; s < strokes.size(); ++s) all.strokes.push_back(static_cast<int>(s));
    return {all};
  }
  for (std::size_t s = 0; s < strokes.size(); ++s) {
    if (choices[s].curve < 0) continue;
    StrokePair pair{.curves = {choices[s].curve},
                    .strokes = {static_cast<int>(s)},
                    .correspondence = abstraction_.correspondence,
                    .reversed = choices[s].reversed,
                    .weight = strokes[s].length()};
    whole += pair.weight;
    pairs.push_back(std::move(pair));
  }
  for (StrokePair& pair : pairs) pair.weight /= whole;
  return pairs;
}

// (5.11) and (5.12) as means over the area, at the pose before the strokes; lengths in sizes of the character. The rig
// is linearised there: K = J^T M J, with the rows of the representatives alone.
Mat SketchPoser::surface_prior(const std::vector<StrokePair>& pairs) {
  Tied& tied = *tied_;
  const Vec x = tied.places_at(p_start_);
  const ViewPlane view(camera_);
  double area = 0, farthest = 0;
  std::vector<double> distances;
  for (std::size_t k = 0; k < tied.surface.size(); ++k) {
    area += tied.surface[k].area;
    double nearest = std::numeric_limits<double>::infinity();
    for (const StrokePair& pair : pairs)
      for (const int c : pair.curves)
        for (const Anchor& anchor : tied.curves[static_cast<std::size_t>(c)].places)
          nearest =
              std::min(nearest, (anchored(x, anchor) - point(tied.surface_start, static_cast<int>(k))).squaredNorm());
    distances.push_back(std::sqrt(nearest));
    farthest = std::max(farthest, distances.back());
  }
  Mat K = Mat::Zero(tied.mapping->size_q(), tied.mapping->size_q());
  for (std::size_t k = 0; k < tied.surface.size(); ++k) {
    const Vec3 v = view.direction(point(tied.surface_start, static_cast<int>(k)));
    const double far = farthest > 0 ? distances[k] / farthest : 0,
                 share = tied.surface[k].area / (area * size_ * size_);
    const Mat3 M = share * (options_.plane * v * v.transpose() + options_.distance * far * Mat3::Identity());
    const BlockJacobian& J = tied.surface_jacobian;
    for (int a = J.start[k]; a < J.start[k + 1]; ++a) {
      const Vec3 Mj = M * J.value.col(a);
      for (int b = J.start[k]; b <= a; ++b) K(J.column[a], J.column[b]) += Mj.dot(J.value.col(b));
    }
  }
  return K.selfadjointView<Eigen::Lower>();
}

SketchPoser::Attempt SketchPoser::attempt(std::span<const Stroke> strokes, const std::vector<StrokeChoice>& choices,
                                          In p_from, bool near, const ProgressCallback& progress) {
  Tied& tied = *tied_;
  const SketchControls& controls = tied.controls;
  Attempt result{.choices = choices, .pairs = pairs_of(strokes, choices), .p = p_from};
  std::vector<DrawnCurve> drawn;
  for (const Stroke& stroke : strokes) drawn.push_back({stroke.points, stroke.closed});
  const int n = tied.mapping->size_q();
  const Vec q_start = tied.mapping->coordinates(p_start_);
  const Mat pose = controls.unit.cwiseAbs2().cwiseInverse().asDiagonal();
  const Mat surface = tied.surface.empty() ? Mat(Mat::Zero(n, n)) : surface_prior(result.pairs);
  // From far away: shares of lengths and strong priors first, so that what moves much of the curves (root, spine) moves
  // before what moves little of them; then places slide along the strokes.
  struct Stage {
    double pose, slide, stop;
    int iterations;
  };
  const double steadiness = std::clamp(std::pow(jitter_ / 0.01, 2), 0.02, 4.0);
  std::vector<Stage> stages;
  if (!near) stages = {{1000, 0, 3e-2, 4}, {30, 0, 2e-2, 5}, {3, 0, 2e-2, 6}};
  if (tied.black_box_count) stages = {{30, 0, 1e-2, 6}};  // each iteration costs evaluations
  stages.push_back({0, 0.15, 2e-3, tied.black_box_count ? 12 : options_.max_iterations});
  Vec q = tied.mapping->coordinates(p_from);
  for (const Stage& stage : stages) {
    const StrokeMatch match(static_cast<int>(tied.points.size()), camera_, tied.curves, drawn, result.pairs,
                            {.unit = view_size_, .slide = stage.slide});
    const PosePrior prior(options_.pose * std::max(stage.pose, steadiness) * pose + surface, q_start);
    Objective objective(*tied.mapping);
    objective.add("strokes", match);
    objective.add("priors", prior, 1, Space::coordinates);
    objective.set_bounds(controls.lower, controls.upper);
    const Newton newton({.gradient_tolerance = 1e-5,
                         .gradient_floor = 1e-14,
                         .step_tolerance = stage.stop * size_,
                         .max_iterations = stage.iterations});
    tied.workspace.forget();
    const Summary summary = newton.solve(objective, q, tied.workspace, progress);
    if (summary.termination == Termination::cancelled) throw Cancelled();
    result.iterations += summary.iterations;
    tied.evaluations += summary.evaluations + summary.gradients;
    result.converged = summary.converged();
  }
  const StrokeMatch match(static_cast<int>(tied.points.size()), camera_, tied.curves, drawn, result.pairs,
                          {.unit = view_size_});
  tied.mapping->controls_at(q, result.p);
  const Vec x = tied.places_at(result.p);
  result.misfit = 0;
  for (std::size_t k = 0; k < result.pairs.size(); ++k) {
    result.residuals.push_back(match.residual(x, static_cast<int>(k)) / view_size_);
    result.misfit += result.pairs[k].weight * std::pow(result.residuals.back(), 2);
  }
  return result;
}

Vec SketchPoser::bent(In p, int start) const {
  const SketchControls& controls = tied_->controls;
  Vec pose = p;
  std::mt19937 random(static_cast<std::uint32_t>(start));
  for (std::size_t k = 0; k < controls.free.size(); ++k) {
    const auto c = static_cast<Eigen::Index>(k);
    const double by = kBent * (2 * (random() / 4294967295.0) - 1);
    if (std::isinf(controls.lower[c]) || tied_->rig->controls()[controls.free[k]].unit != Unit::angle) continue;
    pose[controls.free[k]] = std::clamp(pose[controls.free[k]] + by, controls.lower[c], controls.upper[c]);
  }
  return pose;
}

SketchPoser::Attempt SketchPoser::best_attempt(std::span<const Stroke> strokes, In p_from, bool near,
                                               const ProgressCallback& progress) {
  std::vector<StrokeChoice> choices(strokes.size());
  if (!abstraction_.pooled) choices = assign_strokes(seen_curves(p_start_), strokes, view_size_);
  Attempt best = attempt(strokes, choices, p_from, near, progress);
  int solves = 1;
  if (abstraction_.pooled || !options_.try_others || near || tied_->black_box_count) return best;
  // A bone that lies in the plane of the picture does not get shorter to first order, whichever way it turns. So where
  // the strokes are missed by more than the hand's jitter explains, solves start from poses that are bent a little.
  const double good = std::pow(0.004 + 0.9 * jitter_, 2);
  for (int start = 1; start <= kMostStarts && best.misfit > good; ++start) {
    Attempt other = attempt(strokes, choices, bent(p_from, start), near, progress);
    other.iterations += best.iterations;
    if (other.misfit < best.misfit)
      best = std::move(other);
    else
      best.iterations = other.iterations;
  }
  // Strokes that were not reached: drawn the other way, or exchanged with another.
  constexpr int kMostTries = 12;
  for (bool improved = true; improved && solves < kMostTries;) {
    improved = false;
    std::vector<std::pair<double, std::size_t>> missed;
    for (std::size_t k = 0; k < best.pairs.size(); ++k)
      if (best.residuals[k] > options_.reach)
        missed.emplace_back(-best.residuals[k], static_cast<std::size_t>(best.pairs[k].strokes[0]));
    std::sort(missed.begin(), missed.end());
    std::vector<std::vector<StrokeChoice>> tries;
    for (const auto& [by, s] : missed) {
      if (best.choices[s].curve < 0) continue;
      tries.push_back(best.choices);
      tries.back()[s].reversed = !tries.back()[s].reversed;
      for (const auto& [other_by, t] : missed) {
        if (t <= s || !strokes[s].curve.empty() || !strokes[t].curve.empty()) continue;
        for (const bool turned : {false, true}) {
          tries.push_back(best.choices);
          std::swap(tries.back()[s], tries.back()[t]);
          if (turned)
            tries.back()[s].reversed = !tries.back()[s].reversed, tries.back()[t].reversed = !tries.back()[t].reversed;
        }
      }
    }
    for (const auto& each : tries) {
      if (solves++ >= kMostTries) break;
      Attempt other = attempt(strokes, each, p_from, near, progress);
      other.iterations += best.iterations;
      if (other.misfit < 0.8 * best.misfit) {
        best = std::move(other), improved = true;
        break;
      }
      best.iterations = other.iterations;
    }
  }
  return best;
}

SketchReport SketchPoser::solve(std::span<const Stroke> strokes, bool go_on, const ProgressCallback& progress) {
  std::vector<Stroke> clean;
  prepare(strokes, clean);
  jitter_ = 0;
  for (const Stroke& stroke : strokes) jitter_ = std::max(jitter_, estimated_jitter(stroke) / view_size_);
  const long evaluations_before = tied_->black_box_count ? *tied_->black_box_count : tied_->evaluations;
  Attempt best = best_attempt(clean, go_on ? p_ : p_start_, go_on, progress);
  // The outline of another pose is another line on the surface: it is found again until it fits no better.
  for (int round = 0; abstraction_.follows_view && round < kMostOutlines; ++round) {
    abstraction_ = outline(character_, best.p, camera_);
    tie();
    Attempt next = best_attempt(clean, best.p, true, progress);
    next.iterations += best.iterations;
    const bool better = next.misfit < 0.97 * best.misfit;
    if (next.misfit < best.misfit) best = std::move(next);
    if (!better) break;
  }
  p_ = best.p;
  SketchReport report{.iterations = best.iterations, .converged = best.converged};
  report.evaluations = (tied_->black_box_count ? *tied_->black_box_count : tied_->evaluations) - evaluations_before;
  report.residual = std::sqrt(best.misfit);
  report.strokes.resize(clean.size());
  std::vector<std::pair<int, std::size_t>> drawn_order;
  for (std::size_t s = 0; s < clean.size(); ++s) drawn_order.emplace_back(clean[s].number, s);
  std::sort(drawn_order.begin(), drawn_order.end());
  for (std::size_t s = 0; s < clean.size(); ++s) report.strokes[s].stroke = clean[s].name;
  for (std::size_t k = 0; k < best.pairs.size(); ++k)
    for (const int s : best.pairs[k].strokes) {
      StrokeReport& each = report.strokes[static_cast<std::size_t>(s)];
      each.curve = abstraction_.pooled ? abstraction_.name
                                       : abstraction_.curves[static_cast<std::size_t>(best.pairs[k].curves[0])].name;
      each.reversed = best.pairs[k].reversed != clean[static_cast<std::size_t>(s)].turned;
      each.residual = best.residuals[k];
      each.reached = best.residuals[k] <= options_.reach;
    }
  std::vector<StrokeReport> as_drawn;
  for (const auto& [number, s] : drawn_order) as_drawn.push_back(std::move(report.strokes[s]));
  report.strokes = std::move(as_drawn);
  return report;
}

}  // namespace rigspace
