#include "rigspace/apps/sketch/stroke_assignment.h"

#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace rigspace {
namespace {

constexpr int kCompared = 16;  // points of a curve that are compared
constexpr double kForbidden = 1e6;
constexpr int kMostBranches = 20000;  // of the search below one trunk

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

  std::vector<RankedChoices> best(int most) {
    if (strokes_.size() < curves_.size() || curves_.size() < 3) {
      by_place(most);
    } else {
      for (std::size_t s = 0; s < strokes_.size(); ++s) {
        if (named_[s] > 0) continue;
        for (const bool reversed : {false, true})
          if (may_run(s, reversed)) with_trunk(s, reversed, most);
      }
      if (found_.empty()) by_place(most);
    }
    // A stroke that could have its own curve is never left without one.
    if (found_.front().cost < kForbidden)
      std::erase_if(found_, [](const RankedChoices& each) { return each.cost >= kForbidden; });
    return std::move(found_);
  }

 private:
  double plain_cost(std::size_t stroke, std::size_t curve, bool reversed) const {
    return place_misfit(sampled_curves_[curve], turned_around(sampled_strokes_[stroke], reversed), shift_) /
               (size_ * size_) +
           length_misfit(curves_[curve], lengths_[stroke]);
  }

  /// Whether a stroke, which may have been turned around since it was drawn, may run so along its curve.
  bool may_run(std::size_t stroke, bool reversed) const {
    return !strokes_[stroke].directed || reversed == strokes_[stroke].turned;
  }
  bool may_be(std::size_t stroke, std::size_t curve, bool reversed) const {
    return (named_[stroke] < 0 || named_[stroke] == static_cast<int>(curve)) && may_run(stroke, reversed);
  }

  /// The cheapest ways to give `strokes` to `curves`, one each, with what was chosen before; the `most` cheapest of all
  /// that were ever found are kept. Branch and bound: a partial choice goes on while it may still be among them.
  void enumerate(const std::vector<std::size_t>& strokes, const std::vector<std::size_t>& curves,
                 const std::vector<std::vector<std::array<double, 2>>>& cost, RankedChoices chosen, int most) {
    const bool by_stroke = strokes.size() <= curves.size();
    const std::size_t rows = std::min(strokes.size(), curves.size()), columns = std::max(strokes.size(), curves.size());
    const auto at = [&](std::size_t row, std::size_t column, int back) {
      return by_stroke ? cost[row][column][back] : cost[column][row][back];
    };
    std::vector<double> least(rows + 1, 0);  // of all rows from this one on
    for (std::size_t r = rows; r-- > 0;) {
      double low = std::numeric_limits<double>::infinity();
      for (std::size_t c = 0; c < columns; ++c) low = std::min({low, at(r, c, 0), at(r, c, 1)});
      least[r] = least[r + 1] + low;
    }
    std::vector<char> taken(columns, 0);
    int left = kMostBranches;
    const auto descend = [&](const auto& self, std::size_t row) -> void {
      const bool full = static_cast<int>(found_.size()) >= most;
      if (--left < 0 || (full && chosen.cost + least[row] >= found_.back().cost)) return;
      if (row == rows) {
        const auto after = std::upper_bound(found_.begin(), found_.end(), chosen.cost,
                                            [](double price, const RankedChoices& each) { return price < each.cost; });
        found_.insert(after, chosen);
        if (static_cast<int>(found_.size()) > most) found_.pop_back();
        return;
      }
      std::vector<std::tuple<double, std::size_t, int>> options;
      for (std::size_t c = 0; c < columns; ++c)
        for (const int back : {0, 1})
          if (!taken[c] && (at(row, c, back) < kForbidden || back == 0))
            options.emplace_back(at(row, c, back), c, back);
      std::sort(options.begin(), options.end());
      for (const auto& [price, column, back] : options) {
        const std::size_t s = strokes[by_stroke ? row : column], c = curves[by_stroke ? column : row];
        taken[column] = 1, chosen.cost += price;
        if (price < kForbidden) chosen.choices[s] = {static_cast<int>(c), back == 1};
        self(self, row + 1);
        chosen.choices[s] = {};
        taken[column] = 0, chosen.cost -= price;
      }
    };
    descend(descend, 0);
  }

  void by_place(int most) {
    std::vector<std::size_t> strokes(strokes_.size()), curves(curves_.size());
    std::iota(strokes.begin(), strokes.end(), 0), std::iota(curves.begin(), curves.end(), 0);
    std::vector<std::vector<std::array<double, 2>>> cost(strokes.size(),
                                                         std::vector<std::array<double, 2>>(curves.size()));
    for (const std::size_t s : strokes)
      for (const std::size_t c : curves)
        for (const int back : {0, 1})
          cost[s][c][back] = may_be(s, c, back == 1) ? plain_cost(s, c, back == 1) : kForbidden;
    enumerate(strokes, curves, cost, {std::vector<StrokeChoice>(strokes_.size()), 0}, most);
  }

  void with_trunk(std::size_t trunk, bool reversed, int most) {
    const std::vector<Vec2> trunk_line = turned_around(strokes_[trunk].points, reversed);
    std::vector<std::size_t> others, limbs;
    for (std::size_t s = 0; s < strokes_.size(); ++s)
      if (s != trunk) others.push_back(s);
    for (std::size_t c = 1; c < curves_.size(); ++c) limbs.push_back(c);
    std::vector<std::vector<std::array<double, 2>>> cost(others.size(),
                                                         std::vector<std::array<double, 2>>(limbs.size()));
    for (std::size_t c = 0; c < limbs.size(); ++c) {
      const std::size_t curve = limbs[c];
      const Root root = root_on(curves_[0].points, curves_[curve].points.front());
      const TrunkFrame frame = frame_at(trunk_line, root.share);
      const Vec2 across(-frame.along.y(), frame.along.x());
      const Vec2 begin = frame.at + root.offset.x() * frame.along + root.offset.y() * across;
      for (std::size_t k = 0; k < others.size(); ++k) {
        const std::size_t s = others[k];
        for (const int back : {0, 1}) {
          const Vec2 from = back == 1 ? strokes_[s].points.back() : strokes_[s].points.front();
          const double place =
              place_misfit(sampled_curves_[curve], turned_around(sampled_strokes_[s], back == 1), shift_);
          cost[k][c][back] = may_be(s, curve, back == 1)
                                 ? ((from - begin).squaredNorm() + 0.02 * place) / (size_ * size_) +
                                       0.3 * length_misfit(curves_[curve], lengths_[s])
                                 : kForbidden;
        }
      }
    }
    RankedChoices chosen{std::vector<StrokeChoice>(strokes_.size()), 0};
    chosen.cost = 0.3 * length_misfit(curves_[0], lengths_[trunk]) +
                  0.1 * place_misfit(sampled_curves_[0], turned_around(sampled_strokes_[trunk], reversed), shift_) /
                      (size_ * size_);
    chosen.choices[trunk] = {0, reversed};
    enumerate(others, limbs, cost, std::move(chosen), most);
  }

  std::span<const SeenCurve> curves_;
  std::span<const Stroke> strokes_;
  double size_;
  std::vector<std::vector<Vec2>> sampled_curves_, sampled_strokes_;
  std::vector<double> lengths_;
  std::vector<int> named_;  // of each stroke the curve that it names, or -1
  Vec2 shift_ = Vec2::Zero();
  std::vector<RankedChoices> found_;  // the cheapest first
};

}  // namespace

std::vector<RankedChoices> rank_assignments(std::span<const SeenCurve> curves, std::span<const Stroke> strokes,
                                            double size, int most) {
  return Assigner(curves, strokes, size).best(most);
}

std::vector<StrokeChoice> assign_strokes(std::span<const SeenCurve> curves, std::span<const Stroke> strokes,
                                         double size) {
  return rank_assignments(curves, strokes, size, 1).front().choices;
}

}  // namespace rigspace
