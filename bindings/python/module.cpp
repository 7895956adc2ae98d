// import rigspace: the compiled half of the package. One file a topic; the other half, bindings/python/rigspace, has
// the functions with many options, so that their signatures can be read.

#include "module.h"

#include "rigspace/base/parallel.h"

#include "rigspace/base/version.h"

PYBIND11_MODULE(_rigspace, m) {
  using namespace rigspace::python;
  m.doc() = "The compiled half of rigspace; import rigspace instead.";
  m.attr("__version__") = rigspace::version();
  bind_errors(m);
  bind_rig(m);
  bind_black_box(m);
  bind_clip(m);
  bind_character(m);
  bind_simulate(m);
  bind_pose(m);
  bind_sketch(m);
  bind_inverse(m);
  bind_cloth(m);
  bind_forces(m);
  bind_mesh(m);
  bind_energy(m);
  bind_minimise(m);
  bind_rig_space(m);
  m.def("thread_count", &rigspace::thread_count, "How many threads the library's loops may use.");
  m.def("set_thread_count", &rigspace::set_thread_count, py::arg("threads"),
        "All cores by default. Results are the same bits for any number.");
}
