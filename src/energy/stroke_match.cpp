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
  require_option(from_places >= 0 && from_places <= 1, "weight from places", from_places, "expected 0 to 1");
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
  const bool ordered = pair.correspondence == Correspondence::ordered;
  const bool around = ordered && strokes_[pair.strokes[0]].closed && curves_[pair.curves[0]].closed;
  if (ordered && with_tangents && options_.slide > 0 && !around)
    correspond_sliding(pair, lagged);
  else if (ordered)
    correspond_ordered(pair, lagged);
  else
    correspond_nearest(pair, lagged, with_tangents);
}

// A closed stroke may begin anywhere and run either way around: the beginning and direction with the smallest sum of
// squares are taken.
void StrokeMatch::correspond_ordered(const StrokePair& pair, Lagged& lagged) const {
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
  for (int i = 0; i < n; ++i) lagged.add(first + i, target(i, shift, reversed), pair.weight / n);
}

namespace {

/// The point of a polyline that is nearest to z, among pieces whose shares of the length overlap a window.
struct Foot {
  int piece = -1;  // from point `piece` to the next
  double t = 0;
  Vec2 at = Vec2::Zero();
};

Foot foot_on(const std::vector<Vec2>& line, const std::vector<double>& shares, const Vec2& z, double from, double to) {
  Foot foot;
  double best = std::numeric_limits<double>::infinity();
  const int pieces = static_cast<int>(shares.size()) - 1, n = static_cast<int>(line.size());
  const auto begin = std::lower_bound(shares.begin() + 1, shares.end(), from) - shares.begin() - 1;
  for (int k = static_cast<int>(begin); k < pieces && shares[k] <= to; ++k) {
    const Vec2 a = line[k], d = line[(k + 1) % n] - a;
    const double length = d.squaredNorm(), t = length > 0 ? std::clamp(d.dot(z - a) / length, 0.0, 1.0) : 0;
    const Vec2 at = a + t * d;
    if (const double distance = (at - z).squaredNorm(); distance < best) best = distance, foot = {k, t, at};
  }
  return foot;
}

}  // namespace

// Orthogonal distances: a point y_j of the stroke, at the share s_j of its length, pulls its foot on the curve,
// (1 - t) z_i + t z_(i+1), by d_j = y_j - foot. The pull is shared out to both places as to a bar of no mass: place i
// is drawn to z_i + d_j with the weight 1 - t. That has the gradient of sum_j |d_j|^2, and a Hessian that is no
// smaller.
void StrokeMatch::correspond_sliding(const StrokePair& pair, Lagged& lagged) const {
  const int curve = pair.curves[0], n = static_cast<int>(curves_[curve].places.size()), first = first_[curve];
  const DrawnCurve& stroke = strokes_[pair.strokes[0]];
  const std::vector<Vec2> z(lagged.z.begin() + first, lagged.z.begin() + first + n);
  const std::vector<double> of_curve = length_shares(z, curves_[curve].closed);
  const std::vector<double> of_stroke = length_shares(stroke.points, stroke.closed);
  const int m = static_cast<int>(stroke.points.size());
  // Across d it slides; where line and stroke meet, along the piece from `a` to `b`.
  const auto pull = [&](int i, const Vec2& d, double w, const Vec2& a, const Vec2& b) {
    Vec2 t(-d.y(), d.x());
    if (t.norm() < 1e-9 * options_.unit) t = b - a;
    if (const double length = t.norm(); length > 0)
      lagged.add(first + i, z[i] + d, w, t / length, options_.along);
    else
      lagged.add(first + i, z[i] + d, w);
  };
  const double by_points = (1 - options_.from_places) * pair.weight, by_places = options_.from_places * pair.weight / n;
  for (int j = 0; j < m; ++j) {
    const double before = j > 0 ? of_stroke[j] - of_stroke[j - 1] : stroke.closed ? 1 - of_stroke[m - 1] : 0;
    const double after = j + 1 < static_cast<int>(of_stroke.size()) ? of_stroke[j + 1] - of_stroke[j] : 0;
    const double share = pair.reversed ? 1 - of_stroke[j] : of_stroke[j], w = 0.5 * (before + after) * by_points;
    const Foot foot = foot_on(z, of_curve, stroke.points[j], share - options_.slide, share + options_.slide);
    const Vec2 d = stroke.points[j] - foot.at;
    const int next = (foot.piece + 1) % n;
    const bool at_end = !curves_[curve].closed && ((foot.piece == 0 && foot.t == 0) || (next == n - 1 && foot.t == 1));
    if (at_end) {
      lagged.add(first + (foot.t > 0 ? next : foot.piece), stroke.points[j], w);
      continue;
    }
    if (foot.t < 1) pull(foot.piece, d, w * (1 - foot.t), z[foot.piece], z[next]);
    if (foot.t > 0) pull(next, d, w * foot.t, z[foot.piece], z[next]);
  }
  for (int i = 0; i < n; ++i) {
    const double share = pair.reversed ? 1 - of_curve[i] : of_curve[i];
    if (!curves_[curve].closed && (i == 0 || i == n - 1)) {  // whole places: the ends stay together
      lagged.add(first + i, at_share(stroke.points, of_stroke, share), pair.weight / n);
      continue;
    }
    const Foot foot = foot_on(stroke.points, of_stroke, z[i], share - options_.slide, share + options_.slide);
    pull(i, foot.at - z[i], by_places, stroke.points[foot.piece], stroke.points[(foot.piece + 1) % m]);
  }
}

namespace {

/// A point of a line, as `nearest` compares it.
struct Sample {
  Vec2 at, along;
  int place;  // of the curves' samples
  double share;
};

/// Samples in square cells, about one in each: the one with the least cost  |at - z|^2 + turn (1 - |cos|)  is sought in
/// rings of cells around z, until the ring is farther away than the best found.
class SampleGrid {
 public:
  explicit SampleGrid(const std::vector<Sample>& samples) : samples_(samples) {
    Vec2 low = samples.front().at, high = low;
    for (const Sample& each : samples) low = low.cwiseMin(each.at), high = high.cwiseMax(each.at);
    low_ = low;
    const double extent = std::max({high.x() - low.x(), high.y() - low.y(), 1e-12});
    cells_ = std::clamp(static_cast<int>(2 * std::sqrt(static_cast<double>(samples.size()))), 1, 64);
    size_ = extent / cells_ * (1 + 1e-9);
    start_.assign(static_cast<std::size_t>(cells_ * cells_) + 1, 0);
    for (const Sample& each : samples) ++start_[static_cast<std::size_t>(cell(each.at)) + 1];
    for (std::size_t k = 1; k < start_.size(); ++k) start_[k] += start_[k - 1];
    std::vector<int> next(start_.begin(), start_.end() - 1);
    order_.resize(samples.size());
    for (std::size_t k = 0; k < samples.size(); ++k)
      order_[static_cast<std::size_t>(next[static_cast<std::size_t>(cell(samples[k].at))]++)] = static_cast<int>(k);
  }

  const Sample& nearest(const Sample& to, double turn, bool oriented) const {
    const int u = column(to.at.x() - low_.x()), v = column(to.at.y() - low_.y());
    double best = std::numeric_limits<double>::infinity();
    int found = 0;
    for (int ring = 0; ring < 2 * cells_; ++ring) {
      // A cell of this ring is at least so far from z, which may lie beyond the grid.
      const double nearest = (ring - 1) * size_;
      if (ring > 1 && nearest * nearest > best) break;
      for (int j = v - ring; j <= v + ring; ++j) {
        if (j < 0 || j >= cells_) continue;
        const int step = j == v - ring || j == v + ring ? 1 : std::max(1, 2 * ring);
        for (int i = u - ring; i <= u + ring; i += step) {
          if (i < 0 || i >= cells_) continue;
          const auto c = static_cast<std::size_t>(j * cells_ + i);
          for (int k = start_[c]; k < start_[c + 1]; ++k) {
            const Sample& each = samples_[static_cast<std::size_t>(order_[static_cast<std::size_t>(k)])];
            const double distance = (each.at - to.at).squaredNorm();
            if (distance > best) continue;
            const double cosine = each.along.dot(to.along);
            const double cost = distance + turn * (1 - (oriented ? cosine : std::abs(cosine)));
            const int number = order_[static_cast<std::size_t>(k)];
            if (cost < best || (cost == best && number < found)) best = cost, found = number;
          }
        }
      }
    }
    return samples_[static_cast<std::size_t>(found)];
  }

 private:
  int column(double offset) const { return std::clamp(static_cast<int>(offset / size_), 0, cells_ - 1); }
  int cell(const Vec2& z) const { return column(z.y() - low_.y()) * cells_ + column(z.x() - low_.x()); }

  const std::vector<Sample>& samples_;
  Vec2 low_;
  double size_;
  int cells_;
  std::vector<int> start_, order_;
};

}  // namespace

void StrokeMatch::correspond_nearest(const StrokePair& pair, Lagged& lagged, bool with_tangents) const {
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
  const bool slides = with_tangents && options_.slide > 0;
  const auto pull = [&](int place, const Vec2& y, double w, const Vec2& along) {
    if (slides && along.squaredNorm() > 0)
      lagged.add(place, y, w, along, options_.along);
    else
      lagged.add(place, y, w);
  };
  const bool both = pair.correspondence == Correspondence::nearest;
  const double half = both ? 0.5 * pair.weight : pair.weight;
  if (both) {
    const SampleGrid grid(drawn);
    for (const Sample& each : seen) {
      const Sample& to = grid.nearest(each, turn, options_.oriented);
      pull(each.place, to.at, half / static_cast<double>(seen.size()), to.along);
    }
  }
  const SampleGrid grid(seen);
  for (const Sample& each : drawn) {
    const Sample& place = grid.nearest(each, turn, options_.oriented);
    pull(place.place, each.at, half * each.share, place.along);
  }
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
