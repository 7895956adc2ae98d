// rigspace.Rig and rigspace.Control: the map s(p).

#include "module.h"

#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"

#include <pybind11/stl.h>

#include <algorithm>

namespace rigspace::python {
namespace {

constexpr Unit kUnits[] = {Unit::scalar, Unit::length, Unit::angle, Unit::scale, Unit::quaternion};

Unit unit_named(const std::string& word) {
  for (const Unit unit : kUnits)
    if (name(unit) == word) return unit;
  throw Error({.code = ErrorCode::usage,
               .element = "unit \"" + word + "\"",
               .value = word,
               .problem = "does not exist",
               .remedy = "units are scalar, length, angle (radians) and scale"});
}

int index_of(const Rig& rig, const std::string& control) {
  if (const int index = rig.find(control); index >= 0) return index;
  std::vector<std::string> names;
  for (const Control& each : rig.controls())
    if (each.unit != Unit::quaternion) names.push_back(each.name);
  throw Error({.code = ErrorCode::usage,
               .element = "control \"" + control + "\"",
               .value = control,
               .problem = "does not exist",
               .remedy = suggestion(control, names, "rig.controls lists them")});
}

/// Names or indices; None: all.
std::vector<int> controls_from(const Rig& rig, const py::object& given) {
  std::vector<int> indices;
  if (given.is_none()) {
    for (int c = 0; c < static_cast<int>(rig.controls().size()); ++c) indices.push_back(c);
    return indices;
  }
  for (const py::handle each : given)
    indices.push_back(py::isinstance<py::str>(each) ? index_of(rig, each.cast<std::string>()) : each.cast<int>());
  require_indices(indices, static_cast<int>(rig.controls().size()), "controls");
  return indices;
}

py::array evaluate(const RigHandle& self, const Array& p_given, const py::object& out) {
  const Vec p = vector_from(p_given, static_cast<Eigen::Index>(self.rig().controls().size()), "p");
  const py::ssize_t shape[] = {self.rig().point_count(), 3};
  double* memory = out.is_none() ? nullptr : writable(out, shape);
  Vec s;
  {
    const py::gil_scoped_release release;
    self.with_workspace([&](Workspace& workspace) { self.rig().evaluate(workspace, p, s); });
    if (memory != nullptr) std::copy_n(s.data(), s.size(), memory);
  }
  return memory != nullptr ? py::reinterpret_borrow<py::array>(out) : points_array(std::move(s));
}

py::array evaluate_batch(const RigHandle& self, const Array& poses, const py::object& out) {
  const auto controls = static_cast<Eigen::Index>(self.rig().controls().size());
  if (poses.ndim() != 2 || poses.shape(1) != controls)
    refuse_shape("poses", poses, "(k, " + std::to_string(controls) + ")");
  const Mat P = Eigen::Map<const Mat>(poses.data(), controls, poses.shape(0));
  const std::vector<py::ssize_t> shape{poses.shape(0), self.rig().point_count(), 3};
  const py::array result = out.is_none() ? py::array_t<double>(shape) : py::reinterpret_borrow<py::array>(out);
  double* memory = writable(result, shape);
  {
    const py::gil_scoped_release release;
    Mat S;
    self.with_workspace([&](Workspace& workspace) { self.rig().evaluate_batch(workspace, P, S); });
    std::copy_n(S.data(), S.size(), memory);
  }
  return result;
}

/// Rows in C order: (3 N, k).
py::array_t<double> dense(const BlockJacobian& J, const std::vector<int>& place) {
  const py::ssize_t columns = static_cast<py::ssize_t>(place.size());
  py::array_t<double> result({static_cast<py::ssize_t>(3) * J.points(), columns});
  double* values = result.mutable_data();
  std::fill_n(values, result.size(), 0.0);
  for (int i = 0; i < J.points(); ++i)
    for (int e = J.start[i]; e < J.start[i + 1]; ++e)
      for (int d = 0; d < 3; ++d) values[(3 * i + d) * columns + place[J.column[e]]] = J.value(d, e);
  return result;
}

py::object sparse(const BlockJacobian& J, const std::vector<int>& place) {
  std::vector<int> rows, columns;
  std::vector<double> values;
  for (int i = 0; i < J.points(); ++i)
    for (int e = J.start[i]; e < J.start[i + 1]; ++e)
      for (int d = 0; d < 3; ++d) {
        rows.push_back(3 * i + d);
        columns.push_back(place[J.column[e]]);
        values.push_back(J.value(d, e));
      }
  const auto array = [](const auto& list) {
    return py::array_t<typename std::decay_t<decltype(list)>::value_type>(static_cast<py::ssize_t>(list.size()),
                                                                          list.data());
  };
  return py::module_::import("scipy.sparse")
      .attr("csr_matrix")(py::make_tuple(array(values), py::make_tuple(array(rows), array(columns))),
                          py::make_tuple(3 * J.points(), place.size()));
}

py::object jacobian(const RigHandle& self, const Array& p_given, const py::object& controls, bool as_sparse) {
  const Vec p = vector_from(p_given, static_cast<Eigen::Index>(self.rig().controls().size()), "p");
  const std::vector<int> asked = controls_from(self.rig(), controls);
  std::vector<int> order(asked.size());  // ascending, as the library expects
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return asked[a] < asked[b]; });
  std::vector<int> free;
  for (const int k : order) free.push_back(asked[k]);
  if (std::adjacent_find(free.begin(), free.end()) != free.end())
    throw Error({.code = ErrorCode::usage, .element = "controls", .problem = "names one twice"});
  BlockJacobian J;
  {
    const py::gil_scoped_release release;
    self.with_workspace([&](Workspace& workspace) { self.rig().jacobian(workspace, p, free, J); });
  }
  return as_sparse ? sparse(J, order) : py::object(dense(J, order));
}

py::array_t<double> pose_of(const RigHandle& self, const py::dict& values) {
  Vec p = self.rig().rest();
  for (const auto& [control, value] : values)
    p[index_of(self.rig(), control.cast<std::string>())] = value.cast<double>();
  return array_from(std::move(p));
}

void bind_control(py::module_& m) {
  py::class_<Control>(m, "Control", R"(What an animator turns: a name, a unit, a rest value, limits.

Angles are in radians, lengths in units of the scene. `typical` is an ordinary change, in the unit: it scales
difference steps and solver variables.

    >>> import rigspace
    >>> rigspace.Control("bar.bend", unit="angle", min=-3, max=3)
    Control('bar.bend', unit='angle', rest=0, min=-3, max=3, typical=1)
)")
      .def(py::init([](std::string name, const std::string& unit, double rest, double min, double max, double typical,
                       std::string node, std::string group) {
             return Control{.name = std::move(name),
                            .node = std::move(node),
                            .unit = unit_named(unit),
                            .rest = rest,
                            .min = min,
                            .max = max,
                            .group = std::move(group),
                            .typical = typical};
           }),
           py::arg("name"), py::kw_only(), py::arg("unit") = "scalar", py::arg("rest") = 0.0,
           py::arg("min") = -std::numeric_limits<double>::infinity(),
           py::arg("max") = std::numeric_limits<double>::infinity(), py::arg("typical") = 1.0, py::arg("node") = "",
           py::arg("group") = "")
      .def_readonly("name", &Control::name)
      .def_readonly("node", &Control::node, "The node it belongs to; patterns match the control or its node.")
      .def_property_readonly("unit", [](const Control& self) { return std::string(name(self.unit)); })
      .def_readonly("rest", &Control::rest)
      .def_readonly("min", &Control::min)
      .def_readonly("max", &Control::max)
      .def_readonly("typical", &Control::typical)
      .def_readonly("group", &Control::group)
      .def("__repr__", [](const Control& self) {
        return py::str("Control({!r}, unit={!r}, rest={:g}, min={:g}, max={:g}, typical={:g})")
            .format(self.name, std::string(name(self.unit)), self.rest, self.min, self.max, self.typical);
      });
}

}  // namespace

std::unique_ptr<Workspace> RigHandle::take() const {
  {
    const std::lock_guard lock(pool_->mutex);
    if (!pool_->free.empty()) {
      std::unique_ptr<Workspace> workspace = std::move(pool_->free.back());
      pool_->free.pop_back();
      return workspace;
    }
  }
  return rig_->make_workspace();
}

void bind_rig(py::module_& m) {
  bind_control(m);
  py::class_<RigHandle, std::shared_ptr<RigHandle>>(m, "Rig", R"(A rig: a map s(p) from control values to points.

    >>> import rigspace
    >>> rig = rigspace.cast("bobbin").rig
    >>> rig.evaluate(rig.rest).shape == (rig.point_count, 3)
    True
)")
      .def_property_readonly(
          "controls",
          [](const RigHandle& self) {
            return std::vector<Control>(self.rig().controls().begin(), self.rig().controls().end());
          },
          "All controls, in the order of p.")
      .def_property_readonly("point_count", [](const RigHandle& self) { return self.rig().point_count(); })
      .def_property_readonly(
          "rest", [](const RigHandle& self) { return array_from(self.rig().rest()); }, "A new array: p at rest.")
      .def_property_readonly(
          "exact_jacobian", [](const RigHandle& self) { return self.rig().traits().exact_jacobian; },
          "Analytic, as against differences.")
      .def_property_readonly(
          "noise", [](const RigHandle& self) { return self.rig().traits().noise; },
          "Standard deviation of a coordinate when p is repeated, scene units.")
      .def(
          "find", [](const RigHandle& self, const std::string& control) { return index_of(self.rig(), control); },
          py::arg("control"), "Index of the control of this name.")
      .def("pose", &pose_of, py::arg("values"), "p at rest, but for the controls in a dict: {name: value}.")
      .def("evaluate", &evaluate, py::arg("p"), py::arg("out") = py::none(),
           R"(Points at p, shape (N, 3), scene space. `out`, of that shape, is filled and returned.)")
      .def("evaluate_batch", &evaluate_batch, py::arg("poses"), py::arg("out") = py::none(),
           R"(Points at many poses, (k, controls) to (k, N, 3), in one go.)")
      .def("jacobian", &jacobian, py::arg("p"), py::arg("controls") = py::none(), py::arg("sparse") = false,
           R"(ds/dp, shape (3 N, k), for some controls (names or indices, in the order given) or all.

Row 3 i + d is coordinate d of point i. With sparse=True a scipy.sparse.csr_matrix, which needs scipy.)")
      .def("__repr__", [](const RigHandle& self) {
        return py::str("<rigspace.Rig of {} controls and {} points>")
            .format(self.rig().controls().size(), self.rig().point_count());
      });
}

}  // namespace rigspace::python
