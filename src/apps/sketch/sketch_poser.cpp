#include "rigspace/apps/sketch/sketch_poser.h"

#include "outline_search.h"
#include "pose_search.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

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
constexpr int kMostOutlines = 10, kStepsOfAnOutline = 5;  // rounds, and steps in each
constexpr double kBetter = 0.98;                          // of the misfit: another round is worth it
constexpr std::uint32_t kOutlineSearches = 4;
constexpr double kOutlineSpacing = 0.01;  // share of the size, between two samples of a drawn outline
constexpr int kFewestSamples = 24, kMostSamples = 1024;
}  // namespace

int SketchReport::unreached() const {
  return static_cast<int>(
      std::count_if(strokes.begin(), strokes.end(), [](const auto& each) { return !each.reached; }));
}

SketchPoser::SketchPoser(const Character& character, SketchAbstraction abstraction, const Camera& camera, In p,
                         const SketchOptions& options)
    : original_(character),
      nested_(nest_joints(character)),
      character_(nested_ ? nested_->character : original_),
      abstraction_(std::move(abstraction)),
      camera_(camera),
      options_(options),
      p_start_(nested_ ? nested_->to_nested(character, p) : Vec(p)),
      p_(p_start_),
      p_original_(p) {
  options_.validate();
  if (nested_) {
    for (int& c : options_.controls.free) c = nested_->control_of[static_cast<std::size_t>(c)];
    std::sort(options_.controls.free.begin(), options_.controls.free.end());
  }
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

const SketchControls& SketchPoser::limits() const { return tied_->controls; }
const std::shared_ptr<const Rig>& SketchPoser::rig() const { return tied_->rig; }
const std::vector<int>& SketchPoser::points() const { return tied_->points; }
const std::vector<CharacterCurve>& SketchPoser::curves() const { return tied_->curves; }

void SketchPoser::tie() {
  tied_ = std::make_unique<TiedCurves>(character_, abstraction_, p_start_, options_, tied_.get());
  free_ = tied_->controls.free;
  if (!nested_) return;
  const std::vector<int>& of = nested_->control_of;
  for (int& c : free_) c = static_cast<int>(std::find(of.begin(), of.end(), c) - of.begin());
}

void SketchPoser::set_pose(In p) {
  p_original_ = p;
  p_start_ = p_ = nested_ ? nested_->to_nested(original_, p) : Vec(p);
  if (abstraction_.follows_view) {
    abstraction_ = outline(character_, p_, camera_);
    tie();
  } else {
    tied_->start_at(p_start_);
  }
}

std::vector<Stroke> SketchPoser::seen() const {
  std::vector<Stroke> strokes;
  for (SeenCurve& curve : curves_seen(abstraction_, tied_->curves, tied_->points_at(p_), camera_, view_size_ / size_))
    strokes.push_back(
        {.points = std::move(curve.points), .closed = curve.closed, .name = curve.name, .curve = curve.name});
  return strokes;
}

double SketchPoser::prepare(std::span<const Stroke> strokes, std::vector<Stroke>& clean) const {
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
  double jitter = 0;
  for (const Stroke& stroke : ordered) {
    StrokeCleaning cleaning = options_.cleaning;
    if (abstraction_.follows_view)  // one stroke may be the whole outline
      cleaning.samples =
          std::clamp(static_cast<int>(stroke.length() / (kOutlineSpacing * view_size_)), kFewestSamples, kMostSamples);
    clean.push_back(clean_stroke(stroke, cleaning));
    jitter = std::max(jitter, estimated_jitter(stroke) / view_size_);
  }
  const int curves = static_cast<int>(abstraction_.curves.size());
  if (!abstraction_.pooled && static_cast<int>(clean.size()) > curves) {
    clean = group_strokes(clean, 0.025 * view_size_, curves);
    for (Stroke& each : clean)
      each.points =
          resampled_by_turning(each.points, each.closed, options_.cleaning.samples, options_.cleaning.adaptive);
  }
  return jitter;
}

PoseSearch SketchPoser::searching(const Drawing& drawing, const SketchOptions& options) {
  return {.tied = *tied_,
          .abstraction = abstraction_,
          .camera = camera_,
          .options = options,
          .size = size_,
          .view_size = view_size_,
          .jitter = drawing.jitter,
          .p_start = p_start_,
          .strokes = drawing.strokes,
          .progress = *drawing.progress};
}

// The outline of another pose is another line on the surface: it is found again after every few steps, until it has
// fitted no better twice. Misfits are those of the outline in the pose itself, never of a former one.
PoseAttempt SketchPoser::follow_outline(const Drawing& drawing, PoseAttempt from) {
  SketchOptions few = options_;
  few.max_iterations = kStepsOfAnOutline;
  PoseAttempt best;
  int worse = 0;
  for (int round = 0;; ++round) {
    abstraction_ = outline(character_, from.p, camera_);
    tie();
    PoseSearch search = searching(drawing, few);
    search.measure(from);
    worse = from.misfit < kBetter * best.misfit ? 0 : worse + 1;
    const bool ends = round >= kMostOutlines || worse >= 2;
    PoseAttempt next;
    if (!ends) next = search.best(from.p, true), next.iterations += from.iterations;
    if (from.misfit < best.misfit) best = std::move(from);
    if (ends) return best;
    from = std::move(next);
  }
}

PoseAttempt SketchPoser::best_outline(const Drawing& drawing, PoseAttempt first, bool near) {
  PoseAttempt best = follow_outline(drawing, std::move(first));
  const bool alone = near || tied_->box || !options_.try_others;
  for (std::uint32_t k = 0; !alone && k < kOutlineSearches && !searching(drawing, options_).explained(best); ++k) {
    if (!outline_search_) outline_search_ = std::make_unique<OutlineSearch>(character_, camera_, size_, view_size_);
    if (k == 0) outline_search_->set_strokes(drawing.strokes);
    PoseAttempt other;
    other.p = outline_search_->better_pose(best.p, tied_->controls, k + 1, *drawing.progress);
    other = follow_outline(drawing, std::move(other));
    other.iterations += best.iterations;
    if (other.misfit < best.misfit)
      best = std::move(other);
    else
      best.iterations = other.iterations;
  }
  abstraction_ = outline(character_, best.p, camera_);
  tie();
  return best;
}

SketchReport SketchPoser::solve(std::span<const Stroke> strokes, bool go_on, const ProgressCallback& progress) {
  std::vector<Stroke> clean;
  const double jitter = prepare(strokes, clean);
  const Drawing drawing{clean, jitter, &progress};
  const auto evaluations = [&] {
    return tied_->evaluations() + (outline_search_ ? outline_search_->evaluations() : 0);
  };
  const long evaluations_before = evaluations();
  PoseAttempt best = searching(drawing, options_).best(go_on ? p_ : p_start_, go_on);
  if (abstraction_.follows_view) best = best_outline(drawing, std::move(best), go_on);
  p_ = best.p;
  if (nested_) p_original_ = nested_->to_original(original_, p_);
  SketchReport report{.iterations = best.iterations, .converged = best.converged};
  report.evaluations = evaluations() - evaluations_before;
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
