// rigspace.inverse: motions onto the controls of a rig, learned from its clips.

#include "module.h"

#include "rigspace/anim/kept_keys.h"
#include "rigspace/anim/key_fitting.h"
#include "rigspace/apps/inverse/mapped_keys.h"
#include "rigspace/apps/inverse/point_targets.h"
#include "rigspace/base/error.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <numbers>

namespace rigspace::python {
namespace {

Kernel kernel_named(const std::string& word) {
  for (const Kernel each : kKernels) {
    std::string known(name(each));
    std::ranges::replace(known, ' ', '-');
    if (known == word) return each;
  }
  throw Error({.code = ErrorCode::usage,
               .element = "kernel \"" + word + "\"",
               .value = word,
               .problem = "is not known",
               .remedy = "use multiquadric, squared-exponential, linear or polynomial"});
}

/// A model with the character that it refers to; calls from several threads wait for each other.
class ModelHandle {
 public:
  ModelHandle(const CharacterHandle& handle, const py::dict& options, const py::object& callback)
      : character_(handle.character), file_(handle.path) {
    InverseTraining training{.clips = options["clips"].cast<std::vector<std::string>>(),
                             .joints = options["joints"].cast<std::vector<std::string>>(),
                             .points = options["points"].cast<std::vector<int>>(),
                             .heading = options["heading"].cast<bool>(),
                             .samples = options["samples"].cast<int>(),
                             .kernel = kernel_named(options["kernel"].cast<std::string>()),
                             .rate = options["rate"].cast<double>()};
    const int spread = options["point_count"].cast<int>();
    const ProgressCallback progress = progress_from(callback);
    const py::gil_scoped_release release;
    if (spread > 0) training.points = spread_points(*character_, spread);
    if (training.joints.empty() && training.points.empty()) {
      training.joints = body_features(*character_);
      training.all_rotations = !training.joints.empty();
    }
    model_ = std::make_unique<InverseModel>(*character_, training, progress);
  }
  ModelHandle(const std::filesystem::path& path, const CharacterHandle& handle)
      : character_(handle.character), file_(handle.path) {
    const py::gil_scoped_release release;
    model_ = std::make_unique<InverseModel>(InverseModel::load(path, *character_));
  }

  void save(const std::filesystem::path& path) const {
    const py::gil_scoped_release release;
    const auto folder = std::filesystem::absolute(path).parent_path();
    model_->save(path,
                 file_.empty() ? "" : std::filesystem::proximate(std::filesystem::absolute(file_), folder).string());
  }

  InversePose solve(const Array& x, int iterations, double smoothness, const InversePose* before) const {
    const Vec target = points_from(x, model_->features().count(), "x");
    const py::gil_scoped_release release;
    const std::lock_guard lock(*mutex_);
    return model_->solve(target, {.max_iterations = iterations, .smoothness = smoothness}, before);
  }

  Vec places(const Array& p) const {
    const Vec pose = vector_from(p, static_cast<Eigen::Index>(character_->rig->controls().size()), "p");
    const py::gil_scoped_release release;
    const std::lock_guard lock(*mutex_);
    Vec x;
    model_->features().evaluate(pose, x);
    return x;
  }

  const InverseModel& operator*() const { return *model_; }
  const Character& character() const { return *character_; }
  std::mutex& mutex() const { return *mutex_; }

 private:
  std::shared_ptr<const Character> character_;
  std::filesystem::path file_;
  std::unique_ptr<InverseModel> model_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

struct Mapped {
  MappedMotion motion;
  JointMotion targets;
  std::vector<py::tuple> matches;  // own joint, its counterpart or None, part, how, sure
};

const Animation& clip_named(const Character& source, const std::string& wanted) {
  for (const Animation& clip : source.clips)
    if (wanted.empty() || clip.name == wanted) return clip;
  throw Error({.code = ErrorCode::usage,
               .file = source.name,
               .element = wanted.empty() ? "motion" : "clip \"" + wanted + "\"",
               .value = wanted,
               .problem = wanted.empty() ? "has no clips" : "is not in this file",
               .remedy = "see Character.clips"});
}

/// `source`: a character, or the path of a table or cache of points.
Mapped apply(const ModelHandle& handle, const py::object& source, const py::dict& options, const py::object& callback) {
  JointMotionOptions settings{.rate = options["rate"].cast<double>(),
                              .plant_feet = options["plant_feet"].cast<bool>(),
                              .reference_time = options["reference_time"].cast<double>()};
  for (const auto& [own, other] : options["map"].cast<py::dict>())
    settings.given.push_back({own.cast<std::string>(), other.is_none() ? "" : other.cast<std::string>()});
  const RefineOptions refine{.max_iterations = options["iterations"].cast<int>(),
                             .smoothness = options["smoothness"].cast<double>()};
  const auto clip_name = options["clip"].cast<std::string>();
  const auto keys = options["keys"].cast<double>();
  const bool keep = options["keep_keys"].cast<bool>();
  const ProgressCallback progress = progress_from(callback);
  const bool is_character = py::isinstance<CharacterHandle>(source);
  const auto moving = is_character ? source.cast<const CharacterHandle&>().character : nullptr;
  const auto path = is_character ? std::filesystem::path() : source.cast<std::filesystem::path>();
  Mapped mapped;
  {
    const py::gil_scoped_release release;
    const std::lock_guard lock(handle.mutex());
    const Character& own = handle.character();
    const Animation* clip = is_character ? &clip_named(*moving, clip_name) : nullptr;
    mapped.targets = clip != nullptr
                         ? joint_motion(own, *handle, *moving, *clip, settings)
                         : point_targets(own, *handle, read_point_motion(path, settings.rate > 0 ? settings.rate : 30),
                                         settings.given);
    mapped.motion = map_motion(own, *handle, mapped.targets, refine, progress);
    Animation& made = mapped.motion.clip;
    const std::string name = made.name + (own.clip(made.name) != nullptr ? "_mapped" : "");
    if (keep && clip != nullptr)
      made = with_keys_at(made, key_times(*clip));
    else if (keys > 0)
      made = with_mapped_keys(own, made, clip, keys, progress).clip;
    made.name = name;
  }
  for (const JointMatch& match : mapped.targets.mapping.matches)
    mapped.matches.push_back(py::make_tuple(handle.character().bones[static_cast<std::size_t>(match.own)].name,
                                            match.source < 0
                                                ? py::object(py::none())
                                                : py::cast(moving->bones[static_cast<std::size_t>(match.source)].name),
                                            match.what, match.how, match.sure));
  return mapped;
}

}  // namespace

void bind_inverse(py::module_& m) {
  py::class_<InversePose>(m, "InversePose", "A pose that a model found for places.")
      .def_property_readonly(
          "p", [](const InversePose& self) { return array_from(self.p); }, "All control values.")
      .def_readonly("error", &InversePose::joint_error,
                    "Root mean square distance from the places, as a share of the size.")
      .def_readonly("uncertainty", &InversePose::uncertainty,
                    "Of the prediction, beside that of the examples; above 2 it is a guess.")
      .def_readonly("guessed", &InversePose::guessed, "Far from all examples.")
      .def_readonly("iterations", &InversePose::iterations)
      .def_readonly("converged", &InversePose::converged)
      .def("__repr__", [](const InversePose& self) {
        return py::str("<rigspace.InversePose, {:.2g} % away{}>")
            .format(100 * self.joint_error, self.guessed ? ", guessed" : "");
      });
  py::class_<Mapped>(m, "MappedMotion", "What `rigspace.inverse.apply` gives.")
      .def_property_readonly(
          "clip", [](const Mapped& self) { return self.motion.clip; }, "For Character.with_clips.")
      .def_property_readonly(
          "times",
          [](const Mapped& self) {
            return array_from(Eigen::Map<const Vec>(self.targets.times.data(), std::ssize(self.targets.times)));
          },
          "Seconds, of the frames.")
      .def_property_readonly(
          "poses", [](const Mapped& self) { return self.motion.frames; }, "One for each time.")
      .def_property_readonly(
          "targets", [](const Mapped& self) { return matrix_array(self.targets.X); }, "(times, 3 joints).")
      .def_property_readonly(
          "error", [](const Mapped& self) { return self.motion.joint_error; },
          "Root mean square, as a share of the size.")
      .def_property_readonly(
          "worst_error", [](const Mapped& self) { return self.motion.worst_error; }, "Of a frame.")
      .def_property_readonly(
          "guessed", [](const Mapped& self) { return self.motion.guessed; }, "Frames that are far from all examples.")
      .def_property_readonly(
          "scale", [](const Mapped& self) { return self.targets.scale; }, "Own size / the motion's.")
      .def_property_readonly(
          "sliding", [](const Mapped& self) { return self.motion.sliding; },
          "Of feet that stand, own leg lengths a second.")
      .def_property_readonly(
          "direction_error", [](const Mapped& self) { return self.motion.direction_error; },
          "Of arms and legs from the motion's, radians.")
      .def_property_readonly(
          "matches", [](const Mapped& self) { return self.matches; },
          "(joint, joint of the motion or None, part of the body, how, how sure) of each.")
      .def("__repr__", [](const Mapped& self) {
        return py::str("<rigspace.MappedMotion, {} frames, {:.2g} % away>")
            .format(self.motion.frames.size(), 100 * self.motion.joint_error);
      });
  py::class_<ModelHandle>(m, "InverseModel",
                          "The learned inverse of a rig: made by `rigspace.inverse.train` or `load`.")
      .def(py::init<const CharacterHandle&, const py::dict&, const py::object&>())
      .def(py::init<const std::filesystem::path&, const CharacterHandle&>())
      .def("save", &ModelHandle::save, py::arg("path"), "One file, for `load` and the command line.")
      .def("_solve", &ModelHandle::solve, py::arg("x"), py::arg("iterations"), py::arg("smoothness"), py::arg("before"))
      .def(
          "places", [](const ModelHandle& self, const Array& p) { return points_array(self.places(p)); }, py::arg("p"),
          "(joints, 3): where the joints are in a pose.")
      .def_property_readonly(
          "joints", [](const ModelHandle& self) { return (*self).features().names(); },
          "Names of the places, in their order.")
      .def_property_readonly(
          "size", [](const ModelHandle& self) { return (*self).size(); }, "Of the places at rest, scene units.")
      .def_property_readonly("samples", [](const ModelHandle& self) { return (*self).regression().count(); })
      .def_property_readonly("examples", [](const ModelHandle& self) { return (*self).example_count(); })
      .def_property_readonly(
          "leave_one_out", [](const ModelHandle& self) { return (*self).leave_one_out(); },
          "In typical changes of controls.")
      .def("__repr__", [](const ModelHandle& self) {
        return py::str("<rigspace.InverseModel, {} places, {} samples>")
            .format((*self).features().count(), (*self).regression().count());
      });
  m.def("inverse_apply", &apply, py::arg("model"), py::arg("source"), py::arg("options"), py::arg("progress"));
}

}  // namespace rigspace::python
