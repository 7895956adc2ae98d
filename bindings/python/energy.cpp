// Energies of the library for Python: solids, pulls, loads; and the checker of a user's own.

#include "energy.h"

#include "rigspace/base/error.h"
#include "rigspace/energy/gravity.h"
#include "rigspace/energy/pull.h"
#include "rigspace/energy/solid.h"
#include "rigspace/testing/check_energy.h"

#include <pybind11/stl.h>

namespace rigspace::python {
namespace {

EnergyHandle solid(const Array& points, const Integers& tets, double young, double poisson, const std::string& kind) {
  const Vec x = points_from(points, -1, "points");
  const std::vector<Tet> corners = rows_from<4>(tets, static_cast<int>(x.size() / 3), "tets");
  return {std::make_shared<Solid>(x, corners, Material{material_kind(kind), young, poisson})};
}

EnergyHandle pulls(int points, const Integers& indices, const Array& targets, double stiffness) {
  const Vec t = points_from(targets, indices.size(), "targets");
  std::vector<Pull> list;
  for (py::ssize_t k = 0; k < indices.size(); ++k)
    list.push_back(
        {.anchor = {.points = {indices.data()[k], 0, 0, 0}}, .target = t.segment<3>(3 * k), .stiffness = stiffness});
  return {std::make_shared<Pulls>(points, std::move(list))};
}

EnergyHandle constant_forces(const Array& forces) {
  return {std::make_shared<Load>(points_from(forces, -1, "forces"))};
}

double value(const EnergyHandle& self, const Array& x) {
  const Vec points = points_from(x, -1, "x");
  const auto state = self.energy->make_state();
  self.energy->refresh(*state, points, Phase::step);
  return self.energy->value(*state, points);
}

py::array_t<double> gradient(const EnergyHandle& self, const Array& x) {
  const Vec points = points_from(x, -1, "x");
  const auto state = self.energy->make_state();
  self.energy->refresh(*state, points, Phase::step);
  Vec g = Vec::Zero(points.size());
  self.energy->add_gradient(*state, points, 1, g);
  return points_array(std::move(g));
}

std::string check(const py::object& energy, const Array& x, double length, double tolerance, bool hessian) {
  const Vec points = points_from(x, -1, "x");
  const auto checked = energy_from(energy, static_cast<int>(points.size() / 3));
  const py::gil_scoped_release release;
  return testing::check_energy(*checked, points, {.length = length, .tolerance = tolerance, .hessian = hessian})
      .message();
}

}  // namespace

void bind_energy(py::module_& m) {
  py::class_<EnergyHandle>(m, "BuiltInEnergy", "An energy of the library: see solid, pulls and constant_forces.")
      .def("value", &value, py::arg("x"), "Joules at x, (n, 3).")
      .def("gradient", &gradient, py::arg("x"), "(n, 3).");
  m.def("solid", &solid, py::arg("points"), py::arg("tets"), py::kw_only(), py::arg("young") = Material{}.young,
        py::arg("poisson") = Material{}.poisson, py::arg("material") = std::string(name(Material{}.kind)),
        "An elastic body of tetrahedra whose rest shape is `points`, metres. Young's modulus in Pa.");
  m.def("pulls", &pulls, py::arg("point_count"), py::arg("points"), py::arg("targets"), py::arg("stiffness") = 1.0,
        "Springs of zero length, N/m, from points to targets, (k, 3).");
  m.def("constant_forces", &constant_forces, py::arg("forces"), "Constant forces, (n, 3), newtons.");
  m.def("check_energy", &check, py::arg("energy"), py::arg("x"), py::kw_only(), py::arg("length") = 1.0,
        py::arg("tolerance") = 1e-6, py::arg("hessian") = true,
        R"(Checks an energy, yours or ours, at x: derivatives against differences, projection, support.

Returns the first law that is broken, in one sentence; an empty string if all hold. `length` is what the energy changes
noticeably over, `tolerance` relative to the largest entry: 1e-3 where derivatives are themselves differences.)");
}

}  // namespace rigspace::python
