// Tolerances of groups: the error allowed on the surface, shared out among the groups of a clip.
#include "key_fitting_clip.h"
#include "rigspace/base/parallel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rigspace::detail {
namespace {

constexpr double kOrder =
    0.25;  // keys ~ tolerance^-1/4: the error of a cubic grows with the fourth power of its length

/// The errors on the surface with the present tolerances.
struct Model {
  Vec now;   ///< tolerances, by group
  Vec keys;  ///< that can go, by group
  Mat use;   ///< groups x points: what each takes of what is allowed at each point; a point within it has a sum below 1
  double most = 0;  ///< the largest error, of what is allowed
};

/// A point feels  sum_g motion_gv tau_g  if all groups err at once. It felt the error it has: that is its share of it,
/// and is taken to stay so.
Model make_model(const ClipFit& fit, const SurfaceGauge& gauge, const Mat& motion, double allowed) {
  constexpr double kLeast = 0.02;  // a point that happens to feel less will feel more with the next keys
  Model model{.now = Eigen::Map<const Vec>(fit.tolerances().data(), fit.size()), .keys = Vec(fit.size())};
  for (int g = 0; g < fit.size(); ++g) model.keys[g] = std::max(0.5, fit.keys(g) - 2.0);
  const Vec errors = gauge.errors_by_point(fit.animation()), worst = motion.transpose() * model.now;
  model.most = errors.maxCoeff() / allowed;
  model.use = model.now.asDiagonal() * motion;
  for (int v = 0; v < errors.size(); ++v)
    if (worst[v] > 0) model.use.col(v) *= std::max(errors[v] / worst[v], kLeast) / allowed;
  return model;
}

/// Factors f of the tolerances, for the fewest keys under the model:
///   minimise  sum_g keys_g f_g^-1/4   subject to   sum_g use_gv f_g <= 1  at each point v.
/// Convex. With multipliers l_v the derivative by f_g vanishes at  f_g^-5/4 = 4 sum_v l_v use_gv / keys_g;  multipliers
/// grow where a point is over its bound and fade where it is under.
Vec fewest_keys(const Model& model, const Range& limits) {
  constexpr int kRounds = 300;
  constexpr double kPace = 0.3;
  const double points = static_cast<double>(model.use.cols());
  Vec multipliers = Vec::Constant(model.use.cols(), kOrder * model.keys.sum() / points), factors = model.now;
  for (int round = 0; round < kRounds; ++round) {
    const Vec price = model.use * multipliers;
    for (int g = 0; g < factors.size(); ++g) {
      const double free = price[g] > 0 ? std::pow(kOrder * model.keys[g] / price[g], 1 / (1 + kOrder)) : limits.high;
      factors[g] = std::clamp(free, limits.low, limits.high);
    }
    const Vec load = model.use.transpose() * factors;
    multipliers.array() *= load.array().max(1e-6).pow(kPace);
  }
  return factors;
}

void set_tolerances(ClipFit& fit, const Vec& tolerances) {
  for (int g = 0; g < fit.size(); ++g) fit.set_tolerance(g, tolerances[g]);
}

}  // namespace

void share_tolerances(ClipFit& fit, const SurfaceGauge& gauge, const Sensitivity& sensitivity, double allowed) {
  constexpr int kRounds = 5;
  const Mat motion = fit.motion(sensitivity);
  for (int round = 0; round < kRounds; ++round) {
    fit.refit(Effort::draft);
    const Model model = make_model(fit, gauge, motion, allowed);
    set_tolerances(fit, fewest_keys(model, {0.125, 8}).cwiseProduct(model.now));
  }
}

void tighten_tolerances(ClipFit& fit, const SurfaceGauge& gauge, const Sensitivity& sensitivity, double allowed) {
  constexpr int kRounds = 8;
  constexpr double kAim = 0.95;  // of what is allowed, where less is needed
  const Mat motion = fit.motion(sensitivity);
  for (int round = 0; round < kRounds; ++round) {
    fit.refit(Effort::usual);
    Model model = make_model(fit, gauge, motion, kAim * allowed);
    if (kAim * model.most <= 1) return;
    const Vec load = model.use.colwise().sum();
    for (int v = 0; v < load.size(); ++v)
      if (kAim * load[v] <= 1) model.use.col(v) *= 0.5 / std::max(0.5, load[v]);  // no reason to change it
    set_tolerances(fit, fewest_keys(model, {0.25, 1}).cwiseProduct(model.now));
  }
  // Far from the model: all together, until a key at every frame is all that can be done.
  for (double factor = 0.5; factor > 1e-6 && !gauge.within(fit.animation(), allowed); factor /= 2) {
    set_tolerances(fit, 0.5 * Eigen::Map<const Vec>(fit.tolerances().data(), fit.size()));
    fit.refit(Effort::usual);
  }
}

void relax_groups(ClipFit& fit, const SurfaceGauge& gauge, double allowed, double factor) {
  std::vector<ClipFit::Saved> larger(fit.size());
  rigspace::parallel_ranges(fit.size(), 1, [&](int begin, int end) {
    for (int g = begin; g < end; ++g)
      larger[g] = fit.keys(g) > 2 ? fit.fitted(g, factor * fit.tolerances()[g], Effort::usual) : fit.save(g);
  });
  const auto saved = [&](int g) { return fit.keys(g) - larger[g].keys(); };
  std::vector<int> order(fit.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return saved(a) > saved(b); });
  for (const int g : order) {
    if (saved(g) <= 0) return;
    const ClipFit::Saved before = fit.save(g);
    fit.restore(g, larger[g]);
    if (!gauge.within(fit.animation(), allowed)) fit.restore(g, before);
  }
}

}  // namespace rigspace::detail
