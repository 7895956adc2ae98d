// rigspace.Character: a rig, the surface that it moves, and clips; from files, the cast, or another process.

#include "module.h"

#include "rigspace/anim/plain_character.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/blend_file.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/export_points.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf.h"
#include "rigspace/io/process_rig.h"
#include "rigspace/jobs/arguments.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace rigspace::python {
namespace {

namespace fs = std::filesystem;

CharacterHandle load_handle(const fs::path& path, const std::string& object) {
  const bool blend = is_blend_file(path);
  if (!object.empty() && !blend)
    throw Error({.code = ErrorCode::usage,
                 .file = path.string(),
                 .element = "object",
                 .problem = "is for .blend files",
                 .remedy = "leave it out"});
  const ProgressCallback progress = progress_from(py::none());
  const py::gil_scoped_release release;
  return CharacterHandle(
      blend ? load_blend({.file = path, .object = object, .progress = progress}) : load_character(path), path);
}

CharacterHandle make_cast(const std::string& name, bool skeleton) {
  const py::gil_scoped_release release;
  return CharacterHandle(make_character(name, skeleton ? Version::skeleton : Version::rig));
}

CharacterHandle start(const std::string& command, int processes, double timeout) {
  ProcessRigOptions options{.command = command,
                            .processes = processes,
                            .handshake_seconds = timeout,
                            .answer_seconds = timeout,
                            .cache_rest_poses = true,
                            .progress = progress_from(py::none())};
  const py::gil_scoped_release release;
  return CharacterHandle(start_character(std::move(options)));
}

CharacterHandle with_clips(const CharacterHandle& self, const py::object& given) {
  const std::vector<Animation> clips = clips_from(given);
  Character character = *self.character;
  for (const Animation& clip : clips) {
    if (character.clip(clip.name) != nullptr)
      throw Error({.code = ErrorCode::usage,
                   .file = self.name(),
                   .element = "clip \"" + clip.name + "\"",
                   .problem = "is there already",
                   .remedy = "give the new one another name"});
    const Sampler sampler(clip, character.rig->controls());
    if (!sampler.unbound().empty())
      throw Error({.code = ErrorCode::usage,
                   .file = self.name(),
                   .element = "clip \"" + clip.name + "\": control \"" + sampler.unbound()[0] + "\"",
                   .value = sampler.unbound()[0],
                   .problem = "is not a control of the rig",
                   .remedy = "character.rig.controls lists them"});
    character.clips.push_back(clip);
  }
  CharacterHandle made(std::move(character), self.path);
  made.rig = self.rig;
  made.added = self.added;
  made.added.insert(made.added.end(), clips.begin(), clips.end());
  return made;
}

void write(const CharacterHandle& self, const fs::path& path) {
  const Character& character = *self.character;
  const std::string file = path.string();
  check_writable(path);
  if (file.ends_with(".rigspace.json")) return write_file(path, to_curves_json(curve_file(character, character.clips)));
  check_extension(path, "glb gltf rigspace.json");
  if (!self.path.empty()) check_input(self.path.string(), path);
  const bool own = !self.path.empty() && !is_blend_file(self.path);
  if (own && (self.path.extension() != ".json" || is_plain(character))) {
    GltfFile document(self.path);
    for (const Animation& clip : self.added) document.add_animation(clip);
    return document.save(path);
  }
  // Other rigs are played out as joints and shapes.
  GltfFile(to_glb(is_plain(character) ? character : plain_character(character).character), character.name).save(path);
}

py::array_t<double> pose_at_time(const CharacterHandle& self, const std::string& clip, double time) {
  return array_from(pose_at(*self.character, clip_named(*self.character, self.name(), clip), time));
}

py::array_t<int> triangles(const CharacterHandle& self) {
  std::vector<Triangle> all;
  for (const Piece& piece : self.character->pieces)
    if (piece.drawn) all.insert(all.end(), piece.triangles.begin(), piece.triangles.end());
  return rows_array<3>(all);
}

py::list pieces(const CharacterHandle& self) {
  py::list list;
  for (const Piece& piece : self.character->pieces) {
    py::dict each;
    each["name"] = piece.name;
    each["first_point"] = piece.first_point;
    each["point_count"] = piece.point_count;
    each["triangles"] = rows_array<3>(piece.triangles);
    each["drawn"] = piece.drawn;
    list.append(each);
  }
  return list;
}

void save_points(const CharacterHandle& self, const fs::path& path, const Array& points) {
  const Vec x = points_from(points, self.character->rig->point_count(), "points");
  check_writable(path);
  write_points(path, *self.character, x);
}

}  // namespace

CharacterHandle::CharacterHandle(Character from, fs::path file)
    : character(std::make_shared<const Character>(std::move(from))),
      path(std::move(file)),
      rig(std::make_shared<RigHandle>(character->rig)) {}

void bind_character(py::module_& m) {
  py::class_<CharacterHandle>(m, "Character", R"(A rig, the surface that it moves, and clips. Never changed in place.

    >>> import rigspace
    >>> bobbin = rigspace.cast("bobbin", skeleton=True)
    >>> [clip.name for clip in bobbin.clips][:1]
    ['Walk']
    >>> p = bobbin.pose_at("Walk", 0.25)
    >>> bobbin.rig.evaluate(p).shape[1]
    3
)")
      .def_property_readonly("name", [](const CharacterHandle& self) { return self.character->name; })
      .def_property_readonly(
          "path", [](const CharacterHandle& self) { return self.path.empty() ? py::none() : py::cast(self.path); },
          "The file that it came from, or None.")
      .def_readonly("rig", &CharacterHandle::rig)
      .def_property_readonly("clips", [](const CharacterHandle& self) { return self.character->clips; })
      .def_property_readonly(
          "warnings", [](const CharacterHandle& self) { return self.character->warnings; },
          "What was repaired or ignored when it was loaded, one sentence each.")
      .def_property_readonly(
          "bones",
          [](const CharacterHandle& self) {
            std::vector<std::string> names;
            for (const Bone& bone : self.character->bones) names.push_back(bone.name);
            return names;
          },
          "Names of its joints.")
      .def_property_readonly("triangles", &triangles, "Of what is drawn: (T, 3), indices of the rig's points.")
      .def_property_readonly("pieces", &pieces, "Its parts: dicts of name, first_point, point_count, triangles, drawn.")
      .def("pose_at", &pose_at_time, py::arg("clip") = "", py::arg("time") = 0.0,
           "All control values at a time, in seconds, of a clip; without one the rest pose.")
      .def("with_clips", &with_clips, py::arg("clips"), "The same character with further clips.")
      .def("save", &write, py::arg("path"), py::call_guard<py::gil_scoped_release>(),
           R"(x.glb or x.gltf: its own file with the clips that were added, or the rig played out as joints and shapes.
x.rigspace.json: its clips alone.)")
      .def("save_points", &save_points, py::arg("path"), py::arg("points"),
           "Evaluated points as x.npy, x.obj or x.ply.")
      .def("__repr__", [](const CharacterHandle& self) {
        return py::str("<rigspace.Character {!r}, {} points, {} controls, {} clips>")
            .format(self.character->name, self.character->rig->point_count(), self.character->rig->controls().size(),
                    self.character->clips.size());
      });
  m.def("load", &load_handle, py::arg("path"), py::arg("object"));
  m.def("cast", &make_cast, py::arg("name"), py::arg("skeleton"));
  m.def("cast_names", [] {
    std::vector<std::string> names;
    for (const CastMember& member : cast()) names.emplace_back(member.name);
    return names;
  });
  m.def("start", &start, py::arg("command"), py::arg("processes"), py::arg("timeout"));
}

}  // namespace rigspace::python
