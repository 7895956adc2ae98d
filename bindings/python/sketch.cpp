// rigspace.sketch_pose and rigspace.SketchPoser: strokes pose the character (Thesis 5).

#include "module.h"

#include "rigspace/apps/forces/forces_file.h"
#include "rigspace/apps/sketch/chosen_controls.h"
#include "rigspace/apps/sketch/pose_by_sketch.h"
#include "rigspace/base/error.h"
#include "rigspace/io/blend_file.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>

namespace rigspace::python {
namespace {

/// (n, 2): pixels of a picture of this size, or view units where there is none.
std::vector<Vec2> plane_points(const Array& array, int width, int height) {
  if (array.size() == 0) return {};  // no points: check_stroke says which stroke it is
  if (array.ndim() != 2 || array.shape(1) != 2) refuse_shape("points", array, "(n, 2)");
  std::vector<Vec2> points;
  for (py::ssize_t k = 0; k < array.shape(0); ++k) {
    const Vec2 at(array.at(k, 0), array.at(k, 1));
    points.push_back(height > 0 ? view_from_pixels(at, width, height) : at);
  }
  return points;
}

py::array_t<double> plane_array(const std::vector<Vec2>& points, int width, int height) {
  py::array_t<double> array({static_cast<py::ssize_t>(points.size()), py::ssize_t{2}});
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Vec2 at = height > 0 ? pixels_from_view(points[k], width, height) : points[k];
    array.mutable_at(static_cast<py::ssize_t>(k), 0) = at.x(),
                                                  array.mutable_at(static_cast<py::ssize_t>(k), 1) = at.y();
  }
  return array;
}

/// What rigspace/_sketch.py makes of a drawing: dicts of points, closed, name, curve, time, to.
StrokeFile drawing_from(const py::list& strokes, int width, int height) {
  StrokeFile file{.width = width, .height = height};
  std::vector<std::string> to;
  for (const py::handle item : strokes) {
    const auto given = item.cast<py::dict>();
    file.strokes.push_back({.points = plane_points(Array(given["points"]), width, height),
                            .closed = given["closed"].cast<bool>(),
                            .name = given["name"].cast<std::string>(),
                            .curve = given["curve"].cast<std::string>(),
                            .time = given["time"].cast<double>()});
    to.push_back(given["to"].cast<std::string>());
  }
  for (std::size_t k = 0; k < to.size(); ++k) {
    if (to[k].empty()) continue;
    const auto found =
        std::find_if(file.strokes.begin(), file.strokes.end(), [&](const Stroke& each) { return each.name == to[k]; });
    if (found == file.strokes.end())
      throw Error({.code = ErrorCode::usage,
                   .element = "to=\"" + to[k] + "\"",
                   .value = to[k],
                   .problem = "is the name of no stroke",
                   .remedy = "give the name of the stroke that says where it goes"});
    file.strokes[k].to = static_cast<int>(found - file.strokes.begin());
  }
  return file;
}

SketchJob job_from(const CharacterHandle& character, const py::dict& options) {
  SketchJob job{.abstraction = options["abstraction"].cast<std::string>(),
                .camera = options["camera"].cast<std::string>(),
                .clip = options["name"].cast<std::string>()};
  const auto words = [&](const char* key) { return options[key].cast<std::vector<std::string>>(); };
  job.options.controls = {.free = chosen_controls(character.rig->rig(), words("free"), words("keep")),
                          .scales = options["scales"].cast<bool>(),
                          .shapes = options["shapes"].cast<bool>()};
  if (options["beyond_limits"].cast<bool>())
    job.options.controls.keep_limits = job.options.controls.body_limits = false;
  return job;
}

/// The character, with the abstractions that were given as text beside its own.
std::shared_ptr<const Character> with_abstractions(const CharacterHandle& handle, const py::dict& options) {
  const auto text = options["own"].cast<std::string>();
  if (text.empty() && !is_blend_file(handle.path)) return handle.character;
  auto made = std::make_shared<Character>(with_joints(*handle.character));
  if (text.empty()) return made;
  for (SketchAbstraction& each : parse_abstractions(text, options["own_file"].cast<std::string>(), *made))
    keep_abstraction(*made, std::move(each));
  return made;
}

Vec start_from(const CharacterHandle& handle, const py::dict& options) {
  return vector_from(Array(options["p"]), static_cast<Eigen::Index>(handle.rig->rig().controls().size()), "p");
}

struct Sketched {
  SketchResult result;
  int width = 0, height = 0;  // of the drawing
};

Sketched sketch_pose(const CharacterHandle& handle, const py::object& strokes, const py::dict& options,
                     const py::object& callback) {
  const SketchJob job = job_from(handle, options);
  const Vec p = start_from(handle, options);
  const std::shared_ptr<const Character> character = with_abstractions(handle, options);
  const bool from_file = !py::isinstance<py::list>(strokes);
  const std::filesystem::path path = from_file ? strokes.cast<std::filesystem::path>() : std::filesystem::path();
  const int width = options["width"].cast<int>(), height = options["height"].cast<int>();
  const StrokeFile drawing = from_file ? read_strokes(path) : drawing_from(strokes, width, height);
  const ProgressCallback progress = progress_from(callback);
  const py::gil_scoped_release release;
  try {
    return {pose_by_sketch(*character, drawing, p, job, progress), drawing.width, drawing.height};
  } catch (const Error& error) {
    if (!from_file || !error.info().file.empty() || error.code() == ErrorCode::cancelled) throw;
    throw error.in_file(path.string());
  }
}

py::dict seen_dict(const std::vector<Stroke>& seen, int width, int height) {
  py::dict curves;
  for (const Stroke& each : seen) curves[py::str(each.name)] = plane_array(each.points, width, height);
  return curves;
}

std::vector<std::string> unreached(const SketchReport& report) {
  std::vector<std::string> names;
  for (const StrokeReport& each : report.strokes)
    if (!each.reached) names.push_back(each.stroke);
  return names;
}

/// A SketchPoser with what it refers to; calls from several threads wait for each other.
class StrokePoser {
 public:
  StrokePoser(const CharacterHandle& handle, const py::dict& options)
      : character_(with_abstractions(handle, options)),
        width_(options["width"].cast<int>()),
        height_(options["height"].cast<int>()) {
    const SketchJob job = job_from(handle, options);
    const Vec p = start_from(handle, options);
    const py::gil_scoped_release release;
    Vec s;
    character_->rig->evaluate(*character_->rig->make_workspace(), p, s);
    SketchOptions fit = job.options;
    fit.aspect = height_ > 0 ? static_cast<double>(width_) / height_ : 1;
    std::string view = job.camera;
    for (const SketchAbstraction& each : abstractions_of(*character_))
      if (view.empty() && each.name == job.abstraction) view = each.camera;
    camera_ = sketch_camera(view.empty() ? "front" : view, s, fit.aspect);
    poser_ = std::make_unique<SketchPoser>(*character_, find_abstraction(*character_, job.abstraction, p, camera_),
                                           camera_, p, fit);
  }

  SketchReport solve(const py::list& strokes, bool go_on, const py::object& callback) {
    StrokeFile drawing = drawing_from(strokes, width_, height_);
    for (std::size_t k = 0; k < drawing.strokes.size(); ++k)
      if (drawing.strokes[k].to >= 0)
        throw Error({.code = ErrorCode::usage,
                     .element = "to",
                     .problem = "is not for SketchPoser, which keeps one abstraction",
                     .remedy = "use sketch_pose"});
    const ProgressCallback progress = progress_from(callback);
    const py::gil_scoped_release release;
    const std::lock_guard lock(*mutex_);
    return poser_->solve(drawing.strokes, go_on, progress);
  }

  void set_pose(const Array& p) {
    const Vec pose = vector_from(p, poser_->controls().size(), "p");
    const py::gil_scoped_release release;
    const std::lock_guard lock(*mutex_);
    poser_->set_pose(pose);
  }

  SketchPoser& operator*() { return *poser_; }
  const SketchPoser& operator*() const { return *poser_; }
  py::dict seen() const { return seen_dict(poser_->seen(), width_, height_); }
  std::string camera() const { return camera_json(camera_); }

 private:
  std::shared_ptr<const Character> character_;
  int width_, height_;  // of drawings, pixels; 0: view units
  Camera camera_;
  std::unique_ptr<SketchPoser> poser_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

void bind_reports(py::module_& m) {
  py::class_<StrokeReport>(m, "StrokeReport", "How one stroke of a drawing ended.")
      .def_readonly("stroke", &StrokeReport::stroke, "Its name, or \"stroke 3\".")
      .def_readonly("curve", &StrokeReport::curve, "Of the abstraction; empty: it stands for none.")
      .def_readonly("reversed", &StrokeReport::reversed, "Drawn from the curve's end to its beginning.")
      .def_readonly("residual", &StrokeReport::residual, "Root mean square distance, as a share of the size.")
      .def_readonly("reached", &StrokeReport::reached)
      .def("__repr__", [](const StrokeReport& self) {
        return py::str("<rigspace.StrokeReport, {}: {}, {:.2g} % away>")
            .format(self.stroke, self.curve.empty() ? "no curve" : self.curve, 100 * self.residual);
      });
  py::class_<SketchReport>(m, "SketchReport", "How a drawing ended, stroke by stroke.")
      .def_readonly("strokes", &SketchReport::strokes)
      .def_readonly("residual", &SketchReport::residual, "Of all strokes, as a share of the size.")
      .def_readonly("iterations", &SketchReport::iterations)
      .def_readonly("solves", &SketchReport::solves)
      .def_readonly("evaluations", &SketchReport::evaluations, "Of the rig.")
      .def_readonly("converged", &SketchReport::converged)
      .def_property_readonly("unreached", &unreached, "Names of strokes that no pose within the limits reaches.")
      .def("__repr__", [](const SketchReport& self) {
        return py::str("<rigspace.SketchReport, {} strokes, {:.2g} % away, {} not reached>")
            .format(self.strokes.size(), 100 * self.residual, self.unreached());
      });
}

}  // namespace

void bind_sketch(py::module_& m) {
  register_sketch_block();
  register_forces_kind();
  bind_reports(m);
  py::class_<Sketched>(m, "Sketched", "What `rigspace.sketch_pose` gives: a pose, or one for each time of the strokes.")
      .def_property_readonly(
          "p", [](const Sketched& self) { return array_from(self.result.poses.back().p); },
          "All control values of the last pose.")
      .def_property_readonly(
          "poses",
          [](const Sketched& self) {
            Mat P(self.result.poses.back().p.size(), std::ssize(self.result.poses));
            for (Eigen::Index k = 0; k < P.cols(); ++k) P.col(k) = self.result.poses[static_cast<std::size_t>(k)].p;
            return matrix_array(P);
          },
          "(times, controls).")
      .def_property_readonly(
          "times",
          [](const Sketched& self) {
            Vec times(std::ssize(self.result.poses));
            for (Eigen::Index k = 0; k < times.size(); ++k)
              times[k] = self.result.poses[static_cast<std::size_t>(k)].time;
            return array_from(times);
          },
          "Seconds.")
      .def_property_readonly(
          "report", [](const Sketched& self) { return self.result.poses.back().report; }, "Of the last pose.")
      .def_property_readonly(
          "reports",
          [](const Sketched& self) {
            std::vector<SketchReport> reports;
            for (const SketchedPose& pose : self.result.poses) reports.push_back(pose.report);
            return reports;
          },
          "One for each time.")
      .def_property_readonly(
          "seen",
          [](const Sketched& self) { return seen_dict(self.result.poses.back().seen, self.width, self.height); },
          "The abstraction in the last pose: {curve: (n, 2)}, in the units of the drawing.")
      .def_property_readonly(
          "clip", [](const Sketched& self) { return self.result.clip; },
          "The pose as one key, or a key for each time: for Character.with_clips.")
      .def_property_readonly(
          "free", [](const Sketched& self) { return self.result.free; },
          "Indices of the controls that were free to turn.")
      .def_property_readonly(
          "size", [](const Sketched& self) { return self.result.size; },
          "Of the character, scene units: what shares of the size refer to.")
      .def_property_readonly("abstraction", [](const Sketched& self) { return self.result.abstraction; })
      .def_property_readonly(
          "camera", [](const Sketched& self) { return camera_json(self.result.camera); }, "As `camera` takes it.")
      .def_property_readonly("reached", [](const Sketched& self) { return self.result.unreached() == 0; })
      .def_property_readonly("converged", [](const Sketched& self) { return self.result.converged(); })
      .def("__repr__", [](const Sketched& self) {
        return py::str("<rigspace.Sketched, {} pose{}, {}>")
            .format(self.result.poses.size(), self.result.poses.size() == 1 ? "" : "s",
                    self.result.unreached() == 0 ? "all strokes reached" : "not all strokes reached");
      });
  m.def("sketch_pose", &sketch_pose, py::arg("character"), py::arg("strokes"), py::arg("options"), py::arg("progress"));

  py::class_<StrokePoser>(m, "StrokePoser")
      .def(py::init<const CharacterHandle&, const py::dict&>())
      .def("solve", &StrokePoser::solve)
      .def("set_pose", &StrokePoser::set_pose)
      .def("seen", &StrokePoser::seen)
      .def_property_readonly("p", [](const StrokePoser& self) { return array_from((*self).controls()); })
      .def_property_readonly("free", [](const StrokePoser& self) { return (*self).free(); })
      .def_property_readonly("lower", [](const StrokePoser& self) { return array_from((*self).limits().lower); })
      .def_property_readonly("upper", [](const StrokePoser& self) { return array_from((*self).limits().upper); })
      .def_property_readonly("size", [](const StrokePoser& self) { return (*self).size(); })
      .def_property_readonly("camera", &StrokePoser::camera)
      .def_property_readonly("abstraction", [](const StrokePoser& self) { return (*self).abstraction().name; });
}

}  // namespace rigspace::python
