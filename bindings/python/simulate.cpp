// rigspace.simulate: the run of `rigspace simulate`, kept in memory until it is saved.

#include "module.h"

#include "rigspace/apps/physics/simulate.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace rigspace::python {
namespace {

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

SimulationRequest request_from(const py::dict& options) {
  const Reader read(options);
  SimulationRequest request;
  read("clip", request.clips), read("parts", request.parts), read("set", request.sets), read("hit", request.hits);
  read("fix", request.fix);
  read("stiffness", request.stiffness), read("start", request.start), read("end", request.end);
  read("preroll", request.preroll), read("loop", request.loop), read("once", request.once),
      read("follow", request.follow);
  read("integrator", request.integrator), read("soft", request.soft), read("chains", request.chains);
  read("unit", request.unit), read("solver", request.solver), read("step", request.step);
  read("report", request.report), read("dump", request.dump);
  RecipeOptions& recipe = request.recipe;
  read("fps", recipe.frame_rate), read("additive", recipe.additive), read("max_influences", recipe.max_influences);
  read("protect", recipe.protect), read("collide", recipe.collide);
  std::string keys = "linear", material, method, interior, gravity;
  read("keys", keys), read("material", material), read("method", method), read("interior", interior);
  read("gravity", gravity);
  recipe.cubic_keys = keys == "cubic";
  SimulationOptions& physics = recipe.physics;
  read("friction", physics.collisions.friction), read("young", physics.young), read("poisson", physics.poisson);
  read("density", physics.density), read("paper", physics.paper), read("quality", physics.quality);
  bool pure = false;
  read("pure", pure);
  if (pure) physics.corrections = Corrections::none();
  if (!gravity.empty()) physics.gravity = gravity_from_words(gravity);
  if (!material.empty()) physics.material = material_kind(material);
  if (!method.empty()) physics.method = method_named(method);
  if (!interior.empty()) physics.interior = interior_named(interior);
  return request;
}

using Run = SimulatedCharacter;

std::unique_ptr<Run> simulate(const CharacterHandle& input, const py::dict& options, const py::object& callback) {
  SimulationRequest request = request_from(options);
  std::string on;
  const Reader read(options);
  read("keep_partial", request.keep_partial), read("on", on);
  const JobEvents events{.progress = progress_from(callback)};
  const py::gil_scoped_release release;
  return std::make_unique<Run>(MemoryCharacter{.name = input.name(),
                                               .character = input.character,
                                               .path = input.path,
                                               .added = input.added,
                                               .is_file = input.is_file()},
                               request, on, events);
}

std::vector<std::filesystem::path> save(const Run& run, const std::filesystem::path& path, const py::object& callback) {
  const JobEvents events{.progress = progress_from(callback)};
  const py::gil_scoped_release release;
  return run.save(path, events);
}

/// {clip: (times, names of controls, deviations)}.
py::dict curves(const Run& run) {
  py::dict all;
  const std::span<const Control> controls = run.character().rig->controls();
  for (const RecipeClip& clip : run.recipe().clips) {
    if (!clip.has_motion()) continue;
    const SoftMotion motion = layered_motion(clip, controls);
    std::vector<std::string> names;
    for (const int c : motion.controls) names.push_back(controls[c].name);
    all[py::str(clip.name)] =
        py::make_tuple(array_from(Eigen::Map<const Vec>(motion.times.data(), std::ssize(motion.times))), names,
                       matrix_array(motion.deviation.transpose()));
  }
  return all;
}

std::string report(const Run& run) {
  nlohmann::ordered_json json{{"notes", run.notes()}, {"clips", nlohmann::ordered_json::array()}};
  for (const RecipeClip& clip : run.recipe().clips)
    if (clip.has_motion()) json["clips"].push_back(clip_json(run.recipe(), clip));
  return json.dump();
}

std::string summary(const Run& run) {
  std::string text = parts_in_words(run.recipe());
  for (const RecipeClip& clip : run.recipe().clips)
    if (clip.has_motion()) text += clip_in_words(run.recipe(), clip);
  return text;
}

}  // namespace

void bind_simulate(py::module_& m) {
  py::class_<Run>(m, "Run")
      .def_property_readonly("character",
                             [](const Run& self) {
                               CharacterHandle soft(self.character());
                               return soft;
                             })
      .def("curves", &curves)
      .def("report", &report)
      .def("summary", &summary)
      .def_property_readonly("stopped",
                             [](const Run& self) {
                               return std::any_of(self.recipe().clips.begin(), self.recipe().clips.end(),
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
