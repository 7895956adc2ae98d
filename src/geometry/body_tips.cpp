#include "rigspace/geometry/body_tips.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace rigspace {
namespace {

/// Sets of voxels that grow from maxima of d downwards.
class Limbs {
 public:
  Limbs(const SolidVoxels& voxels, const Vec& d, double least) : voxels_(voxels), d_(d), least_(least) {
    leader_.assign(voxels.count(), -1);
    length_.assign(voxels.count(), -1);
  }

  struct Found {
    int peak;
    double length;
  };

  std::vector<Found> find() {
    std::vector<int> order(voxels_.count());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return d_[a] > d_[b]; });
    for (const int v : order) {
      leader_[v] = v;
      for (const SolidVoxels::Link& link : voxels_.links(v))
        if (leader_[link.to] >= 0) meet(leader_of(link.to), leader_of(v), d_[v]);
    }
    std::vector<Found> found;
    for (int v = 0; v < voxels_.count(); ++v)
      if (length_[v] >= least_) found.push_back({v, length_[v]});
    if (found.empty()) found.push_back({order.front(), d_[order.front()]});
    std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.length > b.length; });
    return found;
  }

 private:
  int leader_of(int v) {
    while (leader_[v] != v) v = leader_[v] = leader_[leader_[v]];
    return v;
  }

  /// The leader of a set is its maximum. The lower maximum's limb ends here; so does the higher one's, if the other is
  /// a limb and none has ended it before.
  void meet(int a, int b, double level) {
    if (a == b) return;
    if (d_[a] < d_[b] || (d_[a] == d_[b] && a > b)) std::swap(a, b);
    const double lower = d_[b] - level;
    if (lower >= least_) {
      if (length_[b] < 0) length_[b] = lower;
      if (length_[a] < 0) length_[a] = d_[a] - level;
    }
    leader_[b] = a;
  }

  const SolidVoxels& voxels_;
  const Vec& d_;
  double least_;
  std::vector<int> leader_;
  std::vector<double> length_;  // of maxima whose limb has ended; else -1
};

/// The middle of the voxels around a level of d that hang together with a tip above it.
Vec3 middle_of_section(const SolidVoxels& voxels, const Vec& d, int peak, double level) {
  const double band = 1.5 * voxels.cell();
  std::vector<char> seen(voxels.count(), 0);
  std::vector<int> front = {peak};
  seen[peak] = 1;
  Vec3 sum = Vec3::Zero();
  int count = 0;
  while (!front.empty()) {
    const int v = front.back();
    front.pop_back();
    if (d[v] <= level + band) sum += voxels.center(v), ++count;
    for (const SolidVoxels::Link& link : voxels.links(v))
      if (seen[link.to] == 0 && d[link.to] >= level - band) seen[link.to] = 1, front.push_back(link.to);
  }
  return count > 0 ? Vec3(sum / count) : voxels.center(peak);
}

}  // namespace

BodyTips find_body_tips(const SolidVoxels& voxels, double least) {
  BodyTips result;
  for (int v = 0; v < voxels.count(); ++v) result.middle += voxels.center(v) / voxels.count();
  const Vec d = voxels.distances(std::array{std::pair{voxels.nearest(result.middle), 0.0}});
  const std::vector<Limbs::Found> found = Limbs(voxels, d, least * d.maxCoeff()).find();
  const auto count = static_cast<Eigen::Index>(found.size());
  result.between.resize(count, count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto& [peak, length] = found[static_cast<std::size_t>(k)];
    BodyTip tip{.position = middle_of_section(voxels, d, peak, d[peak]), .length = length, .from_middle = d[peak]};
    for (std::size_t s = 0; s < tip.middle.size(); ++s)
      tip.middle[s] = middle_of_section(voxels, d, peak, d[peak] - BodyTip::kShares[s] * length);
    result.tips.push_back(tip);
    const Vec from_tip = voxels.distances(std::array{std::pair{peak, 0.0}});
    for (Eigen::Index j = 0; j < count; ++j) result.between(k, j) = from_tip[found[static_cast<std::size_t>(j)].peak];
  }
  return result;
}

}  // namespace rigspace
