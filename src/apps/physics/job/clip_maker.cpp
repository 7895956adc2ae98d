// The clips of a simulation, one by one: solves, edits, checkpoints.

#include "collision_words.h"
#include "rigspace/base/cache.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/jobs/arguments.h"
#include "rigspace/jobs/clip_run.h"
#include "simulation_run.h"

#include <algorithm>

namespace rigspace {
namespace {

/// Everything that the result depends on.
std::string key_of(const ClipsToMake& clips) {
  Recipe plan = clips.recipe;
  std::string done;
  for (const ClipTask& task : clips.tasks) {
    plan.clips.push_back(task.clip);
    done += " " + std::to_string(task.edits_done);
  }
  done += colliders_stamp(clips.recipe.options.collide, clips.folder);
  return content_hash(recipe_text(plan) + done + program_stamp());
}

class ClipMaker final : public ClipWork {
 public:
  explicit ClipMaker(const ClipsToMake& clips)
      : clips_(clips), character_(clips.subject.simulated()), made_(clips.tasks.size()), stopped_(clips.tasks.size()) {}

  /// Finds rates and amounts on the clip that the recipe names, for all clips. Throws Cancelled.
  void tune(const ProgressCallback& progress) {
    const Recipe& recipe = clips_.recipe;
    const bool any =
        std::any_of(clips_.tasks.begin(), clips_.tasks.end(), [](const ClipTask& task) { return task.solves() > 0; });
    if (!any || recipe.tuned_on.empty() || recipe.options.physics.paper || !recipe.options.physics.corrections.tune)
      return;
    SimulationOptions physics = recipe.options.physics;
    physics.use_cache = true;
    tuning_ =
        tune_parts(character_, *clip_named(character_, clips_.subject.name(), recipe.tuned_on), clips_.subject.parts(),
                   physics, part_of_progress(progress, 0, 1, "finding rates on " + recipe.tuned_on));
  }

  /// Clips are solved side by side where the rig can be evaluated by several threads.
  bool concurrent() const override { return character_.rig->traits().concurrent && !clips_.research.any(); }
  std::size_t count() const override { return clips_.tasks.size(); }
  std::string name(std::size_t k) const override { return clips_.tasks[k].clip.base; }
  double duration(std::size_t k) const override { return base_of(clips_.tasks[k].clip).duration; }
  std::size_t solves(std::size_t k) const override { return clips_.tasks[k].solves(); }

  void make(std::size_t k, const ClipCheckpoints& checkpoints, const ProgressCallback& progress) override {
    const ClipTask& task = clips_.tasks[k];
    RecipeClip clip = task.clip;
    std::size_t solve = 0;
    if (!clip.finished()) solve_into(k, clip, solve++, {}, checkpoints, progress);
    for (std::size_t e = task.edits_done; e < clip.edits.size(); ++e) {
      RecipeClip fresh = clip;
      solve_into(k, fresh, solve++, clip.edits[e].set, checkpoints, progress);
      clip = splice(clip, fresh, clip.edits[e].from, clip.edits[e].to);
    }
    made_[k] = std::move(clip);
  }

  std::string finished(std::size_t k) const override {
    Recipe one = clips_.recipe;
    one.clips = {*made_[k]};
    return recipe_text(one);
  }
  bool restore(std::size_t k, const std::string& text) override {
    try {
      made_[k] = parse_recipe(text, "partial result").clips.at(0);
    } catch (const Error&) {
      return false;
    }
    return true;
  }

  const std::optional<RecipeClip>& made(std::size_t k) const { return made_[k]; }
  /// After Cancelled: the finished part of clip k, if there is one.
  const std::optional<RecipeClip>& stopped(std::size_t k) const { return stopped_[k]; }

 private:
  const Animation& base_of(const RecipeClip& clip) const {
    return *clip_named(character_, clips_.subject.name(), clip.base);
  }

  void solve_into(std::size_t k, RecipeClip& clip, std::size_t solve, const std::vector<RecipeValue>& values,
                  const ClipCheckpoints& checkpoints, const ProgressCallback& progress) {
    std::vector<Part> parts(clips_.subject.parts().begin(), clips_.subject.parts().end());
    set_values(parts, clip.set);
    set_values(parts, values);
    SimulationOptions physics = clips_.recipe.options.physics;
    physics.use_cache = true;
    physics.tuning = tuning_;
    physics.start = clip.start;
    physics.end = clip.end;
    physics.preroll = clip.preroll;
    physics.collisions = collisions_of(clips_.recipe.options, clip.base, clips_.folder);
    double fraction = 0;
    physics.checkpoints.resume = checkpoints.resume(solve);
    physics.checkpoints.save = [&](std::span<const std::byte> bytes) { checkpoints.save(solve, fraction, bytes); };
    // Only a clip's first solve is kept in part: a clip with half an edit would be no better than one without it.
    if (solve == 0 && !clip.finished())
      physics.checkpoints.stopped = [&](const SoftMotion& motion) {
        stopped_[k] = clip;
        set_motion(*stopped_[k], character_.rig->controls(), motion);
      };
    const auto progress_here = [&](const Progress& now) {
      fraction = now.fraction;
      return !progress || progress(now);
    };
    if (clips_.research.any()) {
      const PaperRun paper = run_paper(character_, &base_of(clip), parts, physics, progress_here);
      write_research(clips_.research, paper);
      return set_motion(clip, character_.rig->controls(), paper.motion);
    }
    set_motion(clip, character_.rig->controls(),
               simulate_parts(character_, &base_of(clip), parts, physics, progress_here));
  }

  const ClipsToMake& clips_;
  const Character& character_;
  std::vector<std::optional<RecipeClip>> made_, stopped_;
  std::vector<PartTuning> tuning_;
};

}  // namespace

namespace {

/// Throws Error if the character or its clips lack what corrections change.
void check_fixes(const ClipsToMake& clips) {
  const Character& character = clips.subject.simulated();
  const std::span<const Control> controls = character.rig->controls();
  for (const ClipTask& task : clips.tasks) {
    const Animation& base = *clip_named(character, clips.subject.name(), task.clip.base);
    check_fix(task.clip.fix, controls,
              {.file = clips.fix_file,
               .clip = task.clip.base,
               .duration = base.duration,
               .frame_rate = task.clip.frame_rate});
    for (const Track& track : task.clip.fix.tracks)
      clips.subject.require_correctable(controls[find_control(controls, track.control)], clips.fix_file);
  }
}

}  // namespace

MadeClips make_clips(const ClipsToMake& clips, const std::filesystem::path& partial, bool keep_partial,
                     const JobEvents& events) {
  check_fixes(clips);
  MadeClips result;
  ClipMaker maker(clips);
  const ClipRunOptions options{.partial = partial,
                               .key = partial.empty() ? "" : key_of(clips),
                               .progress = events.progress,
                               .begun =
                                   [&](double share) {
                                     result.resumed_at = share;
                                     if (share > 0)
                                       events.print("resuming at " + std::to_string(std::lround(100 * share)) + " %\n");
                                   },
                               .made =
                                   [&](std::size_t k) {
                                     clips.recipe.clips.push_back(*maker.made(k));
                                     events.print(clip_in_words(clips.recipe, clips.recipe.clips.back()));
                                   }};
  try {
    maker.tune(events.progress);
    run_clips(maker, options);
  } catch (const Cancelled&) {
    std::vector<RecipeClip> all;
    bool any = false;
    for (std::size_t k = 0; k < clips.tasks.size(); ++k) {
      const std::optional<RecipeClip>& known = maker.made(k) ? maker.made(k) : maker.stopped(k);
      all.push_back(known ? *known : clips.tasks[k].clip);
      any = any || known;
    }
    if (!keep_partial || !any) throw;
    result.cancelled = true;
    clips.recipe.clips = std::move(all);
  }
  return result;
}

}  // namespace rigspace
