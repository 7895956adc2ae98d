// 50 000 samples of the hound, beside 750 of them.

#include "inverse_trials.h"

#include "rigspace/cast/hound.h"

#include <fmt/format.h>

#include <sys/resource.h>

namespace rigspace::bench {
namespace {

constexpr double kMostTrainingSeconds = 600, kMostBytes = 4.0 * (1L << 30);

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

}  // namespace

void add_many(const Character& hound, const BenchOptions& options, std::vector<Row>& rows) {
  if (!wanted(options, "hound, 50 000 samples") || options.quick) return;
  constexpr int kClips = 250;
  constexpr double kSeconds = 6.65;  // 200 frames a clip
  Character more = hound;
  for (unsigned k = 0; k < kClips; ++k) more.clips.push_back(make_hound_motion(hound, 100 + k, kSeconds));
  InverseTraining training{.clips = hound_training(), .samples = 750};
  training.clips.push_back("random *");
  std::vector<TrialErrors> few;
  for (const int local : {0, 400}) {
    report(options.progress, local == 0 ? "750 of 50 000" : "50 000", 0);
    training.local = local;
    const auto start = std::chrono::steady_clock::now();
    const InverseModel model(more, training);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    Row row{.scene = "hound, 50 000 samples", .method = local == 0 ? "750 of them" : "all, by local corrections"};
    row.metrics = {{"examples", model.example_count()}, {"training_seconds", seconds}, {"peak_bytes", peak_bytes()}};
    bool no_worse = true;
    std::size_t k = 0;
    for (const std::string& clip : hound_trials()) {
      const Trial trial = trial_of(model, hound, *hound.clip(clip));
      std::vector<InversePose> frames;
      const Timing timing = measure(0, [&] { frames = model.solve_motion(trial.X, {.max_iterations = 0}); });
      const TrialErrors errors = errors_of(model, trial, frames);
      row.metrics["joint_error_" + clip] = errors.joints, row.metrics["ground_truth_error_" + clip] = errors.controls;
      row.metrics["frames_per_second_" + clip] = static_cast<double>(trial.X.cols()) / timing.min;
      if (local == 0)
        few.push_back(errors);
      else
        no_worse = no_worse && errors.joints <= few[k].joints;
      ++k;
    }
    if (local > 0) {
      row.required = "at most 600 seconds and 4 GiB, joint errors no larger than with 750";
      row.ok = no_worse && seconds <= kMostTrainingSeconds && peak_bytes() <= kMostBytes;
    }
    rows.push_back(std::move(row));
  }
}

}  // namespace rigspace::bench
