// rigspace.simulate: the run of `rigspace simulate`, kept in memory until it is saved.

#include "module.h"

#include "collide.h"
#include "earlier_result.h"
#include "rig_content.h"
#include "simulation_plan.h"
#include "simulation_summary.h"

#include "rigspace/anim/plain_character.h"
#include "rigspace/io/blend_file.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>

namespace rigspace::python {
namespace {

namespace fs = std::filesystem;

/// All of a finished run. It is written from here as `rigspace rerun` would write it: the character is opened again.
struct Run {
  CharacterHandle input;
  std::string on;    ///< an earlier result, or empty
  std::string hash;  ///< of the input's file, so that another one is not written in its place
  bool on_controls = false;
  Recipe recipe;                    ///< files to collide with as they were given
  std::vector<RecipePart> planned;  ///< its parts as they were before the character was prepared
  std::vector<std::string> notes;
  std::shared_ptr<const Character> simulated;
};

/// Reads what the other half of the package (rigspace/_simulate.py) has put into words and numbers.
class Reader {
 public:
  explicit Reader(const py::dict& options) : options_(options) {}
  template <class Value>
  void operator()(const char* name, Value& value) const {
    if (options_.contains(name)) value = options_[name].cast<Value>();
  }

 private:
  const py::dict& options_;
};

tools::SimulationRequest request_from(const py::dict& options) {
  const Reader read(options);
  tools::SimulationRequest request;
  read("clip", request.clips), read("parts", request.parts), read("set", request.sets), read("hit", request.hits);
  read("stiffness", request.stiffness), read("start", request.start), read("end", request.end);
  read("preroll", request.preroll), read("loop", request.loop), read("follow", request.follow);
  read("integrator", request.integrator), read("soft", request.soft), read("chains", request.chains);
  read("unit", request.unit), read("solver", request.solver), read("step", request.step);
  read("report", request.report), read("dump", request.dump);
  RecipeOptions& recipe = request.recipe;
  read("fps", recipe.frame_rate), read("additive", recipe.additive), read("max_influences", recipe.max_influences);
  read("protect", recipe.protect), read("collide", recipe.collide);
  std::string keys = "linear", material, method, interior;
  read("keys", keys), read("material", material), read("method", method), read("interior", interior);
  recipe.cubic_keys = keys == "cubic";
  SimulationOptions& physics = recipe.physics;
  read("friction", physics.collisions.friction), read("young", physics.young), read("poisson", physics.poisson);
  read("density", physics.density), read("paper", physics.paper);
  if (!material.empty()) physics.material = material_kind(material);
  if (!method.empty()) physics.method = method_named(method);
  if (!interior.empty()) physics.interior = interior_named(interior);
  return request;
}

/// Joints and skin are opened as a document, which results are added to; all else by its controls.
std::unique_ptr<tools::Subject> open(const Run& run) {
  const CharacterHandle& input = run.input;
  if (run.on_controls) return tools::subject_of(input.name(), *input.character, run.on);
  GltfFile document = input.path.empty() ? GltfFile(to_glb(*input.character), input.name()) : GltfFile(input.path);
  if (!input.path.empty() && !input.added.empty()) {
    for (const Animation& clip : input.added) document.add_animation(clip);
    document = GltfFile(document.to_glb(), input.name());
  }
  return tools::subject_of(input.name(), std::move(document), run.on);
}

/// One clip after another.
class Maker {
 public:
  Maker(const tools::Subject& subject, const tools::SimulationPlan& plan, ProgressCallback progress)
      : subject_(subject), plan_(plan), progress_(std::move(progress)) {}

  /// Throws Cancelled; then `stopped` has what was finished, if it is anything.
  RecipeClip make(std::size_t k) {
    RecipeClip clip = plan_.tasks[k].clip;
    const Character& character = subject_.simulated();
    const Animation* base = tools::clip_named(character, subject_.name(), clip.base);
    SimulationOptions physics = plan_.recipe.options.physics;
    physics.use_cache = true;
    physics.start = clip.start;
    physics.end = clip.end;
    physics.preroll = clip.preroll;
    physics.collisions = tools::collisions_of(plan_.recipe.options, clip.base, "");
    physics.checkpoints.stopped = [&](const SoftMotion& motion) {
      stopped = clip;
      set_motion(*stopped, character.rig->controls(), motion);
    };
    const std::size_t count = plan_.tasks.size();
    const std::string stage =
        count > 1 ? clip.base + " (" + std::to_string(k + 1) + " of " + std::to_string(count) + ")" : clip.base;
    const auto progress = [&](const Progress& now) { return progress_({stage, now.fraction}); };
    if (plan_.research.any()) {
      const PaperRun paper = run_paper(character, base, subject_.parts(), physics, progress);
      tools::write_research(plan_.research, paper);
      set_motion(clip, character.rig->controls(), paper.motion);
    } else {
      set_motion(clip, character.rig->controls(), simulate_parts(character, base, subject_.parts(), physics, progress));
    }
    return clip;
  }

  std::optional<RecipeClip> stopped;

 private:
  const tools::Subject& subject_;
  const tools::SimulationPlan& plan_;
  ProgressCallback progress_;
};

void make_clips(Run& run, const tools::Subject& subject, const tools::SimulationPlan& plan,
                const ProgressCallback& progress, bool keep_partial) {
  Maker maker(subject, plan, progress);
  try {
    for (std::size_t k = 0; k < plan.tasks.size(); ++k) run.recipe.clips.push_back(maker.make(k));
  } catch (const Cancelled&) {
    const std::size_t finished = run.recipe.clips.size();
    if (!keep_partial || (finished == 0 && !maker.stopped)) throw;
    for (std::size_t k = finished; k < plan.tasks.size(); ++k) run.recipe.clips.push_back(plan.tasks[k].clip);
    if (maker.stopped) run.recipe.clips[finished] = *maker.stopped;
  }
}

/// With the clips that were made, as they were simulated.
std::shared_ptr<const Character> with_soft_clips(const Character& simulated, const Recipe& recipe) {
  Character soft = simulated;
  for (const RecipeClip& clip : recipe.clips) {
    if (!clip.has_motion()) continue;
    const SoftMotion motion = motion_from_recipe(clip, soft.rig->controls());
    Animation made = soft_clip(simulated, simulated.clip(clip.base), motion, clip.frame_rate);
    made.name = clip.name;
    soft.clips.push_back(std::move(made));
  }
  return std::make_shared<const Character>(std::move(soft));
}

Run simulate(const CharacterHandle& input, const py::dict& options, const py::object& callback) {
  const tools::SimulationRequest request = request_from(options);
  Run run{.input = input};
  bool keep_partial = false;
  const Reader read(options);
  read("keep_partial", keep_partial), read("on", run.on);
  const ProgressCallback progress = progress_from(callback);
  const py::gil_scoped_release release;
  const tools::ProgressScope scope(progress);
  run.on_controls = !is_plain(*input.character);
  if (input.is_file()) run.hash = tools::file_hash(input.path);
  const std::unique_ptr<tools::Subject> subject = open(run);
  tools::SimulationPlan plan = tools::plan_simulation(*subject, request, run.on_controls);
  tools::colliders_seen_from(plan.recipe.options.collide, "", "");  // throws
  run.planned = plan.recipe.parts;
  run.notes = plan.recipe.notes;
  tools::about_file(subject->name(), subject->character(), [&] { subject->prepare(plan.recipe, run.notes); });
  run.recipe = plan.recipe;
  make_clips(run, *subject, plan, progress, keep_partial);
  run.simulated = with_soft_clips(subject->simulated(), run.recipe);
  return run;
}

/// What `rigspace simulate -o` would have written there.
std::vector<fs::path> save(const Run& run, const fs::path& path, const py::object& callback) {
  const ProgressCallback progress = progress_from(callback);
  const py::gil_scoped_release release;
  const tools::ProgressScope scope(progress);
  const bool from_file = run.input.is_file();
  if (from_file && tools::file_hash(run.input.path) != run.hash)
    throw Error({.file = run.input.path.string(),
                 .problem = "has changed since it was simulated",
                 .remedy = "load it and simulate it again"});
  tools::Opened opened;
  if (from_file) {
    const std::string object = is_blend_file(run.input.path) ? run.input.character->name : "";
    opened = tools::open_subject({.character = {.file = run.input.path.string(), .object = object}, .on = run.on}, path,
                                 {.json = true});
  } else {
    opened.out = run.on_controls ? tools::RunFiles::of_curves(path) : tools::RunFiles::of_model(path);
    if (!run.on_controls) tools::check_extension(opened.out.model, "glb gltf");
    const fs::path inputs[] = {run.input.path, run.on};
    opened.out.check(inputs);
    opened.subject = open(run);
  }
  const tools::RunFiles& out = opened.out;
  Recipe recipe = run.recipe;
  recipe.format = out.format();
  recipe.parts = run.planned;
  recipe.options.collide = tools::colliders_seen_from(recipe.options.collide, "", out.recipe.parent_path());
  std::vector<std::string> notes = recipe.notes;
  opened.subject->prepare(recipe, notes);
  opened.subject->write(recipe, out, notes);
  std::vector<fs::path> written = out.written();
  if (!from_file) {
    std::erase(written, out.recipe);
    return written;
  }
  recipe.input = opened.subject->describe(out.recipe);
  recipe.on = tools::describe_earlier(run.on, out.recipe);
  write_recipe(out.recipe, recipe);
  return written;
}

/// {clip: (times, names of controls, deviations)}.
py::dict curves(const Run& run) {
  py::dict all;
  const std::span<const Control> controls = run.simulated->rig->controls();
  for (const RecipeClip& clip : run.recipe.clips) {
    if (!clip.has_motion()) continue;
    const SoftMotion motion = motion_from_recipe(clip, controls);
    std::vector<std::string> names;
    for (const int c : motion.controls) names.push_back(controls[c].name);
    all[py::str(clip.name)] =
        py::make_tuple(array_from(Eigen::Map<const Vec>(motion.times.data(), std::ssize(motion.times))), names,
                       matrix_array(motion.deviation.transpose()));
  }
  return all;
}

std::string report(const Run& run) {
  nlohmann::ordered_json json{{"notes", run.notes}, {"clips", nlohmann::ordered_json::array()}};
  for (const RecipeClip& clip : run.recipe.clips)
    if (clip.has_motion()) json["clips"].push_back(tools::clip_json(run.recipe, clip));
  return json.dump();
}

std::string summary(const Run& run) {
  std::string text = tools::parts_in_words(run.recipe);
  for (const RecipeClip& clip : run.recipe.clips)
    if (clip.has_motion()) text += tools::clip_in_words(run.recipe, clip);
  return text;
}

}  // namespace

void bind_simulate(py::module_& m) {
  py::class_<Run>(m, "Run")
      .def_property_readonly("character",
                             [](const Run& self) {
                               CharacterHandle soft(*self.simulated);
                               return soft;
                             })
      .def("curves", &curves)
      .def("report", &report)
      .def("summary", &summary)
      .def_property_readonly("stopped",
                             [](const Run& self) {
                               return std::any_of(self.recipe.clips.begin(), self.recipe.clips.end(),
                                                  [](const RecipeClip& clip) { return !clip.finished(); });
                             })
      .def("save", &save, py::arg("path"), py::arg("progress"));
  m.def("simulate", &simulate, py::arg("character"), py::arg("options"), py::arg("progress"));
  m.def("presets", [] {
    std::vector<std::string> names;
    for (const Preset& preset : presets()) names.emplace_back(preset.name);
    return names;
  });
}

}  // namespace rigspace::python
