#include "rigspace/rig/weight_brush.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace rigspace {
namespace {

using List = std::vector<Influence>;

constexpr std::array<std::string_view, 3> kModeNames = {"add", "subtract", "smooth"};
constexpr double kDropBelow = 1e-4;  // weights that no picture shows

double weight_in(const List& list, int joint) {
  for (const Influence& each : list)
    if (each.joint == joint) return each.weight;
  return 0;
}

/// The mean of other lists, as weights by joint.
std::map<int, double> mean_of(const std::vector<const List*>& lists) {
  std::map<int, double> mean;
  for (const List* list : lists)
    for (const Influence& each : *list) mean[each.joint] += each.weight / static_cast<double>(lists.size());
  return mean;
}

/// The largest weights, `held` among them whatever it has, scaled to sum 1; joints ascending.
List tidied(const std::map<int, double>& weights, std::size_t most, int held) {
  List list;
  for (const auto& [joint, weight] : weights)
    if (weight > kDropBelow) list.push_back({joint, weight});
  if (list.size() > most) {
    std::stable_sort(list.begin(), list.end(), [held](const Influence& a, const Influence& b) {
      return (a.joint == held) != (b.joint == held) ? a.joint == held : a.weight > b.weight;
    });
    list.resize(most);
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.joint < b.joint; });
  }
  double sum = 0;
  for (const Influence& each : list) sum += each.weight;
  for (Influence& each : list) each.weight /= sum;
  return list;
}

bool equal(const List& a, const List& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Influence& one, const Influence& other) {
    return one.joint == other.joint && one.weight == other.weight;
  });
}

/// The list after a touch with share t. `neighbours`: lists of the places around.
std::map<int, double> touched_list(const Dab& dab, double t, const List& list,
                                   const std::vector<const List*>& neighbours) {
  std::map<int, double> w;
  for (const Influence& each : list) w[each.joint] = each.weight;
  if (dab.mode == BrushMode::smooth) {
    if (neighbours.empty()) return w;
    for (auto& [joint, weight] : w) weight *= 1 - t;
    for (const auto& [joint, weight] : mean_of(neighbours)) w[joint] += t * weight;
    return w;
  }
  const double own = weight_in(list, dab.joint);
  const double wanted = dab.mode == BrushMode::add ? own + t * (1 - own) : (1 - t) * own;
  if (own < 1) {
    for (auto& [joint, weight] : w) weight *= (1 - wanted) / (1 - own);
    w[dab.joint] = wanted;
    return w;
  }
  if (dab.mode == BrushMode::add) return w;
  std::map<int, double> others = mean_of(neighbours);
  others.erase(dab.joint);
  double sum = 0;
  for (const auto& [joint, weight] : others) sum += weight;
  if (!(sum > 0)) return w;  // nothing could take over
  for (const auto& [joint, weight] : others) w[joint] = (1 - wanted) * weight / sum;
  w[dab.joint] = wanted;
  return w;
}

}  // namespace

std::string_view name(BrushMode mode) { return kModeNames[static_cast<std::size_t>(mode)]; }

BrushMode brush_mode(std::string_view name) {
  const auto found = std::find(kModeNames.begin(), kModeNames.end(), name);
  if (found == kModeNames.end())
    throw Error({.code = ErrorCode::usage,
                 .element = "brush \"" + std::string(name) + "\"",
                 .value = std::string(name),
                 .problem = "is not known",
                 .remedy = "take add, subtract or smooth"});
  return static_cast<BrushMode>(found - kModeNames.begin());
}

WeightBrush::WeightBrush(const TriMesh& mesh, int most) : most_(most) {
  require_option(most >= 1, "number of weights that a point keeps", most, "give 1 or more");
  Weld welded = weld(mesh);
  place_ = std::move(welded.point);
  const auto places = static_cast<std::size_t>(welded.mesh.point_count());
  members_.resize(places), beside_.resize(places);
  for (std::size_t i = 0; i < place_.size(); ++i) members_[place_[i]].push_back(static_cast<int>(i));
  for (std::size_t k = 0; k < places; ++k) at_.emplace_back(point(welded.mesh.points, static_cast<int>(k)));
  for (const auto& [a, b] : edge_table(welded.mesh).edges) beside_[a].push_back(b), beside_[b].push_back(a);
}

/// A flood over edges, as far as the radius.
std::vector<WeightBrush::Touched> WeightBrush::touched(int point, double radius) const {
  const int middle = place_[point];
  std::vector<Touched> found;
  std::map<int, bool> seen{{middle, true}};
  std::vector<int> next{middle};
  while (!next.empty()) {
    const int k = next.back();
    next.pop_back();
    const double x = (at_[k] - at_[middle]).squaredNorm() / (radius * radius);
    if (x >= 1) continue;
    found.push_back({k, (1 - x) * (1 - x)});
    for (const int other : beside_[k])
      if (seen.emplace(other, true).second) next.push_back(other);
  }
  return found;
}

std::vector<Repainted> WeightBrush::apply(const Dab& dab, std::span<List> influences) const {
  require_option(dab.radius > 0, "radius of the brush", dab.radius, "give more than 0");
  require_option(dab.strength >= 0 && dab.strength <= 1, "strength of the brush", dab.strength, "give 0 to 1");
  if (influences.size() != place_.size() || dab.point < 0 || dab.point >= std::ssize(place_))
    throw Error({.code = ErrorCode::usage,
                 .element = "the brush",
                 .value = std::to_string(dab.point),
                 .problem = "is not on this mesh",
                 .remedy = "give a point of it, and one list of weights per point"});
  std::vector<std::pair<int, List>> changed;  // all from what was before
  for (const auto& [place, share] : touched(dab.point, dab.radius)) {
    const List& list = influences[members_[place].front()];
    if (list.empty()) continue;
    std::vector<const List*> neighbours;
    for (const int other : beside_[place])
      if (const List& its = influences[members_[other].front()]; !its.empty()) neighbours.push_back(&its);
    const auto most = std::max(list.size(), static_cast<std::size_t>(most_));
    List next = tidied(touched_list(dab, share * dab.strength, list, neighbours), most,
                       dab.mode == BrushMode::add ? dab.joint : -1);
    if (!equal(next, list)) changed.emplace_back(place, std::move(next));
  }
  std::vector<Repainted> points;
  for (const auto& [place, list] : changed)
    for (const int i : members_[place])
      if (!influences[i].empty()) points.push_back({i, std::exchange(influences[i], list)});
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.point < b.point; });
  return points;
}

}  // namespace rigspace
