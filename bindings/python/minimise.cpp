// rigspace.minimise: a sum of energies over points, or through a rig over its controls.

#include "energy.h"

#include "rigspace/base/error.h"
#include "rigspace/body/rig_space.h"
#include "rigspace/optimize/newton.h"

#include <pybind11/stl.h>

#include <algorithm>

namespace rigspace::python {
namespace {

struct Minimum {
  Vec q, x;  ///< unknowns, and the points there
  std::vector<int> free;
  bool through_rig = false;
  Vec p;
  Summary summary;
};

using Energies = std::vector<std::pair<std::shared_ptr<const Energy>, double>>;

/// Energies, or pairs (weight, energy).
Energies energies_from(const py::sequence& list, int points) {
  Energies energies;
  for (const py::handle item : list) {
    if (!py::isinstance<py::tuple>(item)) {
      energies.emplace_back(energy_from(py::reinterpret_borrow<py::object>(item), points), 1.0);
      continue;
    }
    const auto pair = item.cast<py::tuple>();
    energies.emplace_back(energy_from(pair[1].cast<py::object>(), points), pair[0].cast<double>());
  }
  return energies;
}

void solve(const Mapping& mapping, const Energies& energies, const py::object& options, Minimum& minimum,
           const std::pair<Vec, Vec>& bounds) {
  const ProgressCallback progress = progress_from(options["progress"]);
  const NewtonOptions newton_options{.gradient_tolerance = options["tolerance"].cast<double>(),
                                     .gradient_floor = options["floor"].cast<double>(),
                                     .step_tolerance = options["step_tolerance"].cast<double>(),
                                     .max_iterations = options["max_iterations"].cast<int>()};
  const py::gil_scoped_release release;
  Objective objective(mapping);
  for (std::size_t k = 0; k < energies.size(); ++k)
    objective.add("energy " + std::to_string(k), *energies[k].first, energies[k].second);
  if (bounds.first.size() > 0) objective.set_bounds(bounds.first, bounds.second);
  NewtonWorkspace workspace;
  minimum.summary = Newton(newton_options).solve(objective, minimum.q, workspace, progress);
  if (minimum.summary.termination == Termination::cancelled) throw Cancelled();
  minimum.x = workspace.x();
}

Minimum over_points(const py::sequence& list, const Array& start, const Integers& fixed, const py::dict& options) {
  Minimum minimum{.q = points_from(start, -1, "x")};
  const int points = static_cast<int>(minimum.q.size() / 3);
  const std::span<const int> held(fixed.data(), static_cast<std::size_t>(fixed.size()));
  require_indices(held, points, "fixed");
  std::pair<Vec, Vec> bounds;
  if (!held.empty()) {
    const double infinity = std::numeric_limits<double>::infinity();
    bounds = {Vec::Constant(3 * points, -infinity), Vec::Constant(3 * points, infinity)};
    for (const int i : held)
      bounds.first.segment<3>(3 * i) = bounds.second.segment<3>(3 * i) = minimum.q.segment<3>(3 * i);
  }
  solve(IdentityMapping(3 * points), energies_from(list, points), options, minimum, bounds);
  return minimum;
}

/// The map is the rig itself: every node one of its points.
Minimum over_controls(const py::sequence& list, const RigHandle& rig, const Array& p_given, std::vector<int> free,
                      const py::dict& options) {
  const std::span<const Control> controls = rig.rig().controls();
  Minimum minimum{.through_rig = true, .p = vector_from(p_given, static_cast<Eigen::Index>(controls.size()), "p")};
  require_indices(free, static_cast<int>(controls.size()), "free");
  std::sort(free.begin(), free.end());
  const int points = rig.rig().point_count();
  RigSpaceDescription description{
      .rig = rig.shared(), .free = free, .node_count = points, .ties = one_point_each(points)};
  for (int i = 0; i < points; ++i) description.bound.push_back(i);
  RigSpaceMapping mapping(std::move(description));
  const Energies energies = energies_from(list, points);
  std::pair<Vec, Vec> bounds{Vec(free.size()), Vec(free.size())};
  minimum.q.resize(static_cast<Eigen::Index>(free.size()));
  for (std::size_t k = 0; k < free.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    minimum.q[at] = minimum.p[free[k]];
    bounds.first[at] = controls[free[k]].min;
    bounds.second[at] = controls[free[k]].max;
  }
  {
    const py::gil_scoped_release release;
    mapping.set_key(minimum.p, Vec::Zero(3 * points));
  }
  solve(mapping, energies, options, minimum, bounds);
  mapping.controls_at(minimum.q, minimum.p);
  minimum.free = std::move(free);
  return minimum;
}

}  // namespace

void bind_minimise(py::module_& m) {
  py::class_<Minimum>(m, "Minimum", "What `rigspace.minimise` gives. Not converging is a result: look at `converged`.")
      .def_property_readonly(
          "x", [](const Minimum& self) { return points_array(self.x); }, "The points, (n, 3).")
      .def_property_readonly(
          "p", [](const Minimum& self) { return self.through_rig ? py::object(array_from(self.p)) : py::none(); },
          "All control values, if it was through a rig.")
      .def_property_readonly("value", [](const Minimum& self) { return self.summary.value; })
      .def_property_readonly("converged", [](const Minimum& self) { return self.summary.converged(); })
      .def_property_readonly("iterations", [](const Minimum& self) { return self.summary.iterations; })
      .def_property_readonly("reason", [](const Minimum& self) { return std::string(self.summary.reason); })
      .def("__repr__", [](const Minimum& self) { return "<rigspace.Minimum, " + describe(self.summary) + ">"; });
  m.def("minimise_points", &over_points);
  m.def("minimise_controls", &over_controls);
}

}  // namespace rigspace::python
