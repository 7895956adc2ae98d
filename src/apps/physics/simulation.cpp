#include "rigspace/apps/physics/simulation.h"

#include "chain_solver.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kLeastSwing = 5 * std::numbers::pi / 180, kMostSwing = 20 * std::numbers::pi / 180;
constexpr int kMostTries = 6;
constexpr double kMostAmount = 2;

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Rate from size (ART.md), k sqrt(g / l) / 2 pi, and the settling time of the preset's damping ratio.
void derive_look(Chain& chain, const SimulationOptions& options) {
  if (chain.look.rate == 0)
    chain.look.rate =
        chain.preset->rate_factor * std::sqrt(9.81 / (chain.length * options.metres_per_unit)) / (2 * std::numbers::pi);
  if (chain.look.settle == 0)
    chain.look.settle = 3 / (chain.preset->damping_ratio * 2 * std::numbers::pi * chain.look.rate);
}

/// Ends of a loop meet exactly: the gap, which is below the loop's tolerance, is spread over the cycle.
void close_loop(SoftMotion& motion) {
  const Eigen::Index last = motion.deviation.cols() - 1;
  const Vec gap = motion.deviation.col(last) - motion.deviation.col(0);
  for (Eigen::Index k = 0; k <= last; ++k)
    motion.deviation.col(k) -= (static_cast<double>(k) / static_cast<double>(last)) * gap;
  motion.deviation.col(last) = motion.deviation.col(0);
}

}  // namespace

void SimulationOptions::validate() const {
  const auto require = [](bool ok, const char* element, double value, const char* remedy) {
    if (!ok)
      throw Error({.code = ErrorCode::usage,
                   .element = element,
                   .value = std::to_string(value),
                   .problem = "is " + std::to_string(value),
                   .remedy = remedy});
  };
  require(step > 1e-5 && step <= 0.1, "physics step", step, "expected 0.00001 to 0.1 s");
  require(metres_per_unit > 0 && std::isfinite(metres_per_unit), "metres per unit", metres_per_unit,
          "expected a positive number");
  require(max_cycles >= 1, "number of cycles", max_cycles, "expected at least 1");
}

SoftMotion simulate_parts(const Character& character, const Animation* clip, std::span<const Part> parts,
                            const SimulationOptions& options, const ProgressCallback& progress) {
  options.validate();
  if (dynamic_cast<const BuiltInRig*>(character.rig.get()) == nullptr)
    throw Error({.file = character.name,
                 .problem = "is no built-in rig",
                 .remedy = "its joints cannot be simulated as chains"});
  const std::vector<Part> chains(parts.begin(), parts.end());
  if (chains.empty())
    throw Error(
        {.file = character.name, .problem = "has no chain to simulate", .remedy = "name one: --part 'tail*=tail'"});

  ChainSolver solver(character, clip, chains, options);
  solver.key().set_cyclic(solver.key().loops());
  for (Chain& chain : solver.chains()) derive_look(chain, options);
  SoftMotion motion;
  std::vector<std::vector<double>> angles(chains.size());
  for (int attempt = 0; attempt < kMostTries; ++attempt) {
    motion = solver.run(progress, attempt / static_cast<double>(kMostTries), (attempt + 1.0) / kMostTries);
    bool again = false;
    for (std::size_t c = 0; c < chains.size(); ++c) {
      Chain& chain = solver.chains()[c];
      angles[c] = solver.swings(motion, chain);
      const double swing = percentile(angles[c], 0.95);
      // Amplitude wins: where nobody asked for a rate, it rises until the tips stay within 20 degrees; and the lag,
      // which does not depend on the rate, falls with it.
      if (swing > kMostSwing && chains[c].look.rate == 0 && attempt + 1 < kMostTries) {
        chain.look.rate *= std::clamp(std::sqrt(swing / (0.9 * kMostSwing)), 1.1, 2.0);
        if (chains[c].look.lag == chain.preset->lag) chain.look.lag *= 0.6;
        if (chains[c].look.settle == 0) chain.look.settle = 0, derive_look(chain, options);
        again = true;
      }
    }
    if (!again) break;
  }
  for (std::size_t c = 0; c < chains.size(); ++c) {
    Chain& chain = solver.chains()[c];
    const double swing = percentile(angles[c], 0.95);
    if (swing > 0 && swing < kLeastSwing && chains[c].look.amount == 1)
      chain.look.amount = std::min(kMostAmount, kLeastSwing / swing);
    for (const int column : chain.columns) motion.deviation.row(column) *= chain.look.amount;
    const auto largest = std::max_element(angles[c].begin(), angles[c].end());
    motion.parts.push_back({.length = chain.length * options.metres_per_unit,
                            .rate = chain.look.rate,
                            .settle = chain.look.settle,
                            .lag = chain.look.lag,
                            .amount = chain.look.amount,
                            .swing = swing * chain.look.amount,
                            .largest = *largest * chain.look.amount,
                            .largest_at = motion.times[largest - angles[c].begin()]});
  }
  if (motion.looped) close_loop(motion);
  report(progress, "simulating", 1);
  return motion;
}

}  // namespace rigspace
