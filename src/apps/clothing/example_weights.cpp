#include "rigspace/apps/clothing/example_weights.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/optimize/nnls.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace rigspace {
namespace {

/// For each point the joints that may hold it, and the given weights of these.
std::vector<std::vector<Influence>> weight_candidates(const KinematicReference& reference,
                                                      std::span<const std::array<int, 3>> triangles, int most) {
  std::vector<std::map<int, double>> around(reference.point_count());
  for (int i = 0; i < reference.point_count(); ++i)
    for (const Influence& own : reference.weights()[i]) around[i][own.joint] += 100 * own.weight;
  for (const auto& t : triangles)
    for (int k = 0; k < 3; ++k)
      for (const int other : {t[(k + 1) % 3], t[(k + 2) % 3]})
        for (const Influence& own : reference.weights()[other]) around[t[k]][own.joint] += own.weight;
  std::vector<std::vector<Influence>> result(reference.point_count());
  for (int i = 0; i < reference.point_count(); ++i) {
    std::vector<Influence> ranked;
    for (const auto& [joint, weight] : around[i]) ranked.push_back({joint, weight});
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
    if (static_cast<int>(ranked.size()) > most) ranked.resize(most);
    std::sort(ranked.begin(), ranked.end(), [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
    for (Influence& candidate : ranked) {
      candidate.weight = 0;
      for (const Influence& own : reference.weights()[i])
        if (own.joint == candidate.joint) candidate.weight = own.weight;
    }
    result[i] = std::move(ranked);
  }
  return result;
}

struct PointFit {
  double before = 0, after = 0;  // squared distances, summed over examples
};

PointFit fit_point(const Vec3& rest, int i, std::span<const ClothExample> examples, double prior,
                   std::vector<Influence>& weights) {
  const auto count = static_cast<Eigen::Index>(weights.size());
  Mat A(3 * static_cast<Eigen::Index>(examples.size()), count);
  Vec b(A.rows()), given(count);
  for (std::size_t e = 0; e < examples.size(); ++e) {
    const auto at = static_cast<Eigen::Index>(3 * e);
    for (Eigen::Index k = 0; k < count; ++k)
      A.block<3, 1>(at, k) = apply(examples[e].C[weights[static_cast<std::size_t>(k)].joint], rest);
    b.segment<3>(at) = point(examples[e].x, i);
  }
  for (Eigen::Index k = 0; k < count; ++k) given[k] = weights[static_cast<std::size_t>(k)].weight;
  // Weights sum to one, so the mean of the candidates may be taken off: what is left is where they differ.
  const Vec mean = A.rowwise().mean();
  A.colwise() -= mean;
  b -= mean;
  const double held = prior * std::max(A.squaredNorm() / static_cast<double>(count), 1e-12);
  PointFit fit{.before = (A * given - b).squaredNorm()};
  Mat AtA = A.transpose() * A;
  AtA.diagonal().array() += held;
  const Vec x = nnls(AtA, A.transpose() * b + held * given, {.sum_to_one = true}).x;
  fit.after = (A * x - b).squaredNorm();
  for (Eigen::Index k = 0; k < count; ++k) weights[static_cast<std::size_t>(k)].weight = x[k] / x.sum();
  std::erase_if(weights, [](const Influence& own) { return own.weight <= 0; });
  return fit;
}

}  // namespace

void ExampleWeightOptions::validate() const {
  if (!(prior > 0) || most_influences < 1)
    throw Error({.code = ErrorCode::usage,
                 .element = "example weights",
                 .value = std::to_string(prior),
                 .problem = "have a prior of " + std::to_string(prior) + " and " + std::to_string(most_influences) +
                            " influences",
                 .remedy = "give a prior above 0 and at least one influence"});
}

ExampleWeights fit_example_weights(const KinematicReference& reference, std::span<const std::array<int, 3>> triangles,
                                   std::span<const ClothExample> examples, const ExampleWeightOptions& options) {
  options.validate();
  for (const ClothExample& example : examples)
    if (example.x.size() != reference.rest().size() || static_cast<int>(example.C.size()) != reference.joint_count())
      throw Error({.code = ErrorCode::usage,
                   .element = "an example",
                   .value = std::to_string(example.x.size() / 3),
                   .problem = "has " + std::to_string(example.x.size() / 3) + " points and " +
                              std::to_string(example.C.size()) + " joints",
                   .remedy = "expected " + std::to_string(reference.point_count()) + " and " +
                             std::to_string(reference.joint_count())});
  ExampleWeights result{.weights = weight_candidates(reference, triangles, options.most_influences)};
  std::vector<PointFit> fits(reference.point_count());
  parallel_ranges(reference.point_count(), 64, [&](int begin, int end) {
    for (int i = begin; i < end; ++i)
      fits[i] = fit_point(point(reference.rest(), i), i, examples, options.prior, result.weights[i]);
  });
  double before = 0, after = 0;
  for (const PointFit& fit : fits) before += fit.before, after += fit.after;
  const double samples = std::max(1.0, static_cast<double>(fits.size() * examples.size()));
  result.rms_before = std::sqrt(before / samples), result.rms_after = std::sqrt(after / samples);
  return result;
}

}  // namespace rigspace
