#include "rigspace/energy/stroke_match.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rigspace {

double DrawnCurve::length() const {
  double sum = 0;
  for (std::size_t k = 1; k < points.size(); ++k) sum += (points[k] - points[k - 1]).norm();
  return closed && points.size() > 1 ? sum + (points.front() - points.back()).norm() : sum;
}

std::vector<double> length_shares(const std::vector<Vec2>& points, bool closed) {
  const std::size_t n = points.size() + (closed ? 1 : 0);
  std::vector<double> shares(n, 0);
  for (std::size_t k = 1; k < n; ++k) shares[k] = shares[k - 1] + (points[k % points.size()] - points[k - 1]).norm();
  const double length = n > 0 ? shares.back() : 0;
  for (std::size_t k = 1; k < n; ++k)
    shares[k] = length > 0 ? shares[k] / length : static_cast<double>(k) / static_cast<double>(n - 1);
  return shares;
}

Vec2 at_share(const std::vector<Vec2>& points, const std::vector<double>& shares, double share) {
  if (points.size() == 1) return points[0];
  const auto above = std::upper_bound(shares.begin() + 1, shares.end() - 1, share);
  const auto k = static_cast<std::size_t>(above - shares.begin());
  const double span = shares[k] - shares[k - 1];
  const double t = span > 0 ? std::clamp((share - shares[k - 1]) / span, 0.0, 1.0) : 0;
  return (1 - t) * points[k - 1] + t * points[k % points.size()];
}

std::vector<Vec2> tangents(const std::vector<Vec2>& points, bool closed) {
  const int n = static_cast<int>(points.size());
  std::vector<Vec2> result(points.size(), Vec2::Zero());
  for (int k = 0; k < n; ++k) {
    const int before = closed ? (k + n - 1) % n : std::max(0, k - 1),
              after = closed ? (k + 1) % n : std::min(n - 1, k + 1);
    const Vec2 d = points[after] - points[before];
    if (const double length = d.norm(); length > 0) result[k] = d / length;
  }
  return result;
}

void StrokeMatchOptions::validate() const {
  require_option(unit > 0 && std::isfinite(unit), "unit", unit, "expected view units above 0");
  require_option(slide >= 0, "slide", slide, "expected a share of the length, at least 0");
  require_option(along >= 0 && along <= 1, "weight along the stroke", along, "expected 0 to 1");
  require_option(tangent >= 0, "weight of tangents", tangent, "expected at least 0");
}

/// Of each place i the sum of its correspondences:  sum_j (y_j - z)^T A_ij (y_j - z) = z^T A z - 2 b.z + c.
struct StrokeMatch::Lagged final : State {
  std::vector<Vec2> z;  // of all places, at the last refresh
  std::vector<Mat2> A;
  std::vector<Vec2> b;
  std::vector<double> c, weight;

  void resize(std::size_t n) {
    z.resize(n), A.assign(n, Mat2::Zero()), b.assign(n, Vec2::Zero()), c.assign(n, 0), weight.assign(n, 0);
  }
  void clear() { resize(z.size()); }
  void add(int i, const Vec2& y, double w) {
    A[i].diagonal().array() += w, b[i] += w * y, c[i] += w * y.squaredNorm(), weight[i] += w;
  }
  /// Distances along the unit vector t count `along` as much as those across it.
  void add(int i, const Vec2& y, double w, const Vec2& t, double along) {
    const Mat2 M = w * (Mat2::Identity() - (1 - along) * t * t.transpose());
    A[i] += M, b[i] += M * y, c[i] += y.dot(M * y), weight[i] += w;
  }
  double value(int i, const Vec2& at) const { return at.dot(A[i] * at) - 2 * b[i].dot(at) + c[i]; }
};

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

void StrokeMatch::correspond(const StrokePair& pair, Lagged& lagged, bool with_tangents) const {
  if (pair.correspondence == Correspondence::ordered)
    correspond_ordered(pair, lagged, with_tangents);
  else
    correspond_nearest(pair, lagged, with_tangents);
}

// A closed stroke may begin anywhere and run either way around: the beginning and direction with the smallest sum of
// squares are taken.
void StrokeMatch::correspond_ordered(const StrokePair& pair, Lagged& lagged, bool with_tangents) const {
  const int curve = pair.curves[0], n = static_cast<int>(curves_[curve].places.size()), first = first_[curve];
  const DrawnCurve& stroke = strokes_[pair.strokes[0]];
  const std::vector<Vec2> z(lagged.z.begin() + first, lagged.z.begin() + first + n);
  const std::vector<double> of_curve = length_shares(z, curves_[curve].closed);
  const std::vector<double> of_stroke = length_shares(stroke.points, stroke.closed);
  const bool around = stroke.closed && curves_[curve].closed;
  const auto target = [&](int i, double shift, bool reversed) {
    double share = reversed ? 1 - of_curve[i] : of_curve[i];
    if (around) share += shift, share -= std::floor(share);
    return at_share(stroke.points, of_stroke, share);
  };
  double shift = 0;
  bool reversed = pair.reversed;
  if (around) {
    double best = std::numeric_limits<double>::infinity();
    constexpr int kShifts = 64;
    for (int trial = 0; trial < 2 * kShifts; ++trial) {
      const double by = static_cast<double>(trial / 2) / kShifts;
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += (target(i, by, trial % 2 == 1) - z[i]).squaredNorm();
      if (sum < best) best = sum, shift = by, reversed = trial % 2 == 1;
    }
  }
  if (!(with_tangents && options_.slide > 0) || around) {
    for (int i = 0; i < n; ++i) lagged.add(first + i, target(i, shift, reversed), pair.weight / n);
    return;
  }
  // The nearest point of the stroke within a window of its length, and the line there.
  const int pieces = static_cast<int>(of_stroke.size()) - 1, m = static_cast<int>(stroke.points.size());
  for (int i = 0; i < n; ++i) {
    const double share = reversed ? 1 - of_curve[i] : of_curve[i];
    if (i == 0 || i == n - 1) {
      lagged.add(first + i, target(i, 0, reversed), pair.weight / n);
      continue;
    }
    double best = std::numeric_limits<double>::infinity();
    Vec2 nearest = Vec2::Zero(), along = Vec2::Zero();
    for (int k = 0; k < pieces; ++k) {
      if (of_stroke[k + 1] < share - options_.slide || of_stroke[k] > share + options_.slide) continue;
      const Vec2 a = stroke.points[k], d = stroke.points[(k + 1) % m] - a;
      const double length = d.squaredNorm(), t = length > 0 ? std::clamp(d.dot(z[i] - a) / length, 0.0, 1.0) : 0;
      const Vec2 at = a + t * d;
      const double distance = (at - z[i]).squaredNorm();
      if (distance < best && length > 0) best = distance, nearest = at, along = d / std::sqrt(length);
    }
    lagged.add(first + i, nearest, pair.weight / n, along, options_.along);
  }
}

void StrokeMatch::correspond_nearest(const StrokePair& pair, Lagged& lagged, bool with_tangents) const {
  struct Sample {
    Vec2 at, along;
    int place;  // of the curves' samples
    double share;
  };
  std::vector<Sample> seen, drawn;
  double drawn_length = 0;
  for (const int c : pair.curves) {
    const int n = static_cast<int>(curves_[c].places.size());
    const std::vector<Vec2> z(lagged.z.begin() + first_[c], lagged.z.begin() + first_[c] + n);
    const std::vector<Vec2> along = tangents(z, curves_[c].closed);
    for (int i = 0; i < n; ++i) seen.push_back({z[i], along[i], first_[c] + i, 1});
  }
  for (const int s : pair.strokes) {
    const DrawnCurve& stroke = strokes_[s];
    const int n = static_cast<int>(stroke.points.size());
    for (int j = 0; j < n; ++j) {  // half the length to either neighbour
      const double before = j > 0 || stroke.closed ? (stroke.points[j] - stroke.points[(j + n - 1) % n]).norm() : 0;
      const double after = j + 1 < n || stroke.closed ? (stroke.points[(j + 1) % n] - stroke.points[j]).norm() : 0;
      drawn.push_back({stroke.points[j], stroke_tangents_[s][j], -1, 0.5 * (before + after)});
      drawn_length += drawn.back().share;
    }
  }
  for (Sample& each : drawn) each.share = drawn_length > 0 ? each.share / drawn_length : 1.0 / drawn.size();
  const double turn = with_tangents ? std::pow(options_.tangent * options_.unit, 2) : 0;
  const auto nearest = [&](const Sample& to, const std::vector<Sample>& among) {
    double best = std::numeric_limits<double>::infinity();
    const Sample* found = &among.front();
    for (const Sample& each : among) {
      const double dx = each.at.x() - to.at.x(), dy = each.at.y() - to.at.y();
      const double distance = dx * dx + dy * dy;
      if (distance >= best) continue;
      const double cosine = each.along.x() * to.along.x() + each.along.y() * to.along.y();
      const double cost = distance + turn * (1 - (options_.oriented ? cosine : std::abs(cosine)));
      if (cost < best) best = cost, found = &each;
    }
    return found;
  };
  const bool both = pair.correspondence == Correspondence::nearest;
  const double half = both ? 0.5 * pair.weight : pair.weight;
  if (both)
    for (const Sample& each : seen)
      lagged.add(each.place, nearest(each, drawn)->at, half / static_cast<double>(seen.size()));
  for (const Sample& each : drawn) lagged.add(nearest(each, seen)->place, each.at, half * each.share);
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

double StrokeMatch::residual(In x, int pair) const {
  Lagged lagged;
  lagged.resize(places_.size());
  see(x, lagged);
  correspond(pairs_[static_cast<std::size_t>(pair)], lagged, false);
  double sum = 0, weight = 0;
  for (const int i : used_) {
    sum += lagged.value(i, lagged.z[i]);
    weight += lagged.weight[i];
  }
  return weight > 0 ? std::sqrt(std::max(0.0, sum / weight)) : 0;
}

}  // namespace rigspace
