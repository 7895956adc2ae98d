// Kernels and derivatives of the inverse rig compared, and characters other than the hound.

#include "inverse_trials.h"

#include "rigspace/cast/cast.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace rigspace::bench {
namespace {

/// Part of a clip as a clip of its own, seconds.
Animation cut(Animation clip, const std::string& name, double from, double to) {
  const auto within = [&](double time) { return time >= from - 1e-9 && time <= to + 1e-9; };
  clip.name = name, clip.duration = to - from;
  for (Track& track : clip.tracks) {
    Curve kept = track.curve;
    kept.times.clear(), kept.values.clear();
    for (std::size_t k = 0; k < track.curve.times.size(); ++k)
      if (within(track.curve.times[k]))
        kept.times.push_back(track.curve.times[k] - from), kept.values.push_back(track.curve.values[k]);
    track.curve = kept;
  }
  for (RotationTrack& track : clip.rotations) {
    RotationTrack kept = track;
    kept.times.clear(), kept.values.clear();
    for (std::size_t k = 0; k < track.times.size(); ++k)
      if (within(track.times[k])) kept.times.push_back(track.times[k] - from), kept.values.push_back(track.values[k]);
    track = kept;
  }
  return clip;
}

struct Other {
  std::string member, role, trial;  // the clip that is left out of the training
  int samples;
};

void add_other(const Other& other, const BenchOptions& options, std::vector<Row>& rows) {
  const std::string scene = other.member + ", " + other.trial;
  if (!wanted(options, scene)) return;
  Character character = make_character(other.member, Version::skeleton);
  if (other.member == "face") {  // it has one clip
    const Animation whole = character.clips.front();
    character.clips = {cut(whole, "first half", 0, 0.5 * whole.duration),
                       cut(whole, other.trial, 0.5 * whole.duration, whole.duration)};
  }
  InverseTraining training{.samples = other.samples};
  for (const Animation& clip : character.clips)
    if (clip.name != other.trial) training.clips.push_back(clip.name);
  const InverseModel model(character, training);
  const Trial trial = trial_of(model, character, *character.clip(other.trial));
  const double distance = mean_nearest(model, trial), own = mean_nearest_sample(model);
  TrialErrors gp;
  for (const bool refined : {false, true}) {
    const RefineOptions how{.max_iterations = refined ? RefineOptions().max_iterations : 0};
    std::vector<InversePose> frames;
    const TrialTiming timing = timing_of(options.seconds, [&] { frames = model.solve_motion(trial.X, how); });
    const TrialErrors errors = errors_of(model, trial, frames);
    Row row{.scene = scene, .method = (refined ? "ours" : "GP") + (" (" + other.role + ")")};
    row.metrics = metrics_of(errors, trial, timing);
    row.metrics["joints"] = model.features().count(), row.metrics["controls_used"] = model.coordinates().size();
    row.metrics["samples"] = model.regression().count();
    row.metrics.update(distances_of(distance, own));
    if (refined) {
      row.required = fmt::format(
          "joint error below GP's, ground-truth error at most 1.05 of GP's, trial at least {} times as far from "
          "samples "
          "as these are",
          kLeastDistance);
      row.ok = errors.joints < gp.joints && errors.controls <= 1.05 * gp.controls && distance >= kLeastDistance * own;
    }
    gp = errors;
    rows.push_back(std::move(row));
  }
}

/// The regression alone on clips that it was not trained on.
Row unseen_row(const InverseModel& model, const Character& hound, const std::string& scene, const std::string& method) {
  Row row{.scene = scene, .method = method};
  double joints = 0, controls = 0;
  for (const std::string& clip : hound_trials()) {
    const Trial trial = trial_of(model, hound, *hound.clip(clip));
    const TrialErrors errors = errors_of(model, trial, model.solve_motion(trial.X, {.max_iterations = 0}));
    row.metrics["joint_error_" + clip] = errors.joints, row.metrics["ground_truth_error_" + clip] = errors.controls;
    joints += errors.joints / 3, controls += errors.controls / 3;
  }
  row.metrics["joint_error_mean"] = joints, row.metrics["ground_truth_error_mean"] = controls;
  row.metrics["leave_one_out"] = model.leave_one_out();
  row.metrics["length"] = model.regression().settings().length;
  row.metrics["smoothing"] = model.regression().settings().smoothing;
  return row;
}

}  // namespace

void add_relations(const Character& hound, const BenchOptions& options, std::vector<Row>& rows) {
  if (!wanted(options, "hound, relations")) return;
  for (const double weight : {0.0, 0.1, 0.3, 1.0}) {
    report(options.progress, "relations", weight);
    const InverseModel model(hound, {.clips = hound_training(), .samples = 750, .relations = weight});
    rows.push_back(unseen_row(model, hound, "hound, relations",
                              weight > 0 ? fmt::format("places and relations, weight {}", weight) : "places"));
  }
}

void add_others(const BenchOptions& options, std::vector<Row>& rows) {
  // IRM table 2: biped, squirrel and face; the elephant on two legs and the dragon are added.
  for (const Other& other : {Other{"toon", "biped", "Run", 750}, Other{"peanut", "biped with trunk", "Workout", 750},
                             Other{"squirrel", "deformable", "Play", 500}, Other{"face", "face", "second half", 300},
                             Other{"dragon", "winged", "Walk", 500}}) {
    report(options.progress, other.member, 0);
    add_other(other, options, rows);
  }
}

void add_kernels(const Character& hound, const BenchOptions& options, std::vector<Row>& rows) {
  if (!wanted(options, "hound, kernels")) return;
  double least = 1e300, multiquadric = 0;
  std::size_t first = rows.size();
  for (const Kernel kernel : kKernels) {
    report(options.progress, std::string(name(kernel)), 0);
    const InverseModel model(hound, {.clips = hound_training(), .samples = 750, .kernel = kernel});
    Row row = unseen_row(model, hound, "hound, kernels", std::string(name(kernel)));
    const double joints = row.metrics["joint_error_mean"].get<double>();
    (kernel == Kernel::multiquadric ? multiquadric : least) =
        kernel == Kernel::multiquadric ? joints : std::min(least, joints);
    rows.push_back(std::move(row));
  }
  rows[first].required = "least joint error of all kernels on unseen clips";
  rows[first].ok = multiquadric < least;
}

/// IRM 6.1: what one step from the prediction leaves of the error, median over all frames.
void add_derivatives(const InverseModel& model, const std::vector<Trial>& trials, std::vector<Row>& rows) {
  struct Way {
    const char* name;
    PrintedJacobian jacobian;
  };
  double learned = 0;
  for (const Way& way : {Way{"learned Jacobian, inverted", PrintedJacobian::learned},
                         Way{"derivative of the learned inverse", PrintedJacobian::inverse},
                         Way{"computed Jacobian, inverted", PrintedJacobian::differences}}) {
    std::vector<double> left;
    for (const Trial& trial : trials) {
      const Trial few = thinned(trial, 3);
      const auto before = model.solve_motion(few.X, {.max_iterations = 0});
      const auto after = refine_as_printed(model, few.X, {.jacobian = way.jacobian, .steps = 1, .damping = 0.03});
      for (std::size_t k = 0; k < before.size(); ++k) left.push_back(after[k].joint_error / before[k].joint_error);
    }
    std::ranges::sort(left);
    const double middle = left[left.size() / 2];
    Row row{.scene = "hound, derivative", .method = way.name};
    row.metrics = {{"share_of_error_left_after_one_step", middle}, {"worst_tenth", left[left.size() * 9 / 10]}};
    if (way.jacobian == PrintedJacobian::learned) learned = middle;
    if (way.jacobian == PrintedJacobian::inverse) row.metrics["against_learned_jacobian"] = middle / learned;
    rows.push_back(std::move(row));
  }
}

}  // namespace rigspace::bench
