#include "motion_collector.h"

#include "ground_guard.h"
#include "limb_guard.h"
#include "part_contact.h"
#include "rigspace/geometry/signed_distance.h"
#include "ripples.h"
#include "tuning/keyed_settings.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// Closes a loop: the gap between its ends, which is below the loop tolerance, is spread over the cycle.
void close_loop(Mat& deviation) {
  const Eigen::Index last = deviation.cols() - 1;
  const Vec gap = deviation.col(last) - deviation.col(0);
  for (Eigen::Index k = 0; k <= last; ++k)
    deviation.col(k) -= (static_cast<double>(k) / static_cast<double>(last)) * gap;
  deviation.col(last) = deviation.col(0);
}

PartReport report_of(const PartSystem& system, std::size_t c, const Run& run, const Vec& shares) {
  const TunedPart& part = system.parts[c];
  PartReport report{.flesh = system.flesh(),
                    .rate = part.settings.rate,
                    .settle = part.settings.settle,
                    .lag = part.settings.lag,
                    .amount = part.raised * part.part->settings.amount * part.ease,
                    .smallest_volume = run.smallest_volume,
                    .volume_change = run.volume_change,
                    .eased = shares.minCoeff(),
                    .held = part.held,
                    .scaled = part.scaling,
                    .finished = static_cast<double>(run.reach.cols() - 1) / static_cast<double>(run.times.size() - 1)};
  std::vector<double> swings;
  for (Eigen::Index k = 0; k < run.reach.cols(); ++k) {
    const double time = run.times[static_cast<std::size_t>(k)];
    const double factor = scaling_at(part, time) * part.part->settings.at("mix", time);
    swings.push_back(shares[k] * factor * system.swing(part, run.reach(static_cast<Eigen::Index>(c), k)));
    if (swings.back() > report.largest)
      report.largest = swings.back(), report.largest_at = run.times[static_cast<std::size_t>(k)];
  }
  report.swing = percentile(std::move(swings), 0.95);
  return report;
}

/// After the last finished column the deviation continues at its velocity and fades to 0, so that neither jumps.
void fade_out(Mat& deviation, std::span<const double> times) {
  constexpr double kFade = 0.2;  // s
  const Eigen::Index last = deviation.cols() - 1, whole = static_cast<Eigen::Index>(times.size());
  if (last + 1 == whole) return;
  const Vec d = deviation.col(last), v = (d - deviation.col(last - 1)) / (times[last] - times[last - 1]);
  deviation.conservativeResize(Eigen::NoChange, whole);
  for (Eigen::Index k = last + 1; k < whole; ++k) {
    const double after = times[k] - times[last];
    deviation.col(k) = smooth_step(kFade, 0, after) * (d + std::min(after, kFade) * v);
  }
}

/// The largest change of a row, as a share of the largest value of all these rows before it; 0 where nothing moved.
double largest_change(const Mat& before, const Mat& after, std::span<const int> rows) {
  double change = 0, largest = 0;
  for (const int row : rows) {
    change = std::max(change, (after.row(row) - before.row(row)).cwiseAbs().maxCoeff());
    largest = std::max(largest, before.row(row).cwiseAbs().maxCoeff());
  }
  return largest > 0 ? change / largest : 0;
}

/// The deviation of a clip that plays once goes to zero at its end, and its speed too: what follows begins there.
void come_to_rest(Mat& deviation, std::span<const double> times) {
  constexpr double kMost = 0.35, kShare = 0.35;  // s, and of the clip: over which it fades
  const double end = times.back(), fade = std::min(kMost, kShare * (end - times.front()));
  for (Eigen::Index k = 0; k < deviation.cols(); ++k)
    deviation.col(k) *= smooth_step(end, end - fade, times[static_cast<std::size_t>(k)]);
  deviation.col(deviation.cols() - 1).setZero();
}

/// Rows of all systems into one motion, controls ascending.
void merge(SoftMotion& motion, std::span<const int> controls, const Mat& deviation) {
  std::vector<std::pair<int, Vec>> rows;
  for (std::size_t c = 0; c < motion.controls.size(); ++c)
    rows.emplace_back(motion.controls[c], motion.deviation.row(static_cast<Eigen::Index>(c)));
  for (std::size_t c = 0; c < controls.size(); ++c)
    rows.emplace_back(controls[c], deviation.row(static_cast<Eigen::Index>(c)));
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  motion.controls.clear();
  motion.deviation.resize(static_cast<Eigen::Index>(rows.size()), deviation.cols());
  for (std::size_t c = 0; c < rows.size(); ++c) {
    motion.controls.push_back(rows[c].first);
    motion.deviation.row(static_cast<Eigen::Index>(c)) = rows[c].second;
  }
}

/// Multiplies the deviation of a part by its scaling, which may be keyed.
void scale_amount(Run& run, const std::vector<int>& rows, const TunedPart& part) {
  const bool keyed = part.part->settings.keys_of("amount") != nullptr;
  for (const int row : rows) {
    if (!keyed) run.deviation.row(row) *= part.scaling;
    for (Eigen::Index k = 0; keyed && k < run.deviation.cols(); ++k)
      run.deviation(row, k) *= scaling_at(part, run.times[static_cast<std::size_t>(k)]);
  }
}

/// The deviation divided by the amount, where that is above 1.
Mat at_ordinary_amount(const Run& run, const PartSettings& settings) {
  if (settings.keys_of("amount") == nullptr) return run.deviation / std::max(1.0, settings.amount);
  Mat deviation = run.deviation;
  for (Eigen::Index k = 0; k < deviation.cols(); ++k)
    deviation.col(k) /= std::max(1.0, settings.at("amount", run.times[static_cast<std::size_t>(k)]));
  return deviation;
}

/// Multiplies the deviation by PartSettings::mix.
void mix_in(Run& run, const std::vector<int>& rows, const PartSettings& settings) {
  if (settings.mix == 1 && settings.keys_of("mix") == nullptr) return;
  for (const int row : rows) {
    for (Eigen::Index k = 0; k < run.deviation.cols(); ++k)
      run.deviation(row, k) *= settings.at("mix", run.times[static_cast<std::size_t>(k)]);
    if (run.looped) run.deviation(row, run.deviation.cols() - 1) = run.deviation(row, 0);
  }
}

}  // namespace

MotionCollector::MotionCollector(const Character& character, const KeyedMotion& key, std::size_t parts,
                                 const SimulationOptions& options)
    : character_(character),
      key_(key),
      options_(options),
      ends_at_rest_(options.corrections.ends && options.end_at_rest && !key.cyclic() &&
                    options.end >= key.clip_duration() && !options.collisions.any()) {
  motion_.parts.resize(parts);
  for (PartReport& report : motion_.parts) report.finished = 0;
  motion_.looped = key.cyclic();
  motion_.period = key.duration(), motion_.why = key.play().why;
}

void MotionCollector::add(PartSystem& system, Run run) {
  const SteppedBody body = system.body();
  for (std::size_t c = 0; c < system.parts.size(); ++c) scale_amount(run, system.rows(c), system.parts[c]);
  // A loop that does not repeat itself after max_cycles is closed as well, so that nothing jumps at its seam.
  const Corrections& corrections = options_.corrections;
  if (corrections.ends && key_.cyclic() && run.deviation.cols() == std::ssize(run.times))
    close_loop(run.deviation), run.looped = true;
  std::vector<double> smoothed(system.parts.size(), 0);
  for (std::size_t c = 0; corrections.smooth && c < system.parts.size(); ++c)
    smoothed[c] = calm_ripples(run.deviation, system.rows(c), run.times[1] - run.times[0], run.looped);
  for (std::size_t c = 0; c < system.parts.size(); ++c) {
    const TunedPart& part = system.parts[c];
    Vec shares = Vec::Ones(run.deviation.cols());
    if (corrections.ease && part.part->flesh && part.part->flesh->controls.empty()) {
      // An amount above 1 that the user sets is kept: the deviation at an ordinary amount must stay out of limbs.
      shares = shares_beside_limbs(
          character_, key_, *part.part,
          {run.times, body.own_controls(), at_ordinary_amount(run, part.part->settings), run.looped});
      run.deviation = run.deviation * shares.asDiagonal();
    }
    double footing = 1;
    // Not for parts that the user named, nor with collisions, which have the ground as an obstacle if it is wanted.
    if (corrections.ease && part.part->found && !options_.collisions.any()) {
      const std::vector<int> rows = system.rows(c);
      std::vector<int> controls;
      for (const int row : rows) controls.push_back(body.free[static_cast<std::size_t>(row)]);
      footing = share_on_ground(character_, key_, *part.part,
                                {run.times, controls, run.deviation(rows, Eigen::all), run.looped});
      for (const int row : rows) run.deviation.row(row) *= footing;
      shares *= footing;
    }
    correct_hits(run.deviation, {run.times, system.rows(c), part.part->settings.hits, run.looped});
    PartReport& report = motion_.parts[static_cast<std::size_t>(part.index)];
    report = report_of(system, c, run, shares);
    report.grounded = footing;
    report.smoothed = smoothed[c], report.springs = system.spring_share();
    report.force_error = system.force_error, report.all_elements = system.all_elements ? 1 : 0;
    report.expected_error = system.expected_error(run.reach.row(static_cast<Eigen::Index>(c)).maxCoeff());
    if (run.steps > 0) report.untrained = static_cast<double>(run.untrained_steps) / run.steps;
    report.length = part.length * options_.metres_per_unit;
    report.young = body.stiffness * options_.density * std::pow(options_.metres_per_unit, 2);
  }
  fade_out(run.deviation, run.times);
  if (ends_at_rest_) {
    const Mat before = run.deviation;
    come_to_rest(run.deviation, run.times);
    for (std::size_t c = 0; c < system.parts.size(); ++c)
      motion_.parts[static_cast<std::size_t>(system.parts[c].index)].faded =
          largest_change(before, run.deviation, system.rows(c));
  }
  for (std::size_t c = 0; c < system.parts.size(); ++c) mix_in(run, system.rows(c), system.parts[c].part->settings);
  measure_depths(key_, system, run, motion_.parts);
  motion_.times = run.times;
  merge(motion_, body.own_controls(), run.deviation);
  motion_.looped = motion_.looped && run.looped;
  motion_.seam = std::max(motion_.seam, run.seam);
  motion_.steps += run.steps, motion_.iterations += run.iterations;
  motion_.halved_steps += run.halved_steps, motion_.failed_steps += run.failed_steps;
  motion_.inverted_steps += run.inverted_steps, motion_.recovered_steps += run.recovered_steps;
  motion_.jumps = std::max(motion_.jumps, run.jumps);
}

void MotionCollector::stop(PartSystem& system, const std::optional<Run>& so_far) {
  if (so_far && so_far->deviation.cols() > 1) add(system, *so_far);
  motion_.stopped = true, motion_.looped = false;
}

}  // namespace rigspace
