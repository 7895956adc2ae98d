#include "tip_matching.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr std::size_t kBeam = 400;
constexpr double kAlone = 0.6;      // cost of a tip without partner, the longest one
constexpr double kPosed = 0.3;      // the most that places cost: limbs are posed freely
constexpr double kOtherSide = 0.6;  // cost of left on right, and of either on the middle
constexpr double kCenter = 0.06;    // tips nearer to the middle plane are on no side
constexpr double kWays = 0.5;       // weight of ways to all other tips, their mean

double squared(double x) { return x * x; }

double pair_cost(const PlacedTips& a, int i, const PlacedTips& b, int j) {
  const Vec3 d = a.position[i] - b.position[j];
  double cost = d.squaredNorm() / (1 + d.squaredNorm() / kPosed) + 0.5 * squared(a.from_middle[i] - b.from_middle[j]);
  cost += 0.1 * squared(std::log(a.length[i] / b.length[j]));
  const double x = a.position[i].x(), y = b.position[j].x();
  if (std::abs(x) > kCenter && std::abs(y) > kCenter && x * y < 0) cost += kOtherSide;
  if (std::min(std::abs(x), std::abs(y)) < kCenter && std::max(std::abs(x), std::abs(y)) > 2.5 * kCenter)
    cost += kOtherSide;
  return cost;
}

struct Partial {
  std::vector<int> partner;  // of the first tips of a; -1: none
  double cost = 0;
};

}  // namespace

PlacedTips placed_tips(const BodyTips& tips, const Mat3& facing, double low, double size) {
  PlacedTips placed;
  const auto count = static_cast<Eigen::Index>(tips.tips.size());
  placed.length.resize(count), placed.from_middle.resize(count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const BodyTip& tip = tips.tips[static_cast<std::size_t>(k)];
    Vec3 x = facing * (tip.position - tips.middle);
    x.y() = tip.position.y() - low;
    placed.position.emplace_back(x / size);
    placed.length[k] = tip.length / size, placed.from_middle[k] = tip.from_middle / size;
  }
  placed.between = tips.between / size;
  return placed;
}

TipMatch match_tips(const PlacedTips& a, const PlacedTips& b) {
  const int n = static_cast<int>(a.position.size()), m = static_cast<int>(b.position.size());
  const double ways = kWays / std::max(1, std::min(n, m) - 1);
  const double longest_a = a.length.maxCoeff(), longest_b = b.length.maxCoeff();
  std::vector<Partial> beam(1);
  for (int i = 0; i < n; ++i) {
    std::vector<Partial> next;
    for (const Partial& before : beam) {
      for (int j = -1; j < m; ++j) {
        Partial grown = before;
        if (j >= 0 && std::find(before.partner.begin(), before.partner.end(), j) != before.partner.end()) continue;
        if (j < 0) grown.cost += kAlone * a.length[i] / longest_a;
        if (j >= 0) grown.cost += pair_cost(a, i, b, j);
        for (int k = 0; j >= 0 && k < i; ++k)
          if (before.partner[k] >= 0) grown.cost += ways * squared(a.between(i, k) - b.between(j, before.partner[k]));
        grown.partner.push_back(j);
        next.push_back(std::move(grown));
      }
    }
    std::stable_sort(next.begin(), next.end(), [](const Partial& x, const Partial& y) { return x.cost < y.cost; });
    if (next.size() > kBeam) next.resize(kBeam);
    beam = std::move(next);
  }
  TipMatch best{.pairs = {}, .cost = 1e300};
  for (Partial& each : beam) {
    for (int j = 0; j < m; ++j)
      if (std::find(each.partner.begin(), each.partner.end(), j) == each.partner.end())
        each.cost += kAlone * b.length[j] / longest_b;
    if (each.cost >= best.cost) continue;
    best = {.pairs = {}, .cost = each.cost};
    for (int i = 0; i < n; ++i)
      if (each.partner[i] >= 0) best.pairs.emplace_back(i, each.partner[i]);
  }
  return best;
}

}  // namespace rigspace
