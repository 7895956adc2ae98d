// rigspace.RigSpace: a body whose skin follows a rig, stepped in time (RSP 3, 4), with energies of one's own.

#include "energy.h"

#include "rigspace/base/error.h"
#include "rigspace/body/rig_space_simulation.h"

#include <pybind11/stl.h>

#include <algorithm>

namespace rigspace::python {
namespace {

/// The simulation with what it refers to.
class Simulation {
 public:
  Simulation(const CharacterHandle& character, std::vector<int> free, double cell, const RigSpaceOptions& options)
      : character_(character) {
    RigBody body = make_rig_body(*character.character, {.cell = cell, .use_cache = true});
    tets_ = body.mesh.tets;
    rest_ = body.mesh.points;
    simulation_ = std::make_unique<RigSpaceSimulation>(std::move(body), std::move(free), options);
    simulation_->restart(character.character->rig->rest());
  }

  void add(const py::object& given, double weight, const std::string& name) {
    energies_.push_back(energy_from(given, simulation_->body().node_count()));
    simulation_->add(name.empty() ? "energy " + std::to_string(energies_.size()) : name, *energies_.back(), weight);
  }

  RigSpaceSimulation& operator*() { return *simulation_; }
  const RigSpaceSimulation& operator*() const { return *simulation_; }
  const std::vector<Tet>& tets() const { return tets_; }
  const Vec& rest() const { return rest_; }
  Vec controls_from(const py::object& p) const {
    const auto count = static_cast<Eigen::Index>(character_.character->rig->controls().size());
    return p.is_none() ? character_.character->rig->rest() : vector_from(Array(p), count, "p");
  }

 private:
  CharacterHandle character_;
  std::vector<std::shared_ptr<const Energy>> energies_;
  std::vector<Tet> tets_;
  Vec rest_;
  std::unique_ptr<RigSpaceSimulation> simulation_;
};

std::unique_ptr<Simulation> make_simulation(const CharacterHandle& character, std::vector<int> free,
                                            const py::dict& given) {
  RigSpaceOptions options;
  options.step = given["step"].cast<double>();
  options.integrator =
      given["integrator"].cast<std::string>() == "euler" ? IntegratorKind::euler : IntegratorKind::bdf2;
  options.material = {material_kind(given["material"].cast<std::string>()), given["young"].cast<double>(),
                      given["poisson"].cast<double>()};
  options.density = given["density"].cast<double>();
  options.gravity = vector_from(Array(given["gravity"]), 3, "gravity");
  options.metres_per_unit = given["unit"].cast<double>();
  options.mass_damping = given["mass_damping"].cast<double>();
  options.keep_limits = given["keep_limits"].cast<bool>();
  options.gradient_tolerance = given["tolerance"].cast<double>();
  options.gradient_floor = given["floor"].cast<double>();
  options.max_iterations = given["max_iterations"].cast<int>();
  options.validate();
  const double cell = given["cell"].cast<double>();
  require_indices(free, static_cast<int>(character.rig->rig().controls().size()), "free");
  std::sort(free.begin(), free.end());
  const py::gil_scoped_release release;
  return std::make_unique<Simulation>(character, std::move(free), cell, options);
}

py::dict step(Simulation& self, const py::object& p) {
  const Vec key = self.controls_from(p);
  RigSpaceStep report;
  {
    const py::gil_scoped_release release;
    report = (*self).step(key);
  }
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  py::dict answer;
  answer["iterations"] = report.iterations;
  answer["halvings"] = report.halvings;
  answer["converged"] = report.converged;
  answer["residual"] = report.residual;
  return answer;
}

py::dict settle(Simulation& self, const py::object& p, const py::object& callback) {
  const Vec key = self.controls_from(p);
  const ProgressCallback progress = progress_from(callback);
  Summary summary;
  {
    const py::gil_scoped_release release;
    summary = (*self).settle(key, progress);
  }
  if (summary.termination == Termination::cancelled) throw Cancelled();
  py::dict answer;
  answer["iterations"] = summary.iterations;
  answer["converged"] = summary.converged();
  answer["reason"] = summary.reason;
  return answer;
}

}  // namespace

void bind_rig_space(py::module_& m) {
  py::class_<Simulation>(m, "RigSpaceBody")
      .def(py::init(&make_simulation))
      .def("add", &Simulation::add, py::arg("energy"), py::arg("weight") = 1.0, py::arg("name") = "",
           "A further energy of the nodes, in scene units: yours or ours.")
      .def("step", &step, py::arg("p") = py::none(),
           "One step to where the keyed controls are those of p (None: at rest); its free ones are not looked at.")
      .def("settle", &settle, py::arg("p") = py::none(), py::arg("progress") = py::none(),
           "Without momentum: the balance of all energies, from the present state.")
      .def(
          "restart",
          [](Simulation& self, const py::object& p) {
            const Vec key = self.controls_from(p);
            const py::gil_scoped_release release;
            (*self).restart(key);
          },
          py::arg("p") = py::none(), "The nodes where p carries them, at rest.")
      .def_property_readonly(
          "p", [](const Simulation& self) { return array_from((*self).controls()); }, "All control values of now.")
      .def_property_readonly(
          "nodes", [](const Simulation& self) { return points_array((*self).nodes()); }, "(n, 3), of now.")
      .def_property_readonly(
          "rest", [](const Simulation& self) { return points_array(self.rest()); }, "Nodes at rest, (n, 3).")
      .def_property_readonly(
          "tets", [](const Simulation& self) { return rows_array<4>(self.tets()); }, "(k, 4), indices of nodes.")
      .def_property_readonly(
          "masses", [](const Simulation& self) { return array_from((*self).masses()); }, "kg, one a node.")
      .def_property_readonly(
          "velocities", [](const Simulation& self) { return points_array((*self).velocities()); },
          "Of the nodes, scene units / s.")
      .def_property_readonly(
          "skin",
          [](const Simulation& self) {
            const std::vector<char>& skin = (*self).body().skin;
            py::array_t<bool> mask(static_cast<py::ssize_t>(skin.size()));
            std::transform(skin.begin(), skin.end(), mask.mutable_data(), [](char is) { return is != 0; });
            return mask;
          },
          "Which nodes follow the rig.")
      .def_property_readonly("free", [](const Simulation& self) { return (*self).free(); })
      .def_property_readonly(
          "energy", [](const Simulation& self) { return (*self).energy(); }, "Kinetic, elastic and against gravity.");
}

}  // namespace rigspace::python
