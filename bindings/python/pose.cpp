// rigspace.pose: points of the surface are pulled, and the rig's controls follow.

#include "module.h"

#include "rigspace/apps/physics/pose_character.h"

#include <pybind11/stl.h>

namespace rigspace::python {
namespace {

/// Entries of `pull`: (vertex, text) or (vertex, times, points).
std::vector<PoseTarget> targets_from(const py::list& pulls) {
  std::vector<PoseTarget> targets;
  for (const py::handle item : pulls) {
    const auto pull = item.cast<py::tuple>();
    const auto vertex = pull[0].cast<std::string>();
    if (py::isinstance<py::str>(pull[1])) {
      targets.push_back(pose_target(vertex + "=" + pull[1].cast<std::string>()));
      continue;
    }
    const Array times(pull[1].cast<py::object>()), points(pull[2].cast<py::object>());
    const Vec flat = points_from(points, times.size(), "pull");
    PoseTarget target{.vertex = vertex, .times = {times.data(), times.data() + times.size()}};
    for (Eigen::Index k = 0; k < times.size(); ++k) target.points.emplace_back(flat.segment<3>(3 * k));
    targets.push_back(std::move(target));
  }
  return targets;
}

PoseRequest request_from(const CharacterHandle& character, const py::dict& options) {
  PoseRequest request{.pulls = targets_from(options["pull"]),
                      .holds = options["hold"].cast<std::vector<std::string>>(),
                      .controls = {.free = options["free"].cast<std::vector<std::string>>(),
                                   .also = options["also"].cast<std::vector<std::string>>(),
                                   .keep = options["keep"].cast<std::vector<std::string>>()},
                      .clip = options["clip"].cast<std::string>(),
                      .fps = options["fps"].cast<double>(),
                      .dynamic = options["dynamic"].cast<bool>(),
                      .metres_per_unit = options["unit"].cast<double>(),
                      .name = options["name"].cast<std::string>()};
  request.start =
      vector_from(Array(options["p"]), static_cast<Eigen::Index>(character.rig->rig().controls().size()), "p");
  request.poser.strength = options["strength"].cast<double>();
  request.poser.max_iterations = options["iterations"].cast<int>();
  request.poser.keep_limits = !options["beyond_limits"].cast<bool>();
  request.poser.material.young = options["young"].cast<double>();
  return request;
}

PosedCharacter pose(const CharacterHandle& handle, const py::dict& options, const py::object& callback) {
  const PoseRequest request = request_from(handle, options);
  const ProgressCallback progress = progress_from(callback);
  const py::gil_scoped_release release;
  return pose_character(*handle.character, handle.name(), request, progress);
}

py::list pulls_of(const std::vector<PullReport>& reports) {
  py::list list;
  for (const PullReport& each : reports) {
    py::dict pull;
    pull["vertex"] = each.point;
    pull["target"] = array_from(each.target);
    pull["position"] = array_from(each.position);
    pull["distance"] = each.distance;
    pull["reached"] = each.reached;
    list.append(pull);
  }
  return list;
}

}  // namespace

void bind_pose(py::module_& m) {
  py::class_<PosedCharacter>(m, "Posed", "What `rigspace.pose` gives: a pose, or a motion where targets move.")
      .def_property_readonly(
          "p", [](const PosedCharacter& self) { return array_from(self.posed.poses.rightCols<1>()); },
          "All control values of the last pose.")
      .def_property_readonly(
          "poses", [](const PosedCharacter& self) { return matrix_array(self.posed.poses); }, "(times, controls).")
      .def_property_readonly(
          "times",
          [](const PosedCharacter& self) {
            return array_from(Eigen::Map<const Vec>(self.posed.times.data(), std::ssize(self.posed.times)));
          },
          "Seconds.")
      .def_readonly("clip", &PosedCharacter::clip, "The pose, as one key, or the motion: for Character.with_clips.")
      .def_readonly("free", &PosedCharacter::free, "Indices of the controls that were free to turn.")
      .def_readonly("size", &PosedCharacter::size, "Of the body, scene units: what shares of the size refer to.")
      .def_property_readonly(
          "pulls", [](const PosedCharacter& self) { return pulls_of(self.posed.reports.back().pulls); },
          "How each pull ended: dicts of vertex, target, position, distance, reached.")
      .def_property_readonly(
          "holds", [](const PosedCharacter& self) { return pulls_of(self.posed.reports.back().holds); },
          "Likewise of holds.")
      .def_property_readonly(
          "reached", [](const PosedCharacter& self) { return self.posed.unreached() == 0; },
          "All targets, at all times.")
      .def_property_readonly("converged", [](const PosedCharacter& self) { return self.posed.not_converged() == 0; })
      .def_property_readonly("iterations",
                             [](const PosedCharacter& self) {
                               int sum = 0;
                               for (const PoseReport& each : self.posed.reports) sum += each.iterations;
                               return sum;
                             })
      .def("__repr__", [](const PosedCharacter& self) {
        return py::str("<rigspace.Posed, {} pose{}, {}>")
            .format(self.posed.times.size(), self.posed.times.size() == 1 ? "" : "s",
                    self.posed.unreached() == 0 ? "all targets reached" : "not all targets reached");
      });
  m.def("pose", &pose, py::arg("character"), py::arg("options"), py::arg("progress"));
}

}  // namespace rigspace::python
