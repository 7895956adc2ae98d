#include "rigspace/reduce/volumetric_skinning.h"

#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "volumetric_skinning_fit.h"
#include "volumetric_skinning_sweeps.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <optional>
#include <queue>

namespace rigspace {
namespace {

constexpr double kFarthest = 6;  // in a direction, candidates are at most so many times as far as the nearest skin node
constexpr int kMoreCandidates = 3;  // factor on the number of candidates in the second step of a repair
constexpr double kNothing = 1e-6;   // a node is not trained if all displacements are below this share of tau_res

/// Dijkstra's search along edges of tetrahedra from a node; of nodes equally far the lower number first. Calls
/// found(skin node, distance) for each skin node, nearest first, until that returns false.
template <class Found>
void march(const RigBody& body, const NodeAdjacency& edges, int from, Found&& found) {
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> front;
  thread_local std::vector<double> distance;
  thread_local std::vector<int> touched;
  distance.resize(static_cast<std::size_t>(body.node_count()), std::numeric_limits<double>::infinity());
  const auto reach = [&](int node, double d) {
    if (!(d < distance[node])) return;
    if (std::isinf(distance[node])) touched.push_back(node);
    distance[node] = d;
    front.emplace(d, node);
  };
  reach(from, 0);
  while (!front.empty()) {
    const auto [d, node] = front.top();
    front.pop();
    if (d > distance[node]) continue;
    if (body.skin[node] && !found(node, d)) break;
    for (int e = edges.start[node]; e < edges.start[node + 1]; ++e) {
      const int other = edges.neighbours[e];
      reach(other, d + (point(body.mesh.points, other) - point(body.mesh.points, node)).norm());
    }
  }
  for (const int node : touched) distance[node] = std::numeric_limits<double>::infinity();
  touched.clear();
}

std::vector<int> nearest_from(const RigBody& body, const NodeAdjacency& edges, int from, int count) {
  std::vector<int> nearest;
  march(body, edges, from, [&](int node, double) {
    nearest.push_back(node);
    return static_cast<int>(nearest.size()) < count;
  });
  return nearest;
}

/// `count` unit vectors spread evenly over the sphere, on a golden-angle spiral.
std::vector<Vec3> directions(int count) {
  std::vector<Vec3> all;
  for (int k = 0; k < count; ++k) {
    const double y = 1 - (2 * k + 1.0) / count, turn = k * std::numbers::pi * (3 - std::sqrt(5.0));
    all.emplace_back(std::sqrt(1 - y * y) * std::cos(turn), y, std::sqrt(1 - y * y) * std::sin(turn));
  }
  return all;
}

/// The `nearest` skin nodes, and then, for each of `around` directions without a skin node so far, the nearest skin
/// node whose direction is closest to it.
std::vector<int> candidates_of(const RigBody& body, const NodeAdjacency& edges, int from, int nearest, int around) {
  if (around == 0) return nearest_from(body, edges, from, nearest);
  const std::vector<Vec3> toward = directions(around);
  std::vector<int> found;
  std::vector<char> taken(toward.size(), 0);
  double first = 0;
  march(body, edges, from, [&](int node, double d) {
    if (found.empty()) first = d;
    if (static_cast<int>(found.size()) >= nearest && d > kFarthest * first) return false;
    const Vec3 way = point(body.mesh.points, node) - point(body.mesh.points, from);
    int best = 0;
    for (int k = 1; k < around; ++k)
      if (toward[k].dot(way) > toward[best].dot(way)) best = k;
    if (static_cast<int>(found.size()) < nearest || !taken[best]) {
      found.push_back(node);
      taken[best] = 1;
    }
    return static_cast<int>(found.size()) < nearest + around;
  });
  return found;
}

/// The `count` largest positive weights, scaled to sum 1.
PointWeights largest(PointWeights weights, int count) {
  std::erase_if(weights, [](const auto& each) { return !(each.second > 0); });
  std::stable_sort(weights.begin(), weights.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  if (static_cast<int>(weights.size()) > count) weights.resize(static_cast<std::size_t>(count));
  double sum = 0;
  for (const auto& [node, weight] : weights) sum += weight;
  for (auto& [node, weight] : weights) weight /= sum;
  std::sort(weights.begin(), weights.end());
  return weights;
}

Vec origin_of(const ExamplePose& example, InteriorSkinForm form) {
  return form == InteriorSkinForm::keyed ? example.x_key : Vec(Vec::Zero(example.x.size()));
}

double volume_at(In x, const Tet& tet) {
  return tet_volume(point(x, tet[0]), point(x, tet[1]), point(x, tet[2]), point(x, tet[3]));
}

/// Elements that are inverted in `carried`, the nodes that the weights give, but neither in the example nor in its
/// keyed pose.
std::vector<int> turned_over(const RigBody& body, const ExamplePose& example, In carried) {
  std::vector<int> tets;
  for (int t = 0; t < body.mesh.tet_count(); ++t) {
    const Tet& tet = body.mesh.tets[t];
    if (volume_at(carried, tet) <= 0 && volume_at(example.x, tet) > 0 && volume_at(example.x_key, tet) > 0)
      tets.push_back(t);
  }
  return tets;
}

class Skinner {
 public:
  Skinner(const RigBody& body, std::span<const ExamplePose> examples, const InteriorSkinOptions& options)
      : body_(body), examples_(examples), options_(options), edges_(node_adjacency(body.mesh)) {
    tolerance_ = options.residual_share * bounding_box(body.mesh.points).diagonal();
    if (options.method == InteriorSkinMethod::harmonic) return;
    // Displacements: a column a node, three rows an example.
    moves_.resize(3 * static_cast<Eigen::Index>(examples.size()), body.node_count());
    for (std::size_t e = 0; e < examples.size(); ++e) {
      const Vec d = examples[e].x - origin_of(examples[e], options.form);
      for (int i = 0; i < body.node_count(); ++i)
        moves_.col(i).segment<3>(3 * static_cast<Eigen::Index>(e)) = point(d, i);
    }
  }

  double tolerance() const { return tolerance_; }

  /// sparse: by the method of the options; all: non-negative least squares over all candidates; more: the same over
  /// kMoreCandidates times as many.
  enum class Care { sparse, all, more };

  /// The weights of an interior node; empty if it has no candidates or nothing moves in the examples.
  PointWeights fit(int node, Care care) const {
    const std::vector<int> candidates = this->candidates(node, care == Care::more ? kMoreCandidates : 1);
    if (candidates.empty() || examples_.empty()) return {};
    const double most =
        std::max(moves_(Eigen::all, candidates).cwiseAbs().maxCoeff(), moves_.col(node).cwiseAbs().maxCoeff());
    if (options_.form == InteriorSkinForm::keyed && most <= kNothing * tolerance_) return {};
    // Since weights sum to 1, sum w_k m_k - m_i = sum w_k (m_k - m_i): fitting the differences loses no digits.
    const WeightFit fit(moves_(Eigen::all, candidates).colwise() - moves_.col(node), Vec::Zero(moves_.rows()));
    const SparseWeights found = care != Care::sparse || options_.method == InteriorSkinMethod::nnls ? fit.solve()
                                : options_.method == InteriorSkinMethod::algorithm4
                                    ? fit.algorithm4(tolerance_, options_.residual_ratio)
                                    : fit.eliminate(tolerance_, options_.residual_ratio);
    PointWeights weights;
    for (std::size_t k = 0; k < found.columns.size(); ++k)
      weights.emplace_back(candidates[found.columns[k]], found.weights[static_cast<Eigen::Index>(k)]);
    std::sort(weights.begin(), weights.end());
    return weights;
  }

  std::vector<int> candidates(int node, int times = 1) const {
    return candidates_of(body_, edges_, node, times * options_.candidates, times * options_.around);
  }

  /// The first half of the sweeps fits weights of all candidates, the second half those of the carriers found so far.
  /// Nodes that are not trained keep their weights.
  void sweep(CarrierWeights& weights, const std::vector<char>& trained) const {
    SkinSweeps sweeps(body_, examples_, edges_, options_.poisson);
    for (int round = 0; round < options_.sweeps; ++round)
      sweeps.run(moves_, weights, [&](int node) -> std::vector<int> {
        if (!trained[node]) return {};
        if (2 * round < options_.sweeps) return candidates(node);
        std::vector<int> own;
        for (const auto& [carrier, weight] : weights[node]) own.push_back(carrier);
        return own;
      });
  }

  double rms_move(int node) const {
    return options_.form == InteriorSkinForm::absolute
               ? std::numeric_limits<double>::infinity()
               : std::sqrt(3 * moves_.col(node).squaredNorm() /
                           static_cast<double>(std::max<Eigen::Index>(3, moves_.rows())));
  }

  PointWeights harmonic(int node) {
    if (!harmonic_) harmonic_ = harmonic_weights(body_.mesh, body_.skin);
    const PointWeights& weights = (*harmonic_)[node];
    return options_.method == InteriorSkinMethod::harmonic ? weights
                                                           : largest(weights, options_.candidates + options_.around);
  }

 private:
  const RigBody& body_;
  std::span<const ExamplePose> examples_;
  const InteriorSkinOptions& options_;
  NodeAdjacency edges_;
  double tolerance_ = 0;
  Mat moves_;
  std::optional<CarrierWeights> harmonic_;
};

/// Interior nodes of elements that the weights invert in some example, ascending. `elements`: the number of such
/// elements, summed over the examples.
std::vector<int> suffering(const RigBody& body, std::span<const ExamplePose> examples, const CarrierWeights& weights,
                           InteriorSkinForm form, int& elements) {
  std::vector<std::vector<int>> tets(examples.size());
  parallel_ranges(static_cast<int>(examples.size()), 1, [&](int begin, int end) {
    for (int e = begin; e < end; ++e) {
      Vec x = examples[e].x;
      carry_interior(weights, origin_of(examples[e], form), x);
      tets[e] = turned_over(body, examples[e], x);
    }
  });
  elements = 0;
  std::vector<char> marked(static_cast<std::size_t>(body.node_count()), 0);
  for (const std::vector<int>& of_example : tets) {
    elements += static_cast<int>(of_example.size());
    for (const int t : of_example)
      for (const int node : body.mesh.tets[t]) marked[node] = !body.skin[node];
  }
  std::vector<int> nodes;
  for (int i = 0; i < body.node_count(); ++i)
    if (marked[i]) nodes.push_back(i);
  return nodes;
}

/// Up to four rounds. In each, every node of an inverted element goes one step further: weights of all candidates, of
/// three times as many, harmonic weights. The weights of the round with the fewest inverted elements are kept.
void repair(Skinner& skinner, const RigBody& body, std::span<const ExamplePose> examples,
            const InteriorSkinOptions& options, SkinnedInterior& skinned) {
  InteriorSkinReport& report = skinned.report;
  CarrierWeights weights = skinned.weights;
  std::vector<int> level(weights.size(), 0), best_level = level;
  std::vector<int> nodes = suffering(body, examples, weights, options.form, report.inverted);
  report.inverted_left = report.inverted;
  for (int round = 0; round < 4 && options.repair && !nodes.empty(); ++round) {
    for (const int node : nodes) {
      const int step = ++level[node];
      PointWeights other;
      if (step <= 2) other = skinner.fit(node, step == 1 ? Skinner::Care::all : Skinner::Care::more);
      weights[node] = other.empty() ? skinner.harmonic(node) : std::move(other);
    }
    int left = 0;
    nodes = suffering(body, examples, weights, options.form, left);
    if (left >= report.inverted_left) continue;
    report.inverted_left = left;
    skinned.weights = weights, best_level = level;
  }
  for (const int step : best_level) report.repaired += step > 0, report.repaired_harmonic += step > 2;
}

}  // namespace

void InteriorSkinOptions::validate() const {
  require_option(candidates >= 1, "number of candidates", candidates, "expected at least 1");
  require_option(around >= 0, "number of directions", around, "expected at least 0");
  require_option(sweeps >= 0, "number of sweeps", sweeps, "expected at least 0");
  require_option(poisson >= 0 && poisson < 0.5, "Poisson's ratio", poisson, "expected at least 0, below 0.5");
  require_option(residual_share >= 0, "residual share", residual_share, "expected at least 0");
  require_option(residual_ratio >= 1, "residual ratio", residual_ratio, "expected at least 1");
}

std::vector<std::vector<int>> nearest_skin(const RigBody& body, int count) {
  const NodeAdjacency edges = node_adjacency(body.mesh);
  std::vector<std::vector<int>> nearest(static_cast<std::size_t>(body.node_count()));
  parallel_ranges(body.node_count(), 32, [&](int begin, int end) {
    for (int i = begin; i < end; ++i)
      if (!body.skin[i]) nearest[i] = nearest_from(body, edges, i, count);
  });
  return nearest;
}

void carry_interior(const CarrierWeights& weights, In x_key, Vec& x) {
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i].size() == 1 && weights[i].front().first == static_cast<int>(i)) continue;
    Vec3 place = point(x_key, static_cast<int>(i));
    for (const auto& [node, weight] : weights[i]) place += weight * (point(x, node) - point(x_key, node));
    point(x, static_cast<int>(i)) = place;
  }
}

InteriorSkinError skinning_error(const RigBody& body, std::span<const ExamplePose> examples,
                                 const CarrierWeights& weights, InteriorSkinForm form) {
  std::vector<InteriorSkinError> each(examples.size());
  parallel_ranges(static_cast<int>(examples.size()), 1, [&](int begin, int end) {
    for (int e = begin; e < end; ++e) {
      Vec x = examples[e].x;
      carry_interior(weights, origin_of(examples[e], form), x);
      for (int i = 0; i < body.node_count(); ++i) {
        if (body.skin[i]) continue;
        const double distance = (point(x, i) - point(examples[e].x, i)).norm();
        each[e].rms += distance * distance;
        each[e].worst = std::max(each[e].worst, distance);
      }
      each[e].inverted = static_cast<int>(turned_over(body, examples[e], x).size());
    }
  });
  InteriorSkinError all;
  for (const InteriorSkinError& one : each) {
    all.rms += one.rms, all.inverted += one.inverted;
    all.worst = std::max(all.worst, one.worst);
  }
  const double count = static_cast<double>(body.node_count() - body.skin_count()) * static_cast<double>(each.size());
  all.rms = count > 0 ? std::sqrt(all.rms / count) : 0;
  return all;
}

SkinnedInterior skin_interior(const RigBody& body, std::span<const ExamplePose> examples,
                              const InteriorSkinOptions& options, const ProgressCallback& progress) {
  options.validate();
  Skinner skinner(body, examples, options);
  SkinnedInterior skinned;
  skinned.weights.resize(static_cast<std::size_t>(body.node_count()));
  std::vector<int> inside;
  for (int i = 0; i < body.node_count(); ++i) {
    skinned.weights[i] = {{i, 1.0}};
    if (!body.skin[i]) inside.push_back(i);
  }
  const int count = static_cast<int>(inside.size()), block = 128 * thread_count();
  const bool trained = options.method != InteriorSkinMethod::harmonic;
  for (int first = 0; first < count && trained; first += block) {
    report(progress, "skinning the inside", static_cast<double>(first) / count);
    parallel_ranges(std::min(block, count - first), 8, [&](int begin, int end) {
      for (int k = first + begin; k < first + end; ++k)
        skinned.weights[inside[k]] = skinner.fit(inside[k], Skinner::Care::sparse);
    });
  }
  InteriorSkinReport& result = skinned.report;
  result.nodes = count, result.tolerance = skinner.tolerance();
  std::vector<char> learned(skinned.weights.size(), 0);
  for (const int node : inside) {
    learned[node] = trained && !skinned.weights[node].empty();
    if (learned[node]) continue;
    skinned.weights[node] = skinner.harmonic(node);
    ++result.untrained;
  }
  if (trained && !examples.empty()) skinner.sweep(skinned.weights, learned);
  if (trained) repair(skinner, body, examples, options, skinned);
  for (const int node : inside) {
    const int carriers = static_cast<int>(skinned.weights[node].size());
    result.mean_carriers += static_cast<double>(carriers) / count;
    result.most_carriers = std::max(result.most_carriers, carriers);
    if (!trained || !(skinner.rms_move(node) > result.tolerance)) continue;
    ++result.moved;
    result.mean_carriers_moved += carriers;
  }
  if (result.moved > 0) result.mean_carriers_moved /= result.moved;
  const InteriorSkinError error = skinning_error(body, examples, skinned.weights, options.form);
  result.rms_error = error.rms, result.worst_error = error.worst;
  if (!trained) result.inverted = result.inverted_left = error.inverted;
  report(progress, "skinning the inside", 1);
  return skinned;
}

}  // namespace rigspace
