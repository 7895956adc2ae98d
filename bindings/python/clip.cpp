// rigspace.Clip: curves on controls, by name.

#include "module.h"

#include "rigspace/anim/animation.h"
#include "rigspace/anim/bake.h"
#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"

#include <pybind11/stl.h>

#include <algorithm>

namespace rigspace::python {
namespace {

Interpolation interpolation_named(const std::string& word) {
  constexpr Interpolation kinds[] = {Interpolation::step, Interpolation::linear, Interpolation::catmull_rom,
                                     Interpolation::natural, Interpolation::bspline};
  for (const Interpolation kind : kinds)
    if (name(kind) == word) return kind;
  throw Error({.code = ErrorCode::usage,
               .element = "interpolation \"" + word + "\"",
               .value = word,
               .problem = "does not exist",
               .remedy = "there are step, linear, catmull_rom, natural and bspline"});
}

Animation make_clip(std::string name, const py::dict& tracks, const std::string& interpolation) {
  Animation clip{.name = std::move(name)};
  for (const auto& [control, keys] : tracks) {
    const auto pair = keys.cast<py::sequence>();
    if (pair.size() != 2)
      throw Error({.code = ErrorCode::usage,
                   .element = "track \"" + control.cast<std::string>() + "\"",
                   .problem = "is no pair",
                   .remedy = "give (times, values)"});
    const Array times(pair[0].cast<py::object>()), values(pair[1].cast<py::object>());
    Track track{.control = control.cast<std::string>(), .curve = {.interpolation = interpolation_named(interpolation)}};
    track.curve.times.assign(times.data(), times.data() + times.size());
    track.curve.values.assign(values.data(), values.data() + values.size());
    track.curve.validate("curve \"" + track.control + "\"");
    clip.tracks.push_back(std::move(track));
  }
  clip.duration = last_key_time(clip);
  return clip;
}

std::vector<std::string> controls_of(const Animation& clip) {
  std::vector<std::string> names;
  for (const Track& track : clip.tracks) names.push_back(track.control);
  for (const RotationTrack& track : clip.rotations)
    for (const char* component : {".qx", ".qy", ".qz", ".qw"}) names.push_back(track.node + component);
  return names;
}

py::tuple keys(const Animation& clip, const std::string& control) {
  for (const Track& track : clip.tracks)
    if (track.control == control)
      return py::make_tuple(
          array_from(Eigen::Map<const Vec>(track.curve.times.data(), std::ssize(track.curve.times))),
          array_from(Eigen::Map<const Vec>(track.curve.values.data(), std::ssize(track.curve.values))));
  for (const RotationTrack& track : clip.rotations)
    for (int k = 0; k < 4; ++k) {
      if (control != track.node + "." + "q" + "xyzw"[k]) continue;
      Vec values(std::ssize(track.values));
      for (Eigen::Index i = 0; i < values.size(); ++i) values[i] = track.values[static_cast<std::size_t>(i)][k];
      return py::make_tuple(array_from(Eigen::Map<const Vec>(track.times.data(), std::ssize(track.times))),
                            array_from(std::move(values)));
    }
  throw Error({.code = ErrorCode::usage,
               .file = clip.name,
               .element = "control \"" + control + "\"",
               .value = control,
               .problem = "is not in the clip",
               .remedy = suggestion(control, controls_of(clip), "clip.controls lists them")});
}

py::array_t<double> sample(const Animation& clip, const RigHandle& rig, const Array& times) {
  if (times.ndim() != 1) refuse_shape("times", times, "(n,)");
  const Sampler sampler(clip, rig.rig().controls());
  Mat poses(static_cast<Eigen::Index>(rig.rig().controls().size()), times.size());
  const Vec rest = rig.rig().rest();
  for (Eigen::Index k = 0; k < poses.cols(); ++k) {
    Vec p = rest;
    sampler.sample(times.at(k), p);
    poses.col(k) = p;
  }
  return matrix_array(poses);
}

}  // namespace

std::vector<Animation> clips_from(const py::object& clips) {
  std::vector<Animation> list;
  if (clips.is_none()) return list;
  if (py::isinstance<Animation>(clips)) return {clips.cast<Animation>()};
  for (const py::handle clip : clips) list.push_back(clip.cast<Animation>());
  return list;
}

void bind_clip(py::module_& m) {
  py::class_<Animation>(m, "Clip", R"(Curves on controls, by name: radians, scene units, seconds.

    >>> import rigspace
    >>> clip = rigspace.Clip("Nod", {"head.rx": ([0, 0.5, 1], [0, 0.4, 0])})
    >>> clip.duration
    1.0
    >>> clip.keys("head.rx")[1]
    array([0. , 0.4, 0. ])
)")
      .def(py::init(&make_clip), py::arg("name"), py::arg("tracks"), py::arg("interpolation") = "linear",
           "tracks: {control: (times, values)}, times in seconds, increasing.")
      .def_readonly("name", &Animation::name)
      .def_readonly("duration", &Animation::duration, "Seconds; the last key of all.")
      .def_property_readonly("controls", &controls_of, "Names of the controls that have curves.")
      .def("keys", &keys, py::arg("control"), "(times, values) of a control's keys.")
      .def("sample", &sample, py::arg("rig"), py::arg("times"),
           "All control values of a rig at these times, (times, controls); what the clip does not move is at rest.")
      .def("__repr__", [](const Animation& self) {
        return py::str("<rigspace.Clip {!r}, {:.3g} s, {} curves>")
            .format(self.name, self.duration, self.tracks.size() + self.rotations.size());
      });
}

}  // namespace rigspace::python
