// rigspace.pose: points of the surface are pulled, and the rig's controls follow.

#include "module.h"

#include "command.h"
#include "pull_arguments.h"

#include "rigspace/anim/bake.h"
#include "rigspace/apps/physics/pose_path.h"
#include "rigspace/geometry/scene_unit.h"

#include <pybind11/stl.h>

#include <cmath>

namespace rigspace::python {
namespace {

/// One entry of `pull`: which vertex, in words, and where it goes: a text as on the command line, or (times, points).
struct Target {
  std::string vertex;
  std::string text;
  std::vector<double> times;  ///< of a path; a single one: a place
  Vec points;
};

struct Request {
  std::vector<Target> pulls;
  std::vector<std::string> holds;
  tools::FreeArguments controls;
  Vec start;
  std::string clip;
  double fps = 24, unit = 0;
  bool dynamic = false;
  PoserOptions poser;
};

struct Posed {
  PosedClip posed;
  Animation clip;
  std::vector<int> free;
  double size = 1;
};

std::vector<Target> targets_from(const py::list& pulls) {
  std::vector<Target> targets;
  for (const py::handle item : pulls) {
    const auto pull = item.cast<py::tuple>();
    Target target{.vertex = pull[0].cast<std::string>()};
    if (py::isinstance<py::str>(pull[1])) {
      target.text = pull[1].cast<std::string>();
    } else {
      const Array times(pull[1].cast<py::object>()), points(pull[2].cast<py::object>());
      target.points = points_from(points, times.size(), "pull");
      target.times.assign(times.data(), times.data() + times.size());
    }
    targets.push_back(std::move(target));
  }
  return targets;
}

Request request_from(const CharacterHandle& character, const py::dict& options) {
  Request request{.pulls = targets_from(options["pull"]),
                  .holds = options["hold"].cast<std::vector<std::string>>(),
                  .controls = {.free = options["free"].cast<std::vector<std::string>>(),
                               .also = options["also"].cast<std::vector<std::string>>(),
                               .keep = options["keep"].cast<std::vector<std::string>>()},
                  .clip = options["clip"].cast<std::string>(),
                  .fps = options["fps"].cast<double>(),
                  .unit = options["unit"].cast<double>(),
                  .dynamic = options["dynamic"].cast<bool>()};
  request.start =
      vector_from(Array(options["p"]), static_cast<Eigen::Index>(character.rig->rig().controls().size()), "p");
  request.poser.strength = options["strength"].cast<double>();
  request.poser.max_iterations = options["iterations"].cast<int>();
  request.poser.keep_limits = !options["beyond_limits"].cast<bool>();
  request.poser.material.young = options["young"].cast<double>();
  request.poser.use_cache = true;
  return request;
}

tools::PullArgument argument_of(const Target& target, const tools::VertexFinder& finder) {
  if (!target.text.empty()) return tools::parse_pull(target.vertex + "=" + target.text, finder);
  std::vector<Vec3> places;
  for (std::size_t k = 0; k < target.times.size(); ++k)
    places.push_back(target.points.segment<3>(3 * static_cast<Eigen::Index>(k)));
  return {target.vertex, finder.find(target.vertex), PullPath(target.times, places), target.times.size() > 1};
}

/// The motion, or the pose as one key of all that is not at rest.
Animation clip_of(const Character& character, const PosedClip& posed, bool moves) {
  if (moves) return posed.clip;
  const Vec p = posed.poses.rightCols<1>(), rest = character.rig->rest();
  std::vector<int> turned;
  for (int c = 0; c < static_cast<int>(p.size()); ++c)
    if (p[c] != rest[c]) turned.push_back(c);
  const double times[] = {0};
  return keys_from_poses(character.rig->controls(), turned, times, p);
}

Posed pose(const CharacterHandle& handle, const py::dict& options, const py::object& callback) {
  Request request = request_from(handle, options);
  std::string name = options["name"].cast<std::string>();
  const ProgressCallback progress = progress_from(callback);
  const py::gil_scoped_release release;
  const Character& character = *handle.character;
  const tools::VertexFinder finder(character, handle.name(), request.start);
  std::vector<PullPath> paths;
  bool moves = false;
  PoserOptions& poser_options = request.poser;
  for (const Target& target : request.pulls) {
    tools::PullArgument pull = argument_of(target, finder);
    poser_options.pulled.push_back(pull.point);
    moves = moves || pull.moves;
    paths.push_back(std::move(pull.path));
  }
  if (request.dynamic && !moves)
    throw Error({.code = ErrorCode::usage,
                 .element = "--dynamic",
                 .problem = "needs a target that moves",
                 .remedy = "pull a vertex along (times, points)"});
  for (const std::string& hold : request.holds) poser_options.held.push_back(finder.find(hold));
  poser_options.free =
      tools::free_controls(character, request.start, request.controls,
                           {.pulled = poser_options.pulled, .held = poser_options.held, .swing = request.dynamic});
  poser_options.step = 1 / (request.fps * std::ceil(120 / request.fps - 1e-9));
  Vec s;
  handle.rig->with_workspace([&](Workspace& workspace) { character.rig->evaluate(workspace, request.start, s); });
  poser_options.metres_per_unit = request.unit > 0 ? request.unit : guess_metres_per_unit(s).metres;
  Poser poser(character, request.start, poser_options);
  Posed result{.free = poser.free(), .size = poser.size()};
  const Animation* clip = moves ? clip_named(character, handle.name(), request.clip) : nullptr;
  result.posed = pose_along(poser, character, paths,
                            {.fps = request.fps, .dynamic = request.dynamic, .clip = clip, .progress = progress});
  result.clip = clip_of(character, result.posed, moves);
  result.clip.name = std::move(name);
  return result;
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
  py::class_<Posed>(m, "Posed", "What `rigspace.pose` gives: a pose, or a motion where targets move.")
      .def_property_readonly(
          "p", [](const Posed& self) { return array_from(self.posed.poses.rightCols<1>()); },
          "All control values of the last pose.")
      .def_property_readonly(
          "poses", [](const Posed& self) { return matrix_array(self.posed.poses); }, "(times, controls).")
      .def_property_readonly(
          "times",
          [](const Posed& self) {
            return array_from(Eigen::Map<const Vec>(self.posed.times.data(), std::ssize(self.posed.times)));
          },
          "Seconds.")
      .def_readonly("clip", &Posed::clip, "The pose, as one key, or the motion: for Character.with_clips.")
      .def_readonly("free", &Posed::free, "Indices of the controls that were free to turn.")
      .def_readonly("size", &Posed::size, "Of the body, scene units: what shares of the size refer to.")
      .def_property_readonly(
          "pulls", [](const Posed& self) { return pulls_of(self.posed.reports.back().pulls); },
          "How each pull ended: dicts of vertex, target, position, distance, reached.")
      .def_property_readonly(
          "holds", [](const Posed& self) { return pulls_of(self.posed.reports.back().holds); }, "Likewise of holds.")
      .def_property_readonly(
          "reached", [](const Posed& self) { return self.posed.unreached() == 0; }, "All targets, at all times.")
      .def_property_readonly("converged", [](const Posed& self) { return self.posed.not_converged() == 0; })
      .def_property_readonly("iterations",
                             [](const Posed& self) {
                               int sum = 0;
                               for (const PoseReport& each : self.posed.reports) sum += each.iterations;
                               return sum;
                             })
      .def("__repr__", [](const Posed& self) {
        return py::str("<rigspace.Posed, {} pose{}, {}>")
            .format(self.posed.times.size(), self.posed.times.size() == 1 ? "" : "s",
                    self.posed.unreached() == 0 ? "all targets reached" : "not all targets reached");
      });
  m.def("pose", &pose, py::arg("character"), py::arg("options"), py::arg("progress"));
}

}  // namespace rigspace::python
