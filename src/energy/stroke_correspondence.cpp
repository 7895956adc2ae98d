// Which points of strokes belong to which places of curves (Thesis 5.2.2).

#include "stroke_match_state.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {

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
    // A sixteenth of the way around at first, then the quarters of that beside the best.
    double best = std::numeric_limits<double>::infinity();
    constexpr int kShifts = 16, kFiner = 4;
    const auto attempt = [&](double by, bool backwards) {
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += (target(i, by, backwards) - z[i]).squaredNorm();
      if (sum < best) best = sum, shift = by, reversed = backwards;
    };
    for (int trial = 0; trial < 2 * kShifts; ++trial) attempt(static_cast<double>(trial / 2) / kShifts, trial % 2 == 1);
    const double coarse = shift;
    for (int k = 1 - kFiner; k < kFiner; ++k)
      if (k != 0) attempt(coarse + static_cast<double>(k) / (kShifts * kFiner), reversed);
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

}  // namespace rigspace
