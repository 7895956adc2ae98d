// A human that Rigify made, hosted in Blender as a black box: how many evaluations and seconds the method of 2012 and
// the fast one take on the same bodies, with the same step, tolerance and rates, set-up apart.

#include "bench.h"
#include "blender_preview.h"
#include "blender_studio.h"

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/base/error.h"
#include "rigspace/io/blend_file.h"
#include "rigspace/io/process_rig.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace rigspace::bench {
namespace {

constexpr const char* kParts[] = {"belly.*.t?=belly", "longear*.L.r?=ear", "longear*.R.r?=ear"};
constexpr double kRates[] = {3.3, 2.4, 2.4};                              // Hz, as they are found
constexpr double kStepsPerSecond = 120, kPerStep = 2, kPerControl = 1.5;  // what the bar allows
constexpr double kThesis = 348;                                           // times faster: belly, table 4.1, in Maya
constexpr int kStepsOf2012 = 60;                                          // of each part

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

/// What a run is of.
struct Shot {
  bool other = false, search = false;  ///< another clip; rates are searched for
  std::size_t parts = std::size(kParts);
  double amount = 1;
};

/// The parts with their bodies; at the rates above unless these are searched for.
std::vector<Part> parts_of(const Character& character, const Shot& shot = {}) {
  std::vector<Part> parts;
  for (std::size_t k = 0; k < shot.parts; ++k) {
    parts.push_back(with_solid(character, control_part_from_pattern(character, kParts[k]), {.use_cache = true}));
    if (!shot.search) parts.back().settings.rate = kRates[k];
    parts.back().settings.amount = shot.amount;
  }
  return parts;
}

int controls_of(const std::vector<Part>& parts) {
  std::size_t count = 0;
  for (const Part& part : parts) count += part.controls.size();
  return static_cast<int>(count);
}

long asked(const Character& character) { return character.rig->evaluation_count().value_or(0); }

/// Another motion of the same controls: a quarter slower, with the torso half as much again and half the stride.
Animation swagger(const Animation& walk) {
  constexpr double kSlower = 1.25;
  const auto gain = [](std::string_view control) {
    return control.starts_with("torso") ? 1.5 : control.starts_with("foot_ik") ? 0.5 : 1.2;
  };
  Animation other = walk;
  other.name = "Swagger", other.duration *= kSlower;
  for (Track& track : other.tracks) {
    const double first = track.curve.values.empty() ? 0 : track.curve.values.front();
    for (double& time : track.curve.times) time *= kSlower;
    for (double& value : track.curve.values) value = first + gain(track.control) * (value - first);
    for (auto* tangents : {&track.curve.in_tangents, &track.curve.out_tangents})
      for (double& tangent : *tangents) tangent *= gain(track.control) / kSlower;
  }
  for (RotationTrack& track : other.rotations) {
    const Vec4 first = track.values.empty() ? Vec4(0, 0, 0, 1) : track.values.front();
    for (double& time : track.times) time *= kSlower;
    for (Vec4& value : track.values) value = slerp(first, value, gain(track.node));
  }
  return other;
}

/// What a part of a run took.
struct Cost {
  double seconds = 0;
  long evaluations = 0;
};

struct MeasuredRun {
  Cost set_up;  ///< bodies, poses of the clip, training
  Cost steps;
  SoftMotion motion;
  int controls = 0;
};

MeasuredRun measured(const Character& character, const Animation& clip, const SimulationOptions& options,
                     const Shot& shot, const ProgressCallback& progress) {
  MeasuredRun run;
  const Stopwatch watch;
  const long before = asked(character);
  bool stepping = false;
  const std::vector<Part> parts = parts_of(character, shot);
  run.controls = controls_of(parts);
  run.motion = simulate_parts(character, &clip, parts, options, [&](const Progress& done) {
    stepping = stepping || done.stage == "simulating";
    if (!stepping) run.set_up = {watch.seconds(), asked(character) - before};
    return !progress || progress(done);
  });
  run.steps = {watch.seconds() - run.set_up.seconds, asked(character) - before - run.set_up.evaluations};
  return run;
}

constexpr const char* kHuman = "Rigify human, belly and ears";
constexpr const char* kBelly = "Rigify human, belly";

Row row_of(const Character& character, const std::string& method, const MeasuredRun& run, const char* scene = kHuman) {
  const double steps = std::max(1, run.motion.steps), animation = run.motion.times.back();
  const double all = static_cast<double>(run.set_up.evaluations + run.steps.evaluations);
  Row row{.scene = scene, .method = method};
  row.metrics = {
      {"controls", run.controls},
      {"controls_of_the_rig", character.rig->controls().size()},
      {"rig_points", character.rig->point_count()},
      {"animation_seconds", animation},
      {"steps_of_all_parts", run.motion.steps},
      {"set_up_seconds", run.set_up.seconds},
      {"set_up_rig_evaluations", run.set_up.evaluations},
      {"seconds", run.steps.seconds},
      {"rig_evaluations", run.steps.evaluations},
      {"seconds_per_step", run.steps.seconds / steps},
      {"rig_evaluations_per_step", static_cast<double>(run.steps.evaluations) / steps},
      {"rig_evaluations_per_second_of_animation_set_up_included", all / animation},
      {"seconds_per_second_of_animation_set_up_included", (run.set_up.seconds + run.steps.seconds) / animation},
      {"halved_steps", run.motion.halved_steps},
      {"unconverged_steps", run.motion.failed_steps}};
  row.required = "every step converged";
  row.ok = run.motion.failed_steps == 0;
  return row;
}

/// A black box whose traits call its differences exact after training: then every step evaluates a Jacobian.
class EveryJacobian final : public Rig {
 public:
  explicit EveryJacobian(std::shared_ptr<const Rig> box) : box_(std::move(box)) {}

  std::span<const Control> controls() const override { return box_->controls(); }
  int point_count() const override { return box_->point_count(); }
  Traits traits() const override {
    return {.exact_jacobian = asks, .concurrent = false, .noise = box_->traits().noise};
  }
  std::unique_ptr<Workspace> make_workspace() const override { return box_->make_workspace(); }
  void evaluate(Workspace& workspace, In p, Vec& s) const override { box_->evaluate(workspace, p, s); }
  void evaluate_batch(Workspace& workspace, const Mat& P, Mat& S) const override {
    box_->evaluate_batch(workspace, P, S);
  }

  bool asks = false;

 private:
  std::shared_ptr<const Rig> box_;
};

/// The error of a part's motion from evaluating few poses: against the same body and rate with a Jacobian every step.
Row every_jacobian_row(Character human, const char* pattern, double rate, const ProgressCallback& progress) {
  constexpr double kTrained = 0.199;  // of a run: a fifth of it is training
  const Character plain = human;
  const auto rig = std::make_shared<EveryJacobian>(plain.rig);
  human.rig = rig;
  Part part = with_solid(human, control_part_from_pattern(human, pattern), {.use_cache = true});
  part.settings.rate = rate;
  SoftMotion motion[2];
  long evaluations[2];
  for (const bool every : {false, true}) {
    bool trained = false;
    rig->asks = false;
    const long before = asked(plain);
    motion[every] = simulate_parts(human, &human.clips.front(), std::vector{part}, {.looping = Looping::never},
                                   [&](const Progress& done) {
                                     trained = trained || done.fraction >= kTrained;
                                     rig->asks = every && trained;
                                     return !progress || progress(done);
                                   });
    evaluations[every] = asked(plain) - before;
  }
  const Vec reach = motion[1].deviation.cwiseAbs().rowwise().maxCoeff();
  const Vec apart = (motion[1].deviation - motion[0].deviation).cwiseAbs().rowwise().maxCoeff();
  Row row{.scene = fmt::format("Rigify human, {}", pattern), .method = "few poses, against a Jacobian every step"};
  row.metrics = {{"rate_hz", rate},
                 {"rig_evaluations", evaluations[0]},
                 {"rig_evaluations_with_a_jacobian_every_step", evaluations[1]},
                 {"largest_difference_percent_of_the_largest_reach", 100 * apart.maxCoeff() / reach.maxCoeff()}};
  for (Eigen::Index c = 0; c < reach.size(); ++c)
    row.metrics["percent_of_its_reach"][human.rig->controls()[motion[1].controls[static_cast<std::size_t>(c)]].name] =
        100 * apart[c] / reach[c];
  return row;
}

/// The bar: so many a step, and so many a control and second.
void require_few(Row& row) {
  const double most = kPerStep * kStepsPerSecond + kPerControl * row.metrics["controls"].get<double>();
  row.metrics["rig_evaluations_allowed_per_second_of_animation"] = most;
  row.required +=
      ", at most 2 rig evaluations a step of 1/120 s, and 1.5 a control and second of animation, set-up included";
  row.ok = row.ok && row.metrics["rig_evaluations_per_second_of_animation_set_up_included"].get<double>() <= most;
}

/// Equal work: the same bodies, step, tolerance and rates, over as many steps as the slow method takes.
void compare(const Row& before, Row& row) {
  for (const char* what : {"seconds_per_step", "rig_evaluations_per_step"})
    row.metrics[std::string("times_fewer_") + what] =
        before.metrics[what].get<double>() / std::max(1e-9, row.metrics[what].get<double>());
  row.paper = Paper{"Thesis table 4.1: belly, times faster, rig in Maya, training apart", kThesis};
}

Character open_human(const fs::path& file, bool translated, const ProgressCallback& progress) {
  const Setting setting("RIGSPACE_BLENDER_TRANSLATE", translated ? "1" : "0");
  return load_blend({.file = file, .object = "Human", .processes = 1, .progress = progress});
}

}  // namespace

std::vector<Row> bench_blender(const BenchOptions& options) {
  const BlenderStudio studio;
  if (!wanted(options, kHuman) && !wanted(options, kBelly) && !wanted_in_blender(options)) return {};
  if (!studio.make_humans()) {
    report(options.progress, "skipped: no Blender that makes a Rigify human", 1);
    return {};
  }
  std::vector<Row> rows = preview_rows(studio, options);
  for (Row& row : peer_rows(studio, options)) rows.push_back(std::move(row));
  const Setting cache("RIGSPACE_CACHE", studio.cache().string());
  // The equations of motion, springs among them; nothing that is done to the curves afterwards.
  SimulationOptions plain{.looping = Looping::never, .end_at_rest = false, .use_cache = true};
  plain.corrections = Corrections::none(), plain.corrections.springs = true;
  const auto add_fast = [&](const char* state, const SimulationOptions& how, const Shot& shot) {
    const Character human = open_human(studio.human(), false, options.progress);
    const Animation& walk = human.clips.front();
    rows.push_back(row_of(human, fmt::format("fast, {}", state),
                          measured(human, shot.other ? swagger(walk) : walk, how, shot, options.progress),
                          shot.parts == 1 ? kBelly : kHuman));
  };
  if (wanted(options, kBelly)) {
    const Setting own("RIGSPACE_CACHE", studio.file("belly_cache").string());
    add_fast("cold", plain, {.parts = 1});
    add_fast("warm, same clip", plain, {.parts = 1});
    add_fast("warm, amount 1.3", plain, {.parts = 1, .amount = 1.3});
    add_fast("warm, other clip", plain, {.other = true, .parts = 1});
  }
  if (!wanted(options, kHuman)) return rows;
  const std::size_t first = rows.size();
  add_fast("cold", plain, {});
  add_fast("warm, same clip", plain, {});
  require_few(rows.back());
  add_fast("warm, amount 1.3", plain, {.amount = 1.3});
  require_few(rows.back());
  add_fast("warm, other clip", plain, {.other = true});
  require_few(rows.back());
  {
    SimulationOptions slow = plain;
    slow.method = Method::full, slow.curvature = RigCurvature::bfgs;
    slow.end = (options.quick ? 4 : kStepsOf2012) / kStepsPerSecond;
    const Character human = open_human(studio.human(), false, options.progress);
    rows.push_back(row_of(human, "2012: black box, BFGS; bodies, step, tolerance and rates as above",
                          measured(human, human.clips.front(), slow, {}, options.progress)));
    rows.back().paper = Paper{"Thesis table 4.1: belly, seconds per frame, rig in Maya", 46.47};
  }
  for (std::size_t k = first; k + 1 < rows.size(); ++k) compare(rows.back(), rows[k]);
  const double fast = rows[first + 1].metrics["seconds_per_step"].get<double>();
  if (!options.quick) {
    const Setting empty("RIGSPACE_CACHE", (studio.cache() / "empty").string());
    add_fast("cold, rates searched for and all corrections", {.looping = Looping::never, .use_cache = true},
             {.search = true});
    for (std::size_t k = 0; k < std::size(kParts); ++k)
      rows.push_back(every_jacobian_row(open_human(studio.human(), false, options.progress), kParts[k], kRates[k],
                                        options.progress));
  }
  for (const char* state : {"cold", "warm"}) {
    const Character own = open_human(studio.plain(), true, options.progress);
    if (dynamic_cast<const ProcessRig*>(own.rig.get()) != nullptr) break;
    rows.push_back(row_of(own, fmt::format("fast, plain armature, translated to a built-in rig, {}", state),
                          measured(own, own.clips.front(), plain, {}, options.progress)));
    rows.back().metrics["times_faster_a_step_than_in_blender"] =
        fast / rows.back().metrics["seconds_per_step"].get<double>();
  }
  return rows;
}

}  // namespace rigspace::bench
