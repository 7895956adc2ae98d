#include "rigspace/apps/sketch/stroke.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

double polyline_length(const std::vector<Vec2>& points, bool closed) {
  return DrawnCurve{.points = points, .closed = closed}.length();
}

std::vector<Vec2> without_repeats(const std::vector<Vec2>& points, double closer) {
  std::vector<Vec2> kept;
  for (const Vec2& each : points)
    if (kept.empty() || (each - kept.back()).norm() > closer) kept.push_back(each);
  if (kept.size() == 1 && points.size() > 1) kept.push_back(points.back());
  return kept;
}

/// Of evenly sampled points: at each the line that fits its neighbours best, weighted by a Gaussian of width `sigma`
/// along the length. Inside that is the Gaussian's mean; at the ends of open lines, where neighbours are on one side
/// alone, it follows the direction of the line, so that ends neither keep the wobble of one point nor draw back.
std::vector<Vec2> smoothed(const std::vector<Vec2>& points, bool closed, double sigma) {
  const int n = static_cast<int>(points.size());
  const double spacing = polyline_length(points, closed) / std::max(1, closed ? n : n - 1);
  const int reach = spacing > 0 ? std::min(n / 4, static_cast<int>(std::ceil(2.5 * sigma / spacing))) : 0;
  if (reach < 1) return points;
  std::vector<Vec2> smooth(points.size());
  for (int k = 0; k < n; ++k) {
    const int before = closed ? reach : std::min(reach, k), after = closed ? reach : std::min(reach, n - 1 - k);
    // Moments of the weights w_j and of w_j z_j over the offsets j: the fit at j = 0 is (m2 z0 - m1 z1) / (m2 m0 -
    // m1^2).
    double m0 = 0, m1 = 0, m2 = 0;
    Vec2 z0 = Vec2::Zero(), z1 = Vec2::Zero();
    for (int j = -before; j <= after; ++j) {
      const double w = std::exp(-0.5 * std::pow(j * spacing / sigma, 2));
      const Vec2& z = points[(k + j + n) % n];
      m0 += w, m1 += w * j, m2 += w * j * j, z0 += w * z, z1 += w * j * z;
    }
    const double determinant = m2 * m0 - m1 * m1;
    smooth[k] = determinant > 1e-12 * m2 * m0 ? Vec2((m2 * z0 - m1 * z1) / determinant) : Vec2(z0 / m0);
  }
  return smooth;
}

}  // namespace

double Stroke::length() const { return polyline_length(points, closed); }

void check_stroke(const Stroke& stroke, std::size_t number, double aspect) {
  const auto refuse = [&](std::string problem, std::string remedy) {
    throw Error(
        {.element = stroke.name.empty() ? "stroke " + std::to_string(number + 1) : "stroke \"" + stroke.name + "\"",
         .problem = std::move(problem),
         .remedy = std::move(remedy)});
  };
  if (stroke.points.empty()) refuse("has no points", "draw a line");
  bool inside = false;
  for (std::size_t k = 0; k < stroke.points.size(); ++k) {
    const Vec2& z = stroke.points[k];
    if (!z.allFinite()) refuse("has a point " + std::to_string(k + 1) + " that is not a finite number", "give numbers");
    inside = inside || (std::abs(z.x()) <= aspect && std::abs(z.y()) <= 1);
  }
  if (stroke.points.size() == 1) refuse("is a single point", "draw a line");
  if (!(stroke.length() > 1e-6)) refuse("has no length", "draw a line");
  if (!inside)
    refuse("lies outside the picture",
           "draw where the character is seen, or give the camera and the size of the drawing");
}

std::vector<Vec2> resampled(const std::vector<Vec2>& points, bool closed, int count) {
  const std::vector<double> shares = length_shares(points, closed);
  std::vector<Vec2> result;
  for (int k = 0; k < count; ++k)
    result.push_back(at_share(points, shares, static_cast<double>(k) / (closed ? count : std::max(1, count - 1))));
  return result;
}

std::vector<Vec2> resampled_by_turning(const std::vector<Vec2>& points, bool closed, int count, double adaptive) {
  const int n = static_cast<int>(points.size());
  if (n < 3 || adaptive <= 0) return resampled(points, closed, count);
  const std::vector<double> shares = length_shares(points, closed);
  const int pieces = static_cast<int>(shares.size()) - 1;
  std::vector<double> turning(static_cast<std::size_t>(pieces), 0);
  double whole = 0;
  for (int k = closed ? 0 : 1; k < (closed ? n : n - 1); ++k) {  // the turn at point k, shared by the pieces beside it
    const Vec2 a = points[k] - points[(k + n - 1) % n], b = points[(k + 1) % n] - points[k];
    const double angle = std::abs(std::atan2(a.x() * b.y() - a.y() * b.x(), a.dot(b)));
    turning[static_cast<std::size_t>((k + pieces - 1) % pieces)] += 0.5 * angle;
    turning[static_cast<std::size_t>(k % pieces)] += 0.5 * angle;
    whole += angle;
  }
  // A gentle bend alone is no reason to crowd samples: below a right angle in all, turning counts for less.
  const double share = adaptive * std::min(1.0, whole / (0.5 * std::numbers::pi));
  std::vector<double> density(shares.size(), 0);
  for (int k = 0; k < pieces; ++k)
    density[k + 1] = density[k] + (1 - share) * (shares[k + 1] - shares[k]) +
                     (whole > 0 ? share * turning[static_cast<std::size_t>(k)] / whole : share / pieces);
  for (double& each : density) each /= density.back();
  std::vector<Vec2> result;
  for (int k = 0; k < count; ++k)
    result.push_back(at_share(points, density, static_cast<double>(k) / (closed ? count : std::max(1, count - 1))));
  return result;
}

// White noise of variance s^2 in each coordinate gives third differences of variance 20 s^2, and a line that turns
// slowly gives hardly any. The median of their lengths is sqrt(2 ln 2) of the deviation of a coordinate.
// Neighbouring points of a hand's wobble are alike, so differences over every second point are looked at too.
double estimated_jitter(const Stroke& stroke) {
  const std::vector<Vec2>& p = stroke.points;
  double largest = 0;
  for (const std::size_t lag : {std::size_t{1}, std::size_t{2}}) {
    std::vector<double> thirds;
    for (std::size_t k = 3 * lag; k < p.size(); ++k)
      thirds.push_back((p[k] - 3 * p[k - lag] + 3 * p[k - 2 * lag] - p[k - 3 * lag]).norm());
    if (thirds.size() < 5) continue;
    std::nth_element(thirds.begin(), thirds.begin() + static_cast<std::ptrdiff_t>(thirds.size() / 2), thirds.end());
    const double deviation = thirds[thirds.size() / 2] / std::sqrt(2 * std::numbers::ln2 * 20);
    largest = std::max(largest, std::numbers::sqrt2 * deviation);
  }
  return largest;
}

Stroke clean_stroke(const Stroke& stroke, const StrokeCleaning& cleaning) {
  Stroke clean = stroke;
  clean.points = without_repeats(stroke.points, 1e-9);
  const double jitter = estimated_jitter(stroke), length = clean.length();
  if (cleaning.smoothing > 0 && jitter > 0) {
    const int fine = std::clamp(4 * static_cast<int>(clean.points.size()), 64, 1024);
    const double sigma = std::min(cleaning.smoothing * jitter, 0.06 * length);
    clean.points = smoothed(resampled(clean.points, clean.closed, fine), clean.closed, sigma);
  }
  if (cleaning.closes && !clean.closed && clean.points.size() > 8) {
    const double gap = (clean.points.front() - clean.points.back()).norm();
    clean.closed = gap < 0.03 * clean.length();
  }
  clean.points = resampled_by_turning(clean.points, clean.closed, cleaning.samples, cleaning.adaptive);
  return clean;
}

namespace {

/// The share of the points of `part` that lie within the tolerance of `line`.
double covered(const Stroke& part, const Stroke& line, double tolerance) {
  const std::vector<Vec2> along = tangents(line.points, line.closed), own = tangents(part.points, part.closed);
  int near = 0;
  for (std::size_t k = 0; k < part.points.size(); ++k)
    for (std::size_t j = 0; j < line.points.size(); ++j)
      if ((part.points[k] - line.points[j]).norm() < tolerance && std::abs(own[k].dot(along[j])) > 0.7) {
        ++near;
        break;
      }
  return static_cast<double>(near) / static_cast<double>(part.points.size());
}

/// The middle of two strokes along the longer one.
Stroke averaged(const Stroke& line, const Stroke& part, double tolerance, double weight) {
  Stroke middle = line;
  for (Vec2& each : middle.points) {
    double best = tolerance;
    const Vec2* nearest = nullptr;
    for (const Vec2& other : part.points)
      if (const double d = (other - each).norm(); d < best) best = d, nearest = &other;
    if (nearest != nullptr) each = (each * weight + *nearest) / (weight + 1);
  }
  return middle;
}

/// Joins b behind a where an end of one meets an end of the other in about the same direction.
bool joined(const Stroke& a, const Stroke& b, double tolerance, Stroke& both) {
  if (a.closed || b.closed) return false;
  for (const bool turn_a : {false, true})
    for (const bool turn_b : {false, true}) {
      std::vector<Vec2> first = a.points, second = b.points;
      if (turn_a) std::reverse(first.begin(), first.end());
      if (turn_b) std::reverse(second.begin(), second.end());
      const std::size_t back = std::min<std::size_t>(first.size() - 1, 6),
                        on = std::min<std::size_t>(second.size() - 1, 6);
      const Vec2 leaving = first.back() - first[first.size() - 1 - back], entering = second[on] - second.front();
      if ((first.back() - second.front()).norm() > tolerance) continue;
      if (leaving.dot(entering) < 0.85 * leaving.norm() * entering.norm()) continue;
      both = a;
      both.points = first;
      both.points.insert(both.points.end(), second.begin(), second.end());
      return true;
    }
  return false;
}

}  // namespace

std::vector<Stroke> group_strokes(std::span<const Stroke> strokes, double tolerance, int at_least) {
  std::vector<Stroke> groups(strokes.begin(), strokes.end());
  std::vector<double> drawn(groups.size(), 1);  // how many strokes each is the middle of
  const auto apart = [](const Stroke& a, const Stroke& b) {
    return a.time != b.time || !a.curve.empty() || !b.curve.empty() || a.to >= 0 || b.to >= 0;
  };
  for (bool changed = true; changed && static_cast<int>(groups.size()) > at_least;) {
    changed = false;
    for (std::size_t i = 0; i < groups.size() && !changed; ++i)
      for (std::size_t j = 0; j < groups.size() && !changed; ++j) {
        if (i == j || apart(groups[i], groups[j]) || groups[j].length() > groups[i].length()) continue;
        Stroke one;
        if (covered(groups[j], groups[i], tolerance) > 0.8)
          one = averaged(groups[i], groups[j], tolerance, drawn[i]);
        else if (!joined(groups[i], groups[j], 0.5 * tolerance, one))
          continue;
        groups[i] = std::move(one), drawn[i] += drawn[j];
        groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(j)),
            drawn.erase(drawn.begin() + static_cast<std::ptrdiff_t>(j));
        changed = true;
      }
  }
  return groups;
}

}  // namespace rigspace
