// The library's messages as typed exceptions, and Python's own through the library.

#include "module.h"

#include "rigspace/base/error.h"

namespace rigspace::python {
namespace {

/// rigspace._errors makes the exception of the right class; it has the fields of ErrorInfo as attributes.
void raise(const Error& error) {
  const ErrorInfo& info = error.info();
  const py::object made = py::module_::import("rigspace._errors")
                              .attr("error_of")(static_cast<int>(info.code), std::string(error.what()), info.file,
                                                info.element, info.value, info.problem, info.remedy);
  PyErr_SetObject(py::type::of(made).ptr(), made.ptr());
}

}  // namespace

std::shared_ptr<py::object> held(const py::object& object) {
  return {new py::object(object), [](py::object* owned) {
            const py::gil_scoped_acquire gil;
            delete owned;
          }};
}

ProgressCallback progress_from(const py::object& callable) {
  return [callback = held(callable)](const Progress& progress) {
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (callback->is_none()) return true;
    const py::object answer = (*callback)(py::str(progress.stage.data(), progress.stage.size()), progress.fraction);
    return answer.is_none() || answer.cast<bool>();
  };
}

void bind_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

}  // namespace rigspace::python
