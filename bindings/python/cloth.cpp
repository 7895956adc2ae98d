// rigspace.cloth: garments over the clips of a character.

#include "module.h"

#include "rigspace/apps/clothing/cloth_job.h"
#include "rigspace/apps/clothing/garment_file.h"
#include "rigspace/base/error.h"
#include "rigspace/jobs/arguments.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace rigspace::python {
namespace {

namespace fs = std::filesystem;

DressOptions dress_options(const py::dict& given) {
  DressOptions options;
  ClothOptions& cloth = options.cloth;
  const std::pair<const char*, double*> numbers[] = {{"unit", &options.unit},
                                                     {"scale", &options.scale},
                                                     {"attach", &options.attach},
                                                     {"refine", &options.refine},
                                                     {"lead", &options.lead},
                                                     {"clearance", &options.clearance},
                                                     {"warp", &cloth.material.warp},
                                                     {"weft", &cloth.material.weft},
                                                     {"shear", &cloth.material.shear},
                                                     {"bending", &cloth.material.bending},
                                                     {"density", &cloth.material.density},
                                                     {"damping", &cloth.material.damping},
                                                     {"friction", &cloth.contact.friction},
                                                     {"distance", &cloth.contact.distance},
                                                     {"step", &cloth.step},
                                                     {"tolerance", &cloth.tolerance}};
  for (const auto& [name, value] : numbers)
    if (given.contains(name)) *value = given[name].cast<double>();
  if (given.contains("move")) options.move = points_from(Array(given["move"]), 1, "move");
  if (given.contains("wind")) cloth.wind = points_from(Array(given["wind"]), 1, "wind");
  if (given.contains("self_contact")) cloth.contact.self = given["self_contact"].cast<bool>();
  if (given.contains("relax")) options.relax = given["relax"].cast<bool>();
  if (given.contains("without")) options.without = given["without"].cast<std::vector<std::string>>();
  if (given.contains("keep")) options.keep = given["keep"].cast<fs::path>();
  return options;
}

/// A dressed character with the character that it refers to. Calls from several threads wait for each other.
class DressedHandle {
 public:
  DressedHandle(const CharacterHandle& handle, std::string garment, const py::dict& options, const py::object& callback)
      : character_(handle.character), file_(handle.is_file() ? handle.path : fs::path()), garment_(std::move(garment)) {
    const DressOptions dress = dress_options(options);
    const ProgressCallback progress = progress_from(callback);
    const py::gil_scoped_release release;
    dressed_ = std::make_unique<DressedCharacter>(*character_, garment_, dress, progress);
  }
  const DressedCharacter& operator*() const { return *dressed_; }
  const Character& character() const { return *character_; }
  const fs::path& file() const { return file_; }
  const std::string& garment() const { return garment_; }
  std::mutex& mutex() const { return mutex_; }

 private:
  std::shared_ptr<const Character> character_;
  fs::path file_;
  std::string garment_;
  std::unique_ptr<DressedCharacter> dressed_;
  mutable std::mutex mutex_;
};

struct WornMotion {
  std::shared_ptr<const DressedHandle> dressed;
  const Animation* clip = nullptr;
  ClothMotion motion;
  double fps = 24;
};

WornMotion simulate_worn(std::shared_ptr<const DressedHandle> dressed, const std::string& clip, double fps,
                         double start, const py::object& end, const fs::path& database, const py::object& callback) {
  WornMotion worn{.dressed = std::move(dressed), .fps = fps};
  const DressedHandle& handle = *worn.dressed;
  const Character& character = handle.character();
  if (!clip.empty())
    worn.clip = clip_named(character, character.name, clip);
  else if (!character.clips.empty())
    worn.clip = &character.clips.front();
  const ProgressCallback progress = progress_from(callback);
  const bool whole = end.is_none() && start == 0 && worn.clip != nullptr;
  const double last = end.is_none() ? (worn.clip != nullptr ? worn.clip->duration : 1) : end.cast<double>();
  const py::gil_scoped_release release;
  const std::lock_guard lock(handle.mutex());
  require_frame_rate(fps, "fps");
  std::shared_ptr<const PoseSpaceDatabase> learned;
  if (!database.empty())
    learned = std::make_shared<PoseSpaceDatabase>(PoseSpaceDatabase::load(database, (*handle).garment_hash()));
  worn.motion = whole ? (*handle).play(*worn.clip, fps, progress, learned)
                      : (*handle).simulate(worn.clip, {.start = start, .end = last, .rate = fps}, progress, learned);
  return worn;
}

std::vector<std::string> save_worn(const WornMotion& worn, const fs::path& path) {
  const py::gil_scoped_release release;
  const DressedHandle& handle = *worn.dressed;
  if (path.extension() == ".glb" || path.extension() == ".gltf") {
    if (handle.file().empty() || worn.clip == nullptr)
      throw Error({.code = ErrorCode::usage,
                   .file = path.string(),
                   .problem = "needs a character from a file, with a clip: the garment is added there",
                   .remedy = "save the character and load it, or write .mdd, .pc2 or .obj"});
    const DressedClip clips[] = {{worn.clip, worn.motion}};
    write_dressed(handle.file(), path, handle.garment(), *handle, clips);
    return {path.string()};
  }
  std::vector<Vec> frames;
  for (const Vec& frame : worn.motion.frames) frames.push_back((*handle).as_given(frame));
  return write_cloth_motion(path, (*handle).given_triangles(), frames, worn.fps);
}

py::array_t<double> cloth_frames(const WornMotion& worn) {
  const auto count = std::ssize(worn.motion.frames);
  const Eigen::Index size = (*(*worn.dressed)).as_given(worn.motion.frames.front()).size();
  py::array_t<double> array({static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(size / 3), py::ssize_t{3}});
  for (std::ptrdiff_t k = 0; k < count; ++k)
    Eigen::Map<Vec>(array.mutable_data() + k * size, size) =
        (*(*worn.dressed)).as_given(worn.motion.frames[static_cast<std::size_t>(k)]);
  return array;
}

py::dict cloth_report(const WornMotion& worn) {
  const ClothReport& r = worn.motion.report;
  py::dict report;
  report["steps"] = r.steps, report["extra_steps"] = r.extra_steps, report["iterations"] = r.iterations;
  report["cuts"] = r.impulses.cuts, report["unfinished"] = r.unfinished, report["released"] = r.released;
  report["absent"] = r.absent, report["nearest"] = r.nearest, report["worst_stretch"] = r.worst_stretch;
  return report;
}

py::dict train_worn(const DressedHandle& handle, const std::vector<std::string>& clips, const fs::path& path,
                    double fps, int sites, const py::object& callback) {
  const ProgressCallback progress = progress_from(callback);
  py::dict answer;
  std::unique_ptr<PoseSpaceDatabase> database;
  {
    const py::gil_scoped_release release;
    const std::lock_guard lock(handle.mutex());
    const auto chosen = cloth_clips(handle.character(), handle.character().name, clips, true);
    TrainClothOptions options{.fps = fps};
    options.database.sites = sites > 0 ? sites : std::max(2, static_cast<int>(std::lround(2.5 * std::ssize(chosen))));
    database = std::make_unique<PoseSpaceDatabase>(
        train_cloth(*handle, chosen, path.string() + ".training", options, progress));
    database->save(path);
  }
  answer["sites"] = database->site_count(), answer["vectors"] = database->vector_count();
  return answer;
}

}  // namespace

void bind_cloth(py::module_& m) {
  py::class_<DressedHandle, std::shared_ptr<DressedHandle>>(m, "Dressed",
                                                            "A garment on a character: `rigspace.cloth.dress`.")
      .def(py::init<const CharacterHandle&, std::string, const py::dict&, const py::object&>())
      .def("_simulate", &simulate_worn)
      .def("_train", &train_worn)
      .def_property_readonly(
          "triangles", [](const DressedHandle& self) { return rows_array<3>((*self).given_triangles()); },
          "(m, 3), of the garment as given.")
      .def_property_readonly(
          "simulated_points", [](const DressedHandle& self) { return (*self).garment().mesh.point_count(); },
          "After refinement and welding.")
      .def_property_readonly(
          "held_points", [](const DressedHandle& self) { return (*self).garment().pins.size(); },
          "By the body or a bone.")
      .def_property_readonly(
          "moved_out", [](const DressedHandle& self) { return (*self).freed().farthest; },
          "Metres: how far a point was moved so that the garment begins outside the body.")
      .def_property_readonly(
          "self_contact", [](const DressedHandle& self) { return (*self).self_contact(); },
          "Off where the garment passes through itself at the start.");
  py::class_<WornMotion>(m, "ClothMotion", "What `rigspace.cloth.simulate` gives.")
      .def_property_readonly(
          "clip", [](const WornMotion& self) { return self.clip != nullptr ? self.clip->name : std::string(); })
      .def_property_readonly(
          "times",
          [](const WornMotion& self) {
            return array_from(Eigen::Map<const Vec>(self.motion.times.data(), std::ssize(self.motion.times)));
          },
          "Seconds of the clip.")
      .def_property_readonly("frames", &cloth_frames,
                             "(times, points, 3): scene units, points as the garment has them.")
      .def_property_readonly(
          "triangles", [](const WornMotion& self) { return rows_array<3>((*(*self.dressed)).given_triangles()); },
          "(m, 3).")
      .def_property_readonly("report", &cloth_report, "Counts of the solver; lengths in metres.")
      .def("save", &save_worn, py::arg("path"),
           "By ending: .mdd, .pc2, .obj (a sequence), or .glb, .gltf: the character's file with the garment as joints "
           "and "
           "morph targets. Returns the files.")
      .def("__repr__", [](const WornMotion& self) {
        return py::str("<rigspace.ClothMotion, {} frames>").format(self.motion.frames.size());
      });
}

}  // namespace rigspace::python
