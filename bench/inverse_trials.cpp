#include "inverse_trials.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace rigspace::bench {

std::vector<std::string> hound_training() {
  return {"Walk", "Trot", "Gallop", "Sit", "Stretch", "Shake", "GivePaw", "Rear"};
}
std::vector<std::string> hound_trials() { return {"JumpAndPlay", "GallopAndTurn", "Beg"}; }

Trial trial_of(const InverseModel& model, const Character& character, const Animation& clip, double rate) {
  const int frames = static_cast<int>(std::lround(clip.duration * rate)) + 1;
  Trial trial{.name = clip.name, .X = Mat(3 * model.features().count(), frames), .truth = {}};
  Vec x, near = Vec::Zero(model.coordinates().size());
  for (int k = 0; k < frames; ++k) {
    const Vec p = pose_at(character, &clip, std::min(clip.duration, k / rate));
    model.features().evaluate(p, x);
    trial.X.col(k) = x;
    trial.truth.push_back(near = model.coordinates().coordinates(p, near));
  }
  return trial;
}

Trial thinned(const Trial& trial, int k) {
  const Eigen::Index frames = (trial.X.cols() + k - 1) / k;
  Trial result{.name = trial.name, .X = Mat(trial.X.rows(), frames), .truth = {}};
  for (Eigen::Index i = 0; i < frames; ++i) {
    result.X.col(i) = trial.X.col(i * k);
    result.truth.push_back(trial.truth[static_cast<std::size_t>(i * k)]);
  }
  return result;
}

TrialErrors errors_of(const InverseModel& model, const Trial& trial, const std::vector<InversePose>& frames) {
  TrialErrors sum;
  const double n = static_cast<double>(frames.size());
  const double stacked = 100 * model.size() * std::sqrt(static_cast<double>(model.features().count()));
  for (std::size_t k = 0; k < frames.size(); ++k) {
    sum.joints += frames[k].joint_error * frames[k].joint_error / n;
    sum.stacked += stacked * frames[k].joint_error / n;
    sum.controls += (model.coordinates().coordinates(frames[k].p, trial.truth[k]) - trial.truth[k]).squaredNorm() / n;
    sum.evaluations += frames[k].evaluations / n, sum.jacobians += frames[k].jacobians / n;
  }
  sum.joints = std::sqrt(sum.joints), sum.controls = std::sqrt(sum.controls);
  return sum;
}

TrialTiming timing_of(double seconds, const std::function<void()>& body) {
  TrialTiming timing{.processor = 1e300};
  std::vector<double> all;
  double spent = 0;
  while (all.size() < 2 || (spent < seconds && all.size() < 20)) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t begun = std::clock();
    body();
    timing.processor = std::min(timing.processor, static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC);
    all.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    spent += all.back();
  }
  std::ranges::sort(all);
  timing.wall = {all.front(), all[all.size() / 2], static_cast<int>(all.size())};
  timing.processor = std::max(timing.processor, 1.0 / CLOCKS_PER_SEC);
  return timing;
}

nlohmann::ordered_json distances_of(double trials, double samples) {
  return {{"trials_distance_to_nearest_sample", trials},
          {"samples_distance_to_nearest_other", samples},
          {"ratio_of_distances", trials / samples}};
}

nlohmann::ordered_json metrics_of(const TrialErrors& errors, const Trial& trial, const TrialTiming& timing) {
  return {{"joint_error_share_of_size", errors.joints},
          {"joint_error_stacked_cm", errors.stacked},
          {"ground_truth_error_typical_changes", errors.controls},
          {"frames_per_second", static_cast<double>(trial.X.cols()) / timing.wall.min},
          {"frames_per_processor_second", static_cast<double>(trial.X.cols()) / timing.processor},
          {"total_seconds", timing_json(timing.wall)},
          {"rig_evaluations_a_frame", errors.evaluations},
          {"jacobians_a_frame", errors.jacobians}};
}

double mean_nearest(const InverseModel& model, const Trial& trial) {
  const Mat& samples = model.regression().samples();
  double sum = 0;
  for (Eigen::Index k = 0; k < trial.X.cols(); ++k)
    sum += std::sqrt((samples.colwise() - model.seen_from_itself(trial.X.col(k)).f).colwise().squaredNorm().minCoeff());
  return sum / static_cast<double>(trial.X.cols());
}

double mean_nearest_sample(const InverseModel& model) {
  const Mat& samples = model.regression().samples();
  double sum = 0;
  for (Eigen::Index k = 0; k < samples.cols(); ++k) {
    Vec squares = (samples.colwise() - samples.col(k)).colwise().squaredNorm().transpose();
    squares[k] = squares.maxCoeff();
    sum += std::sqrt(squares.minCoeff());
  }
  return sum / static_cast<double>(samples.cols());
}

}  // namespace rigspace::bench
