// rigspace.forces: flesh that an animator shapes by forces.

#include "module.h"

#include "rigspace/apps/clothing/garment_file.h"
#include "rigspace/apps/forces/force_edits.h"
#include "rigspace/apps/forces/force_motion.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/jobs/arguments.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>

namespace rigspace::python {
namespace {

namespace fs = std::filesystem;

/// A force rig with the folder of its mesh. Never changed: edits make another one.
struct ForcesHandle {
  ForcesFile file;
  fs::path folder;  ///< where file.plan.mesh lies; empty: the character is no file
  std::shared_ptr<CharacterHandle> character;
  py::dict report;  ///< of the edit that made it

  ForcesHandle(ForcesFile from, fs::path beside) : file(std::move(from)), folder(std::move(beside)) {
    character = std::make_shared<CharacterHandle>(file.character);
  }
};
using Handle = std::shared_ptr<ForcesHandle>;

fs::path folder_of(const CharacterHandle& character) {
  return character.is_file() ? fs::absolute(character.path).parent_path() : fs::path();
}

Handle make_lattice(const CharacterHandle& character, const py::dict& given) {
  ForceBodyOptions options;
  const std::pair<const char*, double*> numbers[] = {
      {"cell", &options.cover.cell}, {"young", &options.material.young}, {"poisson", &options.material.poisson},
      {"density", &options.density}, {"twist", &options.twist},          {"twist_radius", &options.twist_radius},
      {"unit", &options.unit}};
  for (const auto& [name, value] : numbers)
    if (given.contains(name)) *value = given[name].cast<double>();
  if (given.contains("cells")) options.cover.cells = given["cells"].cast<int>();
  const fs::path folder = folder_of(character);
  const std::string mesh = folder.empty() ? "" : character.path.filename().string();
  std::optional<ForcesFile> file;
  {
    const py::gil_scoped_release release;
    file = make_forces_file(*character.character, mesh, options);
  }
  return std::make_shared<ForcesHandle>(std::move(*file), folder);
}

Handle load_forces(const fs::path& path) {
  std::optional<ForcesFile> file;
  {
    const py::gil_scoped_release release;
    file = read_forces_file(path);
  }
  return std::make_shared<ForcesHandle>(std::move(*file), fs::absolute(path).parent_path());
}

void save_forces(const ForcesHandle& self, const fs::path& path) {
  const py::gil_scoped_release release;
  if (self.folder.empty())
    throw Error({.code = ErrorCode::usage,
                 .file = path.string(),
                 .problem = "needs a character from a file, beside which it lies",
                 .remedy = "save the character, load it, and make the lattice of that"});
  if (fs::absolute(path).parent_path().lexically_normal() != self.folder.lexically_normal())
    throw Error({.code = ErrorCode::usage,
                 .file = path.string(),
                 .problem = "is not in the folder of " + (self.folder / self.file.plan.mesh).string(),
                 .remedy = "write it beside the character, whose name it keeps"});
  check_extension(path, "json");
  check_apart(self.folder / self.file.plan.mesh, path, "mesh");
  check_writable(path);
  write_file(path, to_forces_json(self.file.plan, *self.file.rig));
}

Handle edited(const ForcesHandle& from, ForcesFile file, py::dict report) {
  auto made = std::make_shared<ForcesHandle>(std::move(file), from.folder);
  made->report = std::move(report);
  return made;
}

Handle place(const ForcesHandle& self, const std::string& kind, const std::string& bone, const py::object& skin,
             std::string name, double radius) {
  ForcesFile file = self.file;
  const ForceTemplate which = force_template(kind);
  const ForceBody& body = *file.bodies->whole();
  if (!bone.empty()) {
    ForceRigPart part = template_on_bone(body, which, bone);
    if (!name.empty()) part.name = part.control = name;
    if (radius > 0)
      for (auto& sample : part.samples) sample.value[1] = radius;
    file.plan.rigs.push_back(std::move(part));
  } else {
    if (name.empty()) name = free_rig_name(file, which);
    const Vec near = points_from(Array(skin), 1, "skin");
    file.plan.rigs.push_back(template_on_skin(body, which, near, name, radius));
  }
  const std::string& made = file.plan.rigs.back().name;
  for (std::size_t k = 0; k + 1 < file.plan.rigs.size(); ++k)
    if (file.plan.rigs[k].name == made)
      throw Error({.code = ErrorCode::usage,
                   .element = "rig \"" + made + "\"",
                   .value = made,
                   .problem = "is there already",
                   .remedy = "give the new one another name"});
  renew_rigs(file);
  py::dict report;
  report["name"] = file.plan.rigs.back().name;
  return edited(self, std::move(file), report);
}

Handle change(const ForcesHandle& self, const std::string& name, const py::dict& numbers) {
  ForcesFile file = self.file;
  for (const auto& [number, value] : numbers) {
    const ForceRigPart& part = rig_named(file, name);
    set_template_number(file, name, part.samples.size() - 1, number.cast<std::string>(), value.cast<double>());
  }
  return edited(self, std::move(file), {});
}

Handle without(const ForcesHandle& self, const std::string& name) {
  ForcesFile file = self.file;
  rig_named(file, name);
  std::erase_if(file.plan.rigs, [&](const ForceRigPart& part) { return part.name == name; });
  renew_rigs(file);
  return edited(self, std::move(file), {});
}

Handle drag(const ForcesHandle& self, const std::string& name, const std::vector<int>& points, const Array& places,
            const Array& pose, double prior, int iterations) {
  ForcesFile file = self.file;
  const Vec goals = points_from(places, static_cast<Eigen::Index>(points.size()), "places");
  Vec p = vector_from(pose, static_cast<Eigen::Index>(file.rig->controls().size()), "pose");
  DragResult result;
  {
    const py::gil_scoped_release release;
    std::vector<DragTarget> targets;
    std::vector<Vec3> to;
    for (std::size_t k = 0; k < points.size(); ++k)
      to.push_back(point(goals, static_cast<int>(k))), targets.push_back({points[k], to.back()});
    RigDrag hand(file, name, std::move(p), std::move(targets));
    result = hand.move(to, {.prior = prior, .max_iterations = iterations});
    hand.keep(file);
  }
  py::dict report;
  report["before"] = result.before, report["after"] = result.after;
  report["converged"] = result.summary.converged(), report["evaluations"] = result.summary.evaluations;
  return edited(self, std::move(file), report);
}

Handle fit(const ForcesHandle& self, const py::object& target, const py::dict& given) {
  ForcesFile file = self.file;
  RigFitOptions options{.name = given["name"].cast<std::string>(), .control = given["control"].cast<std::string>()};
  options.p = vector_from(Array(given["pose"]), static_cast<Eigen::Index>(file.rig->controls().size()), "pose");
  options.free = given["free"].cast<std::vector<std::string>>();
  options.fit.tolerance = given["refine"].cast<double>();
  options.fit.levels = given["levels"].cast<int>();
  options.fit.fit.smoothness = given["smoothness"].cast<double>();
  options.fit.fit.correspond = !given["nearest"].cast<bool>();
  options.fit.fit.points = given["points"].cast<std::vector<int>>();
  TriMesh mesh;
  const bool is_file = py::isinstance<py::str>(target);
  const fs::path path = is_file ? fs::path(target.cast<std::string>()) : fs::path();
  if (!is_file) mesh = {points_from(Array(target), -1, "target"), file.rig->body().triangles};
  RigFit made;
  {
    const py::gil_scoped_release release;
    if (is_file) mesh = read_obj_mesh(path);
    try {
      made = fit_rig(file, mesh, options);
    } catch (const Error& error) {
      throw is_file && error.code() != ErrorCode::usage ? error.in_file(path.string()) : error;
    }
  }
  py::dict report;
  report["control"] = made.control, report["before"] = made.found.before, report["after"] = made.found.after;
  report["pose"] = array_from(made.p);
  report["worst"] = made.found.worst, report["rounds"] = made.found.rounds;
  return edited(self, std::move(file), report);
}

Handle transfer(const ForcesHandle& self, const CharacterHandle& to, const std::map<std::string, std::string>& joints,
                const py::object& callback) {
  const ProgressCallback progress = progress_from(callback);
  const fs::path folder = folder_of(to);
  std::optional<RigTransfer> made;
  {
    const py::gil_scoped_release release;
    made = transfer_forces(self.file, *to.character, folder.empty() ? "" : to.path.filename().string(),
                           {.joints = joints}, progress);
  }
  auto handle = std::make_shared<ForcesHandle>(std::move(made->file), folder);
  handle->report["skeleton_error"] = made->map.skeleton_error;
  handle->report["surface_error"] = made->map.surface_error;
  handle->report["least_volume"] = made->map.least_volume;
  handle->report["own_lattice"] = made->map.lacking > 0;
  return handle;
}

struct PlayedForces {
  Handle rig;
  std::string clip;
  ForceMotion motion;
  double fps = 24;
};

PlayedForces play(Handle rig, const std::string& clip, double fps, bool is_static, bool creases, double half_life,
                  const Array& pose, const py::object& callback) {
  const ForcesFile& file = rig->file;
  ForcePlayOptions options{.rate = fps, .dynamic = !is_static, .creases = creases};
  if (half_life >= 0) options.simulation.half_life = half_life;
  options.pose = vector_from(pose, static_cast<Eigen::Index>(file.rig->controls().size()), "pose");
  const ProgressCallback progress = progress_from(callback);
  PlayedForces played{.rig = std::move(rig), .fps = fps};
  const py::gil_scoped_release release;
  require_frame_rate(fps, "fps");
  const Animation* chosen = clip.empty() ? nullptr : clip_named(file.character, file.character.name, clip);
  if (chosen == nullptr && !file.character.clips.empty()) chosen = &file.character.clips.front();
  if (chosen == nullptr)
    throw Error({.code = ErrorCode::bad_input,
                 .file = file.plan.mesh,
                 .problem = "has no clips",
                 .remedy = "give a character with an animation"});
  played.clip = chosen->name;
  const bool splits =
      std::any_of(file.plan.rigs.begin(), file.plan.rigs.end(), [](const auto& part) { return !part.splits.empty(); });
  played.motion = splits ? play_forces(file.bodies, file.plan.rigs, *chosen, options, progress)
                         : play_forces(file.rig, *chosen, options, progress);
  return played;
}

std::vector<std::string> save_played(const PlayedForces& played, const fs::path& path) {
  const py::gil_scoped_release release;
  const ForcesHandle& rig = *played.rig;
  check_extension(path, "glb gltf mdd pc2 obj");
  check_writable(path);
  if (path.extension() != ".glb" && path.extension() != ".gltf")
    return write_cloth_motion(path, rig.file.rig->body().triangles, played.motion.frames, played.fps);
  if (rig.folder.empty())
    throw Error({.code = ErrorCode::usage,
                 .file = path.string(),
                 .problem = "needs a character from a file: the flesh is added there",
                 .remedy = "save the character and load it, or write .mdd, .pc2 or .obj"});
  check_apart(rig.folder / rig.file.plan.mesh, path, "mesh");
  write_forces_glb(rig.folder / rig.file.plan.mesh, *rig.file.rig, played.clip, played.motion, path);
  return {path.string()};
}

py::array_t<double> played_frames(const PlayedForces& played) {
  const auto count = std::ssize(played.motion.frames);
  const Eigen::Index size = played.motion.frames.front().size();
  py::array_t<double> array({static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(size / 3), py::ssize_t{3}});
  for (std::ptrdiff_t k = 0; k < count; ++k)
    Eigen::Map<Vec>(array.mutable_data() + k * size, size) = played.motion.frames[static_cast<std::size_t>(k)];
  return array;
}

py::list rigs_of(const ForcesHandle& self) {
  py::list list;
  for (const ForceRigPart& part : self.file.plan.rigs) {
    py::dict each;
    each["name"] = part.name, each["control"] = part.control;
    each["template"] = part.is_template() ? py::cast(std::string(name(part.force.front().kind))) : py::none();
    py::list samples;
    for (const auto& sample : part.samples) {
      py::dict row;
      row["at"] = sample.at;
      if (part.is_template()) {
        const auto names = part.force.front().parameter_names();
        for (std::size_t k = 0; k < names.size(); ++k)
          row[py::str(std::string(names[k]))] = sample.value[static_cast<Eigen::Index>(k)];
      } else {
        row["forces"] = points_array(sample.value);
      }
      samples.append(row);
    }
    each["samples"] = samples;
    list.append(each);
  }
  return list;
}

}  // namespace

void bind_forces(py::module_& m) {
  py::class_<ForcesHandle, Handle>(m, "ForceRig",
                                   "A character as flesh in a lattice, with rigs of forces: see `rigspace.forces`.")
      .def("_place", &place)
      .def("_change", &change)
      .def("_without", &without)
      .def("_drag", &drag)
      .def("_fit", &fit)
      .def("_transfer", &transfer)
      .def("_play", &play)
      .def("save", &save_forces, py::arg("path"),
           "x.forces.json, or x.rig.json: a rig for everything else. Beside the character's file.")
      .def_property_readonly(
          "character", [](const ForcesHandle& self) { return *self.character; },
          "The character with this rig: its pose, and a control for each rig of forces.")
      .def_property_readonly("rigs", &rigs_of,
                             "Dicts of name, control, template (None: a fitted shape) and samples: at, and the "
                             "template's numbers, scene units and radians, or forces (vertices, 3).")
      .def_property_readonly(
          "cells", [](const ForcesHandle& self) { return self.file.rig->body().elements.cell_count(); },
          "Of the lattice, as all rigs split it.")
      .def_property_readonly("vertices", [](const ForcesHandle& self) { return self.file.rig->body().vertex_count(); })
      .def_property_readonly(
          "report", [](const ForcesHandle& self) { return self.report; },
          "Of the edit that made it: distances before and after, scene units.")
      .def("__repr__", [](const ForcesHandle& self) {
        return py::str("<rigspace.ForceRig, {} cells, {} rigs>")
            .format(self.file.rig->body().elements.cell_count(), self.file.plan.rigs.size());
      });
  py::class_<PlayedForces>(m, "ForceMotion", "What `rigspace.forces.simulate` gives.")
      .def_readonly("clip", &PlayedForces::clip)
      .def_property_readonly(
          "times",
          [](const PlayedForces& self) {
            return array_from(Eigen::Map<const Vec>(self.motion.times.data(), std::ssize(self.motion.times)));
          },
          "Seconds of the clip.")
      .def_property_readonly("frames", &played_frames, "(times, points, 3): scene units.")
      .def_property_readonly(
          "report",
          [](const PlayedForces& self) {
            py::dict report;
            report["steps"] = self.motion.steps, report["seeds"] = self.motion.seeds;
            report["contacts"] = self.motion.contacts, report["unsettled"] = self.motion.unsettled;
            return report;
          },
          "Counts: steps, and of creases their seeds, the most points held at a time, steps that did not settle.")
      .def("save", &save_played, py::arg("path"),
           "By ending: .mdd, .pc2, .obj (a sequence), or .glb, .gltf: the character's file with the flesh as joints "
           "and morph targets. Returns the files.")
      .def("__repr__", [](const PlayedForces& self) {
        return py::str("<rigspace.ForceMotion, {} frames>").format(self.motion.frames.size());
      });
  m.def("forces_lattice", &make_lattice);
  m.def("forces_load", &load_forces);
}

}  // namespace rigspace::python
