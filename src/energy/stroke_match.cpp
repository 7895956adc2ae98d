#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "stroke_match_state.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rigspace {

void StrokeMatchOptions::validate() const {
  require_option(unit > 0 && std::isfinite(unit), "unit", unit, "expected view units above 0");
  require_option(slide >= 0, "slide", slide, "expected a share of the length, at least 0");
  require_option(along >= 0 && along <= 1, "weight along the stroke", along, "expected 0 to 1");
  require_option(from_places >= 0 && from_places <= 1, "weight from places", from_places, "expected 0 to 1");
  require_option(tangent >= 0, "weight of tangents", tangent, "expected at least 0");
}

StrokeMatch::StrokeMatch(int points, const Camera& camera, std::vector<CharacterCurve> curves,
                         std::vector<DrawnCurve> strokes, std::vector<StrokePair> pairs,
                         const StrokeMatchOptions& options)
    : points_(points),
      view_(camera),
      curves_(std::move(curves)),
      strokes_(std::move(strokes)),
      pairs_(std::move(pairs)),
      options_(options) {
  options_.validate();
  for (const CharacterCurve& curve : curves_) {
    first_.push_back(static_cast<int>(places_.size()));
    places_.insert(places_.end(), curve.places.begin(), curve.places.end());
  }
  const auto refuse = [](std::string element, const char* problem, const char* remedy) {
    throw Error({.code = ErrorCode::usage, .element = std::move(element), .problem = problem, .remedy = remedy});
  };
  for (std::size_t i = 0; i < places_.size(); ++i)
    for (int a = 0; a < 4; ++a)
      if (places_[i].weights[a] != 0 && (places_[i].points[a] < 0 || places_[i].points[a] >= points))
        refuse("place " + std::to_string(i), "is on a point that is not there", "give points of the map");
  std::vector<char> used(places_.size(), 0), read(static_cast<std::size_t>(points), 0);
  for (const StrokePair& pair : pairs_) {
    const bool one = pair.curves.size() == 1 && pair.strokes.size() == 1;
    if (pair.curves.empty() || pair.strokes.empty() || (pair.correspondence == Correspondence::ordered && !one))
      refuse("pair of strokes", "has no stroke, no curve or too many", "give one of each where they are ordered");
    for (const int c : pair.curves) {
      if (c < 0 || c >= static_cast<int>(curves_.size()) || curves_[c].places.empty())
        refuse("curve " + std::to_string(c), "is not there or has no places", "give a curve of the abstraction");
      std::fill_n(used.begin() + first_[c], curves_[c].places.size(), 1);
    }
    for (const int s : pair.strokes)
      if (s < 0 || s >= static_cast<int>(strokes_.size()) || strokes_[s].points.empty())
        refuse("stroke " + std::to_string(s), "is not there or has no points", "draw a line");
  }
  for (const DrawnCurve& stroke : strokes_) stroke_tangents_.push_back(tangents(stroke.points, stroke.closed));
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) continue;
    used_.push_back(static_cast<int>(i));
    for (int a = 0; a < 4; ++a)
      if (places_[i].weights[a] != 0) read[static_cast<std::size_t>(places_[i].points[a])] = 1;
  }
  for (int i = 0; i < points_; ++i)
    if (read[static_cast<std::size_t>(i)]) support_.push_back(i);
}

std::unique_ptr<State> StrokeMatch::make_state() const {
  auto state = std::make_unique<Lagged>();
  state->resize(places_.size());
  return state;
}

void StrokeMatch::see(In x, Lagged& lagged) const {
  for (const int i : used_) lagged.z[i] = view_.project(anchored(x, places_[i]));
}

Change StrokeMatch::refresh(State& state, In x, Phase) const {
  Lagged& lagged = state_as<Lagged>(state);
  see(x, lagged);
  lagged.clear();
  for (const StrokePair& pair : pairs_) correspond(pair, lagged, true);
  return Change::values;
}

StrokeMatch::PlacePull StrokeMatch::pull_of(const State& state, int place) const {
  const Lagged& lagged = state_as<Lagged>(state);
  return {lagged.A[static_cast<std::size_t>(place)], lagged.b[static_cast<std::size_t>(place)]};
}

double StrokeMatch::value(const State& state, In x) const {
  const Lagged& lagged = state_as<Lagged>(state);
  double sum = 0;
  for (const int i : used_) {
    const Vec3 place = anchored(x, places_[i]);
    if (view_.perspective() && !(view_.depth(place) > 0)) return std::numeric_limits<double>::infinity();
    sum += lagged.value(i, view_.project(place));
  }
  return 0.5 * sum / (options_.unit * options_.unit);
}

void StrokeMatch::add_gradient(const State& state, In x, double weight, Vec& g) const {
  const Lagged& lagged = state_as<Lagged>(state);
  const double factor = weight / (options_.unit * options_.unit);
  for (const int i : used_) {
    const Vec3 place = anchored(x, places_[i]);
    const Vec2 pull = lagged.A[i] * view_.project(place) - lagged.b[i];
    const Vec3 force = factor * (view_.jacobian(place).transpose() * pull);
    for (int a = 0; a < 4; ++a)
      if (places_[i].weights[a] != 0) point(g, places_[i].points[a]) += places_[i].weights[a] * force;
  }
}

void StrokeMatch::add_hessian(const State& state, In x, double weight, HessianMode mode, BlockSink& sink) const {
  const Lagged& lagged = state_as<Lagged>(state);
  const double factor = weight / (options_.unit * options_.unit);
  std::array<int, 4> points{};
  std::array<double, 4> weights{};
  std::array<double, 144> block{};
  for (const int i : used_) {
    const Vec3 place = anchored(x, places_[i]);
    const Eigen::Matrix<double, 2, 3> J = view_.jacobian(place);
    Mat3 H = J.transpose() * lagged.A[i] * J;
    if (mode == HessianMode::exact && view_.perspective())
      H += view_.curvature(place, lagged.A[i] * view_.project(place) - lagged.b[i]);
    H *= factor;
    int k = 0;
    for (int a = 0; a < 4; ++a)
      if (places_[i].weights[a] != 0) points[k] = places_[i].points[a], weights[k++] = places_[i].weights[a];
    Eigen::Map<Mat> all(block.data(), 3 * k, 3 * k);
    for (int a = 0; a < k; ++a)
      for (int b = 0; b < k; ++b) all.block<3, 3>(3 * a, 3 * b) = weights[a] * weights[b] * H;
    sink.add({points.data(), static_cast<std::size_t>(k)}, block.data());
  }
}

double StrokeMatch::residual(In x, int pair, bool sliding) const {
  Lagged lagged;
  lagged.resize(places_.size());
  see(x, lagged);
  const StrokePair& which = pairs_[static_cast<std::size_t>(pair)];
  correspond(which, lagged, sliding && which.correspondence == Correspondence::ordered);
  double sum = 0, weight = 0;
  for (const int i : used_) {
    sum += lagged.value(i, lagged.z[i]);
    weight += lagged.weight[i];
  }
  return weight > 0 ? std::sqrt(std::max(0.0, sum / weight)) : 0;
}

}  // namespace rigspace
