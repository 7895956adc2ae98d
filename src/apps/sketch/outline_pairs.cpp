#include "rigspace/apps/sketch/assignment.h"
#include "rigspace/apps/sketch/stroke_assignment.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kCompared = 16;
constexpr double kLeastRatio = 0.4, kMostRatio = 1.8;  // of a stroke's length to that of its curve

Vec2 middle_of(const std::vector<Vec2>& points) {
  Vec2 sum = Vec2::Zero();
  for (const Vec2& z : points) sum += z / static_cast<double>(points.size());
  return sum;
}

}  // namespace

std::vector<StrokePair> outline_pairs(std::span<const SeenCurve> curves, std::span<const Stroke> strokes, double size) {
  if (curves.size() != strokes.size()) return {};
  const auto n = static_cast<Eigen::Index>(curves.size());
  std::vector<std::vector<Vec2>> seen, drawn;
  Vec2 shift = Vec2::Zero();
  for (std::size_t k = 0; k < curves.size(); ++k) {
    seen.push_back(resampled(curves[k].points, curves[k].closed, kCompared));
    drawn.push_back(resampled(strokes[k].points, strokes[k].closed, kCompared));
    shift += (middle_of(drawn[k]) - middle_of(seen[k])) / static_cast<double>(n);
  }
  const auto ratio = [&](std::size_t s, std::size_t c) {
    const double length = DrawnCurve{.points = curves[c].points, .closed = curves[c].closed}.length();
    return std::max(1e-12, strokes[s].length()) / std::max(1e-12, length);
  };
  Mat cost(n, n);
  for (std::size_t s = 0; s < strokes.size(); ++s)
    for (std::size_t c = 0; c < curves.size(); ++c)
      cost(static_cast<Eigen::Index>(s), static_cast<Eigen::Index>(c)) =
          (middle_of(drawn[s]) - middle_of(seen[c]) - shift).squaredNorm() / (size * size) +
          std::pow(std::log(ratio(s, c)), 2) + (strokes[s].closed != curves[c].closed ? 10 : 0);
  const std::vector<int> curve_of = cheapest_assignment(cost);
  std::vector<StrokePair> pairs;
  double whole = 0;
  for (std::size_t s = 0; s < strokes.size(); ++s) {
    const auto c = static_cast<std::size_t>(curve_of[s]);
    if (strokes[s].closed != curves[c].closed || ratio(s, c) < kLeastRatio || ratio(s, c) > kMostRatio) return {};
    double ahead = 0, back = 0;
    for (std::size_t k = 0; k < kCompared; ++k) {
      ahead += (drawn[s][k] - seen[c][k] - shift).squaredNorm();
      back += (drawn[s][kCompared - 1 - k] - seen[c][k] - shift).squaredNorm();
    }
    pairs.push_back({.curves = {curve_of[s]},
                     .strokes = {static_cast<int>(s)},
                     .reversed = back < ahead,
                     .weight = strokes[s].length()});
    whole += strokes[s].length();
  }
  for (StrokePair& pair : pairs) pair.weight /= whole;
  return pairs;
}

}  // namespace rigspace
