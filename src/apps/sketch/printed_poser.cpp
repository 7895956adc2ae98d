#include "rigspace/apps/sketch/printed_poser.h"

#include "pose_prior.h"
#include "rigspace/energy/point_prior.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr double kPose = 0.5, kPlane = 0.01, kDistance = 0.001;  // (5.10) to (5.12)
constexpr int kMostIcp = 40, kMostNewton = 20;
constexpr double kCentimetres = 100;

/// Correspondences change once a solve, not in its iterations: the two stages of 5.2.2.
class FixedMatch final : public Energy {
 public:
  explicit FixedMatch(const StrokeMatch& match) : match_(match) {}
  std::unique_ptr<State> make_state() const override { return match_.make_state(); }
  Change refresh(State& state, In x, Phase phase) const override {
    return phase == Phase::step ? match_.refresh(state, x, phase) : Change::none;
  }
  double value(const State& state, In x) const override { return match_.value(state, x); }
  void add_gradient(const State& state, In x, double weight, Vec& g) const override {
    match_.add_gradient(state, x, weight, g);
  }
  void add_hessian(const State& state, In x, double weight, HessianMode mode, BlockSink& sink) const override {
    match_.add_hessian(state, x, weight, mode, sink);
  }

 private:
  const StrokeMatch& match_;
};

}  // namespace

PrintedPoser::PrintedPoser(const Character& character, const SketchPoser& poser, const Camera& camera, In p)
    : abstraction_(poser.abstraction()),
      camera_(camera),
      size_(poser.size()),
      view_size_(poser.view_size()),
      p_start_(p),
      p_(p),
      vertices_(character.rig->point_count()) {
  surface_ = representatives(rest_surface(character), 200);
  std::vector<int> points = poser.points();
  for (const Representative& each : surface_) points.push_back(each.point);
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  const auto place_of = [&](int point) {
    return static_cast<int>(std::lower_bound(points.begin(), points.end(), point) - points.begin());
  };
  for (Representative& each : surface_) each.point = place_of(each.point);
  curves_ = poser.curves();
  for (CharacterCurve& curve : curves_)
    for (Anchor& anchor : curve.places)
      for (int a = 0; a < 4; ++a)
        if (anchor.weights[a] != 0)
          anchor.points[a] = place_of(poser.points()[static_cast<std::size_t>(anchor.points[a])]);
  mapping_ = std::make_unique<ControlMapping>(poser.rig(), poser.free(), points);
  mapping_->set_key(p_start_);
  mapping_->evaluate(*mapping_->make_state(), mapping_->coordinates(p_start_), x_start_);
}

SketchReport PrintedPoser::solve(std::span<const Stroke> strokes) {
  std::vector<DrawnCurve> drawn;
  std::vector<StrokePair> pairs;
  int samples = 0;
  StrokePair all{.correspondence = abstraction_.correspondence};
  for (std::size_t s = 0; s < strokes.size(); ++s) {
    int curve = -1;
    for (std::size_t c = 0; c < abstraction_.curves.size(); ++c)
      if (abstraction_.curves[c].name == strokes[s].curve) curve = static_cast<int>(c);
    drawn.push_back({resampled(strokes[s].points, strokes[s].closed, 128), strokes[s].closed});
    all.strokes.push_back(static_cast<int>(s));
    if (abstraction_.pooled || curve < 0) continue;
    const int places = static_cast<int>(curves_[static_cast<std::size_t>(curve)].places.size());
    const auto ends = [&](bool back) {  // strokes are drawn in the prescribed direction; ours here may be turned around
      const Anchor& first = curves_[static_cast<std::size_t>(curve)].places.front();
      const Vec2 at = ViewPlane(camera_).project(anchored(x_start_, first));
      return ((back ? drawn.back().points.back() : drawn.back().points.front()) - at).norm();
    };
    pairs.push_back({.curves = {curve},
                     .strokes = {static_cast<int>(s)},
                     .reversed = ends(true) < ends(false),
                     .weight = static_cast<double>(places)});
    samples += places;
  }
  if (abstraction_.pooled) {
    for (std::size_t c = 0; c < curves_.size(); ++c)
      all.curves.push_back(static_cast<int>(c)), samples += static_cast<int>(curves_[c].places.size());
    all.weight = 2 * samples;
    pairs = {all};
  }
  // W_match is a sum of squares, not half of one; a view unit is so many centimetres at the character.
  const double centimetre = view_size_ / (size_ * kCentimetres);
  const StrokeMatch match(static_cast<int>(x_start_.size() / 3), camera_, curves_, drawn, pairs,
                          {.unit = centimetre, .tangent = 0});
  const FixedMatch fixed(match);
  const PosePrior pose(2 * kPose * Mat::Identity(mapping_->size_q(), mapping_->size_q()),
                       mapping_->coordinates(p_start_));
  std::vector<HeldPoint> held;
  const ViewPlane view(camera_);
  double farthest = 0;
  std::vector<double> distances;
  for (const Representative& each : surface_) {
    double nearest = std::numeric_limits<double>::infinity();
    for (const CharacterCurve& curve : curves_)
      for (const Anchor& anchor : curve.places)
        nearest = std::min(nearest, (anchored(x_start_, anchor) - point(x_start_, each.point)).norm());
    distances.push_back(nearest), farthest = std::max(farthest, nearest);
  }
  const double factor = 2.0 * vertices_ / static_cast<double>(surface_.size()) * kCentimetres * kCentimetres;  // (5.15)
  for (std::size_t k = 0; k < surface_.size(); ++k) {
    const Vec3 X = point(x_start_, surface_[k].point), v = view.direction(X);
    held.push_back({surface_[k].point, X,
                    factor * (kPlane * v * v.transpose() + kDistance * distances[k] / farthest * Mat3::Identity())});
  }
  const PointPrior surface(std::move(held));
  Objective objective(*mapping_);
  objective.add("strokes", fixed, 2);
  objective.add("pose", pose, 1, Space::coordinates);
  objective.add("surface", surface);
  const Newton newton({.gradient_tolerance = 1e-4, .step_tolerance = 1e-3 * size_, .max_iterations = kMostNewton});
  SketchReport report;
  Vec q = mapping_->coordinates(p_start_);
  for (int t = 0; t < kMostIcp; ++t) {
    workspace_.forget();
    const Vec before = q;
    const Summary summary = newton.solve(objective, q, workspace_);
    report.iterations += summary.iterations;
    report.evaluations += summary.evaluations + summary.gradients;
    if ((q - before).cwiseAbs().maxCoeff() < 1e-3) break;
  }
  mapping_->controls_at(q, p_);
  Vec x;
  mapping_->evaluate(*mapping_->make_state(), q, x);
  double sum = 0, weight = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k)
    sum += pairs[k].weight * std::pow(match.residual(x, static_cast<int>(k)) / view_size_, 2),
        weight += pairs[k].weight;
  report.residual = std::sqrt(sum / weight);
  return report;
}

}  // namespace rigspace
