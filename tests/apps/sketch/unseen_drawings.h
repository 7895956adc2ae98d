#pragma once
// Drawings by another hand than the one that trains the classifier: poses near the limits, other views, four styles,
// a wobble that drifts, strokes drawn over again or left open, boxes that are stretched.

#include "rigspace/apps/sketch/drawing_generator.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace rigspace::testing {

enum class Style { plain, polygonal, over_sketched, smooth };
inline constexpr int kStyles = 4;

class UnseenHand {
 public:
  UnseenHand(const DrawnPart& part, std::uint32_t seed) : part_(part), random_(seed) {}

  Drawing draw(Style style) {
    Drawing drawing = seen_drawing(part_, pose(), uniform(-0.55, 0.55), uniform(-0.12, 0.4));
    place(drawing);
    Drawing result;
    for (std::vector<Vec2>& stroke : drawing) {
      if (style == Style::polygonal) stroke = corners(stroke, static_cast<int>(uniform(6, 12)));
      if (style == Style::smooth) stroke = rounded(stroke, static_cast<int>(uniform(3, 7)));
      const int times = style == Style::over_sketched ? 2 + static_cast<int>(uniform(0, 2)) : 1;
      for (int again = 0; again < times; ++again) result.push_back(traced(stroke, again > 0));
    }
    // The last curve first: training has any order, this has one that no rig's author would choose.
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  double uniform(double low, double high) { return std::uniform_real_distribution<>(low, high)(random_); }
  double normal() { return std::normal_distribution<>()(random_); }

  // Every control by a normal law, a third of the way to its limit; beyond it is cut off.
  Vec pose() {
    const std::span<const Control> controls = part_.rig->controls();
    Vec p(static_cast<Eigen::Index>(controls.size()));
    for (std::size_t c = 0; c < controls.size(); ++c) p[static_cast<Eigen::Index>(c)] = controls[c].rest;
    for (const int c : part_.varied) {
      const double way = 0.4 * normal();
      p[c] += std::min(std::abs(way), 1.0) * ((way < 0 ? controls[c].min : controls[c].max) - controls[c].rest);
    }
    return p;
  }

  // Somewhere on a page of pixels, leaning, stretched, seen from either side.
  void place(Drawing& drawing) {
    Eigen::Matrix2d frame = Eigen::Rotation2Dd(0.22 * normal()).toRotationMatrix();
    frame = frame * Eigen::Vector2d((uniform(0, 1) < 0.5 ? -1 : 1) * uniform(0.85, 1.2), 1).asDiagonal();
    const Vec2 shift(uniform(100, 900), uniform(100, 600));
    const double scale = uniform(40, 400);
    for (std::vector<Vec2>& stroke : drawing) {
      for (Vec2& x : stroke) x = shift + scale * frame * x;
    }
  }

  static double size_of(const std::vector<Vec2>& stroke) {
    Vec2 low = stroke.front(), high = stroke.front();
    for (const Vec2& x : stroke) low = low.cwiseMin(x), high = high.cwiseMax(x);
    return (high - low).norm();
  }

  // `count` of the points, unevenly spaced, joined by straight lines.
  std::vector<Vec2> corners(const std::vector<Vec2>& stroke, int count) {
    std::vector<Vec2> result{stroke.front()};
    for (int k = 1; k <= count; ++k) {
      const double at = (k < count ? (k + uniform(-0.3, 0.3)) / count : 1) * static_cast<double>(stroke.size() - 1);
      const Vec2 from = result.back(), to = stroke[static_cast<std::size_t>(at)];
      for (int i = 1; i <= 12; ++i) result.emplace_back(from + i / 12.0 * (to - from));
    }
    return result;
  }

  // Corners cut, as one who draws fast does.
  static std::vector<Vec2> rounded(std::vector<Vec2> stroke, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      std::vector<Vec2> next = stroke;
      for (std::size_t k = 1; k + 1 < stroke.size(); ++k)
        next[k] = 0.25 * stroke[k - 1] + 0.5 * stroke[k] + 0.25 * stroke[k + 1];
      stroke = std::move(next);
    }
    return stroke;
  }

  // A hand that drifts off and comes back, and starts late or ends early; `again`: over a part of the line only.
  std::vector<Vec2> traced(const std::vector<Vec2>& stroke, bool again) {
    const double size = size_of(stroke), drift = uniform(0.002, 0.010) * size;
    const double from = again ? uniform(0, 0.3) : uniform(0, 0.05), to = again ? uniform(0.6, 1) : uniform(0.94, 1);
    const Vec2 beside = again ? Vec2(0.015 * size * Vec2(normal(), normal())) : Vec2::Zero();
    Vec2 off = Vec2::Zero();
    std::vector<Vec2> result;
    for (std::size_t k = 0; k < stroke.size(); ++k) {
      const double t = static_cast<double>(k) / static_cast<double>(stroke.size() - 1);
      off = 0.93 * off + drift * Vec2(normal(), normal());
      if (t >= from && t <= to) result.push_back(stroke[k] + off + beside);
    }
    return result;
  }

  const DrawnPart& part_;
  std::mt19937 random_;
};

}  // namespace rigspace::testing
