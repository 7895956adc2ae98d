#pragma once
// Between numpy and the library: float64 in C order. What is neither is converted once; a wrong shape is an Error.

#include "rigspace/base/types.h"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace rigspace::python {

namespace py = pybind11;

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Integers = py::array_t<int, py::array::c_style | py::array::forcecast>;

/// "(4, 3)", as numpy writes it.
std::string shape_of(const py::array& array);

/// Throws Error: `name` has the shape that it has, and `expected` is in words.
[[noreturn]] void refuse_shape(const char* name, const py::array& array, const std::string& expected);

/// Shape (size).
Vec vector_from(const Array& array, Eigen::Index size, const char* name);
/// Shape (n, 3), or (3 n) flattened; count < 0: any n.
Vec points_from(const Array& array, Eigen::Index count, const char* name);
/// Shape (n, columns): all indices in 0 .. limit - 1, if limit is not negative.
template <std::size_t columns>
std::vector<std::array<int, columns>> rows_from(const Integers& array, int limit, const char* name);
void require_indices(std::span<const int> indices, int limit, const char* name);

/// New arrays. The first takes the vector's memory over.
py::array_t<double> array_from(Vec values);
py::array_t<double> points_array(Vec points);          ///< (n, 3)
py::array_t<double> matrix_array(const Mat& columns);  ///< its transpose: a row for each column
template <std::size_t columns>
py::array_t<int> rows_array(std::span<const std::array<int, columns>> rows);

/// The memory of `out` if it is float64, C order, writable and of this shape; throws Error otherwise.
double* writable(const py::object& out, std::span<const py::ssize_t> shape);

}  // namespace rigspace::python
