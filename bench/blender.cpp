// A human that Rigify made, hosted in Blender as a black box: how many evaluations the method of 2012 and the fast one
// take.

#include "bench.h"
#include "blender_studio.h"

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/paper.h"
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
constexpr double kStepsPerSecond = 120, kPerStep = 2, kPerControl = 1.5;  // what the bar allows
constexpr double kThesis = 348;                                           // times faster: belly, table 4.1, in Maya
constexpr double kPaperStep = 0.01;                                       // s

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
};

std::vector<Part> parts_of(const Character& character) {
  std::vector<Part> parts;
  for (const char* pattern : kParts)
    parts.push_back(with_solid(character, control_part_from_pattern(character, pattern), {.use_cache = true}));
  return parts;
}

int controls_of(const std::vector<Part>& parts) {
  std::size_t count = 0;
  for (const Part& part : parts) count += part.controls.size();
  return static_cast<int>(count);
}

long asked(const Character& character) { return character.rig->evaluation_count().value_or(0); }

/// One run of the program's own `simulate`, from an open file: its evaluations, training and bodies included.
Row fast_row(const Character& character, const std::string& method, const ProgressCallback& progress) {
  const Stopwatch watch;
  const long before = asked(character);
  const std::vector<Part> parts = parts_of(character);
  const Animation& clip = character.clips.front();
  const SoftMotion motion =
      simulate_parts(character, &clip, parts, {.looping = Looping::never, .use_cache = true}, progress);
  const double seconds = watch.seconds(), evaluations = static_cast<double>(asked(character) - before);
  const double controls = controls_of(parts);
  Row row{.scene = "Rigify human, belly and ears", .method = method};
  row.metrics = {{"controls", controls},
                 {"controls_of_the_rig", character.rig->controls().size()},
                 {"rig_points", character.rig->point_count()},
                 {"animation_seconds", clip.duration},
                 {"seconds", seconds},
                 {"seconds_per_second_of_animation", seconds / clip.duration},
                 {"rig_evaluations", evaluations},
                 {"rig_evaluations_per_second_of_animation", evaluations / clip.duration},
                 {"rig_evaluations_per_step_of_a_part", evaluations / std::max(1, motion.steps)},
                 {"steps_of_all_parts", motion.steps},
                 {"allowed_by_steps_of_all_parts", kPerStep * motion.steps + kPerControl * controls * clip.duration},
                 {"unconverged_steps", motion.failed_steps}};
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
  row.required = "at most 2 rig evaluations a step of 1/120 s, and 1.5 a control and second of animation";
  row.ok = row.metrics["rig_evaluations_per_second_of_animation"].get<double>() <= most;
}

/// Every choice as printed in 2012, on the same hosted rig; few steps of 0.01 s suffice.
Row paper_row(const Character& character, const std::vector<Part>& parts, int steps, const ProgressCallback& progress) {
  const Animation& clip = character.clips.front();
  const SimulationOptions options{
      .end = steps * kPaperStep, .looping = Looping::never, .use_cache = true, .paper = true};
  const Stopwatch watch;
  const long before = asked(character);
  const PaperRun run = run_paper(character, &clip, parts, options, progress);
  const double seconds = watch.seconds(), evaluations = static_cast<double>(asked(character) - before);
  const double animation = kPaperStep * static_cast<double>(run.steps.size());
  Row row{.scene = "Rigify human, belly and ears", .method = "2012: black box, BFGS, as printed; rig in Blender"};
  row.metrics = {{"controls", run.free.size()},
                 {"steps", run.steps.size()},
                 {"seconds", seconds},
                 {"seconds_per_second_of_animation", seconds / animation},
                 {"rig_evaluations", evaluations},
                 {"rig_evaluations_per_second_of_animation", evaluations / animation},
                 {"rig_evaluations_per_step", evaluations / static_cast<double>(run.steps.size())}};
  row.paper = Paper{"Thesis table 4.1: belly, seconds per frame, rig in Maya", 46.47};
  return row;
}

Character open_human(const fs::path& file, bool translated, const ProgressCallback& progress) {
  const Setting setting("RIGSPACE_BLENDER_TRANSLATE", translated ? "1" : "0");
  return load_blend({.file = file, .object = "Human", .processes = 1, .progress = progress});
}

}  // namespace

std::vector<Row> bench_blender(const BenchOptions& options) {
  const BlenderStudio studio;
  if (!wanted(options, "Rigify human")) return {};
  if (!studio.make_humans()) {
    report(options.progress, "skipped: no Blender that makes a Rigify human", 1);
    return {};
  }
  const Setting cache("RIGSPACE_CACHE", studio.cache().string());
  std::vector<Row> rows;
  for (const char* state : {"cold: bodies and training too", "warm: those from the cache"}) {
    const Character human = open_human(studio.human(), false, options.progress);
    rows.push_back(fast_row(human, fmt::format("fast, rig in Blender, {}", state), options.progress));
  }
  Row& warm = rows.back();
  require_few(warm);
  const double fast = warm.metrics["seconds_per_second_of_animation"].get<double>();
  {
    const Character human = open_human(studio.human(), false, options.progress);
    rows.push_back(paper_row(human, parts_of(human), options.quick ? 1 : 3, options.progress));
  }
  rows[1].metrics["times_faster_than_2012_on_the_same_rig"] =
      rows.back().metrics["seconds_per_second_of_animation"].get<double>() / fast;
  rows[1].paper = Paper{"Thesis table 4.1: belly, times faster, rig in Maya", kThesis};
  if (!options.quick) {
    constexpr double kRates[] = {3.3, 2.4, 2.4};  // Hz, as they are found
    for (std::size_t k = 0; k < std::size(kParts); ++k)
      rows.push_back(every_jacobian_row(open_human(studio.human(), false, options.progress), kParts[k], kRates[k],
                                        options.progress));
  }
  for (const char* state : {"cold", "warm"}) {
    const Character own = open_human(studio.plain(), true, options.progress);
    if (dynamic_cast<const ProcessRig*>(own.rig.get()) != nullptr) break;
    rows.push_back(
        fast_row(own, fmt::format("fast, plain armature, translated to a built-in rig, {}", state), options.progress));
    rows.back().metrics["times_faster_than_in_blender"] =
        fast / rows.back().metrics["seconds_per_second_of_animation"].get<double>();
  }
  return rows;
}

}  // namespace rigspace::bench
