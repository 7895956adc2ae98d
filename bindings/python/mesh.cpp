// rigspace.mesh: the body of tetrahedra inside a surface.

#include "module.h"

#include "rigspace/base/error.h"
#include "rigspace/geometry/stuffing.h"
#include "rigspace/io/tet_file.h"
#include "rigspace/jobs/arguments.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <numbers>

namespace rigspace::python {
namespace {

namespace fs = std::filesystem;

struct Meshed {
  TetMesh mesh;
  double cell = 0;  ///< 0: from a file
  int solids = 0, sheets = 0;
};

Meshed fill(const TriMesh& surface, StuffingOptions options) {
  surface.validate("surface");
  Body body = stuff_with_cache(surface, options);
  if (body.mesh.tets.empty())
    throw Error({.element = "surface",
                 .problem = "encloses nothing that cells of this size could fill",
                 .remedy = options.cell > 0 ? "use smaller cells" : "its surface is made of open sheets: close it"});
  Meshed meshed{.mesh = std::move(body.mesh), .cell = body.cell};
  for (const SkinPart& part : body.parts) (part.solid ? meshed.solids : meshed.sheets) += 1;
  return meshed;
}

Meshed fill_character(const CharacterHandle& character, double cell, int vertices, const py::object& callback) {
  const StuffingOptions options{.cell = cell, .vertices = vertices, .progress = progress_from(callback)};
  const py::gil_scoped_release release;
  return fill(rest_surface(*character.character), options);
}

Meshed fill_surface(const Array& points, const Integers& triangles, double cell, int vertices,
                    const py::object& callback) {
  TriMesh surface{.points = points_from(points, -1, "points")};
  surface.triangles = rows_from<3>(triangles, surface.point_count(), "triangles");
  const StuffingOptions options{.cell = cell, .vertices = vertices, .progress = progress_from(callback)};
  const py::gil_scoped_release release;
  return fill(surface, options);
}

Meshed made(const Array& points, const Integers& tets) {
  Meshed meshed;
  meshed.mesh.points = points_from(points, -1, "points");
  meshed.mesh.tets = rows_from<4>(tets, meshed.mesh.point_count(), "tets");
  return meshed;
}

py::dict quality_of(const Meshed& self) {
  const TetQuality q = quality(self.mesh);
  constexpr double to_degrees = 180 / std::numbers::pi;
  py::dict figures;
  figures["volume"] = q.volume;
  figures["smallest_angle_degrees"] = to_degrees * q.smallest_angle;
  figures["largest_angle_degrees"] = to_degrees * q.largest_angle;
  figures["first_percentile_degrees"] = to_degrees * q.first_percentile;
  figures["median_degrees"] = to_degrees * q.median;
  figures["inverted"] = q.inverted;
  figures["components"] = connected_components(self.mesh).tets.size();
  return figures;
}

py::array_t<int> boundary(const Meshed& self) { return rows_array<3>(boundary_triangles(self.mesh)); }

}  // namespace

void bind_mesh(py::module_& m) {
  py::class_<Meshed>(m, "TetMesh", "A solid cut into tetrahedra; `rigspace.mesh` makes one.")
      .def(py::init(&made), py::arg("points"), py::arg("tets"))
      .def_property_readonly(
          "points", [](const Meshed& self) { return points_array(self.mesh.points); }, "(n, 3), scene units; a copy.")
      .def_property_readonly(
          "tets", [](const Meshed& self) { return rows_array<4>(self.mesh.tets); }, "(k, 4), indices of points.")
      .def_property_readonly("boundary", &boundary, "(t, 3): triangles of its surface, outward.")
      .def_property_readonly(
          "volumes", [](const Meshed& self) { return array_from(volumes(self.mesh)); }, "(k,)")
      .def_readonly("cell", &Meshed::cell, "Edge of a lattice cube, scene units; 0 if it was not filled here.")
      .def_readonly("solids", &Meshed::solids, "Parts of the surface that enclose something.")
      .def_readonly("sheets", &Meshed::sheets, "Parts that enclose nothing, and gave nothing.")
      .def_property_readonly("quality", &quality_of, "Figures of `rigspace mesh --json`.")
      .def(
          "save",
          [](const Meshed& self, const fs::path& path) {
            check_writable(path);
            write_tets(path, self.mesh);
          },
          py::arg("path"), "x.msh or x.mesh.")
      .def("__repr__", [](const Meshed& self) {
        return py::str("<rigspace.TetMesh of {} tetrahedra and {} points>")
            .format(self.mesh.tet_count(), self.mesh.point_count());
      });
  m.def("mesh_of_character", &fill_character);
  m.def("mesh_of_surface", &fill_surface);
  m.def("read_mesh", [](const fs::path& path) { return Meshed{.mesh = read_tets(path).mesh}; });
}

}  // namespace rigspace::python
