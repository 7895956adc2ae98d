#include "rigspace/apps/sketch/stroke_assignment.h"

#include "rigspace/apps/sketch/assignment.h"
#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rigspace {
namespace {

constexpr int kCompared = 16;  // points of a curve that are compared

std::vector<Vec2> turned_around(std::vector<Vec2> points, bool reversed) {
  if (reversed) std::reverse(points.begin(), points.end());
  return points;
}

Vec2 centre_of(const std::vector<std::vector<Vec2>>& lines) {
  Vec2 sum = Vec2::Zero();
  double weight = 0;
  for (const auto& line : lines) {
    const double length = std::max(1e-12, DrawnCurve{.points = line}.length());
    for (const Vec2& z : resampled(line, false, kCompared)) sum += length / kCompared * z;
    weight += length;
  }
  return sum / weight;
}

/// The frame of a trunk at a share of its length: where it is, and along it.
struct TrunkFrame {
  Vec2 at, along;
};

TrunkFrame frame_at(const std::vector<Vec2>& trunk, double share) {
  const std::vector<double> shares = length_shares(trunk, false);
  const Vec2 way =
      at_share(trunk, shares, std::min(1.0, share + 0.1)) - at_share(trunk, shares, std::max(0.0, share - 0.1));
  return {at_share(trunk, shares, share), way.norm() > 0 ? Vec2(way.normalized()) : Vec2(0, 1)};
}

/// Where a limb begins: at which share of the trunk, and how far along and beside it there.
struct Root {
  double share = 0;
  Vec2 offset = Vec2::Zero();
};

Root root_on(const std::vector<Vec2>& trunk, const Vec2& begin) {
  Root root;
  double best = std::numeric_limits<double>::infinity();
  const std::vector<double> shares = length_shares(trunk, false);
  for (int k = 0; k <= 40; ++k) {
    const double d = (at_share(trunk, shares, k / 40.0) - begin).squaredNorm();
    if (d < best) best = d, root.share = k / 40.0;
  }
  const TrunkFrame frame = frame_at(trunk, root.share);
  const Vec2 d = begin - frame.at;
  root.offset = Vec2(frame.along.dot(d), frame.along.x() * d.y() - frame.along.y() * d.x());
  return root;
}

/// How badly a length fits a curve: seen from the side it is as long as it can be, foreshortened it is shorter.
double length_misfit(const SeenCurve& curve, double drawn) {
  const double ratio = drawn / std::max(1e-9, curve.longest);
  return ratio > 1.1 ? 2 * std::pow(ratio - 1.1, 2) : ratio < 0.6 ? 0.5 * std::pow(0.6 - ratio, 2) : 0;
}

double place_misfit(const std::vector<Vec2>& curve, const std::vector<Vec2>& stroke, const Vec2& shift) {
  double sum = 0;
  for (int k = 0; k < kCompared; ++k) sum += (curve[k] + shift - stroke[k]).squaredNorm() / kCompared;
  return sum;
}

class Assigner {
 public:
  Assigner(std::span<const SeenCurve> curves, std::span<const Stroke> strokes, double size)
      : curves_(curves), strokes_(strokes), size_(size) {
    for (const SeenCurve& curve : curves) sampled_curves_.push_back(resampled(curve.points, curve.closed, kCompared));
    for (const Stroke& stroke : strokes) {
      sampled_strokes_.push_back(resampled(stroke.points, stroke.closed, kCompared));
      lengths_.push_back(stroke.length());
    }
    named_.assign(strokes.size(), -1);
    std::vector<std::string> names;
    for (const SeenCurve& curve : curves) names.push_back(curve.name);
    for (std::size_t s = 0; s < strokes.size(); ++s) {
      if (strokes[s].curve.empty()) continue;
      const auto found = std::find(names.begin(), names.end(), strokes[s].curve);
      if (found == names.end())
        throw Error({.element = "curve \"" + strokes[s].curve + "\"",
                     .value = strokes[s].curve,
                     .problem = "is none of the abstraction's",
                     .remedy = suggestion(strokes[s].curve, names, "leave it out, and the curve is found")});
      named_[s] = static_cast<int>(found - names.begin());
    }
    // Only a drawing of the whole character says where the character is to go.
    if (strokes.size() >= curves.size()) {
      std::vector<std::vector<Vec2>> from, to;
      for (const SeenCurve& curve : curves) from.push_back(curve.points);
      for (const Stroke& stroke : strokes) to.push_back(stroke.points);
      shift_ = centre_of(to) - centre_of(from);
    }
  }

  std::vector<StrokeChoice> best() {
    if (strokes_.size() < curves_.size() || curves_.size() < 3) return by_place();
    std::vector<StrokeChoice> chosen;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < strokes_.size(); ++s) {
      if (named_[s] > 0) continue;
      for (const bool reversed : {false, true}) {
        double cost = 0;
        std::vector<StrokeChoice> choice = with_trunk(s, reversed, cost);
        if (cost < least) least = cost, chosen = std::move(choice);
      }
    }
    return chosen.empty() ? by_place() : chosen;
  }

 private:
  double plain_cost(std::size_t stroke, std::size_t curve, bool& reversed) const {
    const double ahead = place_misfit(sampled_curves_[curve], sampled_strokes_[stroke], shift_);
    const double back = place_misfit(sampled_curves_[curve], turned_around(sampled_strokes_[stroke], true), shift_);
    reversed = back < ahead;
    return std::min(ahead, back) / (size_ * size_) + length_misfit(curves_[curve], lengths_[stroke]);
  }

  std::vector<StrokeChoice> by_place() const {
    Mat cost(static_cast<Eigen::Index>(strokes_.size()), static_cast<Eigen::Index>(curves_.size()));
    std::vector<std::vector<char>> reversed(strokes_.size(), std::vector<char>(curves_.size()));
    for (std::size_t s = 0; s < strokes_.size(); ++s)
      for (std::size_t c = 0; c < curves_.size(); ++c) {
        bool turned = false;
        const double base = named_[s] >= 0 && named_[s] != static_cast<int>(c) ? 1e6 : 0;
        cost(static_cast<Eigen::Index>(s), static_cast<Eigen::Index>(c)) = base + plain_cost(s, c, turned);
        reversed[s][c] = turned;
      }
    const std::vector<int> columns = cheapest_assignment(cost);
    std::vector<StrokeChoice> choices(strokes_.size());
    for (std::size_t s = 0; s < strokes_.size(); ++s)
      if (columns[s] >= 0 && (named_[s] < 0 || named_[s] == columns[s]))
        choices[s] = {columns[s], reversed[s][static_cast<std::size_t>(columns[s])] != 0};
    return choices;
  }

  std::vector<StrokeChoice> with_trunk(std::size_t trunk, bool reversed, double& total) const {
    const std::vector<Vec2> trunk_line = turned_around(strokes_[trunk].points, reversed);
    std::vector<std::size_t> others;
    for (std::size_t s = 0; s < strokes_.size(); ++s)
      if (s != trunk) others.push_back(s);
    const auto limbs = static_cast<Eigen::Index>(curves_.size()) - 1;
    Mat cost(static_cast<Eigen::Index>(others.size()), limbs);
    std::vector<std::vector<char>> turned(others.size(), std::vector<char>(static_cast<std::size_t>(limbs)));
    for (Eigen::Index c = 0; c < limbs; ++c) {
      const std::size_t curve = static_cast<std::size_t>(c) + 1;
      const Root root = root_on(curves_[0].points, curves_[curve].points.front());
      const TrunkFrame frame = frame_at(trunk_line, root.share);
      const Vec2 across(-frame.along.y(), frame.along.x());
      const Vec2 begin = frame.at + root.offset.x() * frame.along + root.offset.y() * across;
      for (std::size_t k = 0; k < others.size(); ++k) {
        const std::size_t s = others[k];
        double least = std::numeric_limits<double>::infinity();
        for (const bool back : {false, true}) {
          const Vec2 from = back ? strokes_[s].points.back() : strokes_[s].points.front();
          const double each =
              (from - begin).squaredNorm() / (size_ * size_) +
              0.02 * place_misfit(sampled_curves_[curve], turned_around(sampled_strokes_[s], back), shift_) /
                  (size_ * size_);
          if (each < least) least = each, turned[k][static_cast<std::size_t>(c)] = back;
        }
        const bool other = named_[s] >= 0 && named_[s] != static_cast<int>(curve);
        cost(static_cast<Eigen::Index>(k), c) =
            least + 0.3 * length_misfit(curves_[curve], lengths_[s]) + (other ? 1e6 : 0);
      }
    }
    total = 0.3 * length_misfit(curves_[0], lengths_[trunk]) +
            0.1 * place_misfit(sampled_curves_[0], turned_around(sampled_strokes_[trunk], reversed), shift_) /
                (size_ * size_);
    std::vector<StrokeChoice> choices(strokes_.size());
    choices[trunk] = {0, reversed};
    const std::vector<int> columns = cheapest_assignment(cost);
    for (std::size_t k = 0; k < others.size(); ++k) {
      if (columns[k] < 0) continue;
      total += cost(static_cast<Eigen::Index>(k), columns[k]);
      choices[others[k]] = {columns[k] + 1, turned[k][static_cast<std::size_t>(columns[k])] != 0};
    }
    return choices;
  }

  std::span<const SeenCurve> curves_;
  std::span<const Stroke> strokes_;
  double size_;
  std::vector<std::vector<Vec2>> sampled_curves_, sampled_strokes_;
  std::vector<double> lengths_;
  std::vector<int> named_;  // of each stroke the curve that it names, or -1
  Vec2 shift_ = Vec2::Zero();
};

}  // namespace

std::vector<StrokeChoice> assign_strokes(std::span<const SeenCurve> curves, std::span<const Stroke> strokes,
                                         double size) {
  return Assigner(curves, strokes, size).best();
}

}  // namespace rigspace
