#include "arrays.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <memory>

namespace rigspace::python {
namespace {

/// An array over memory that the vector gives up.
py::array_t<double> adopt(Vec values, std::vector<py::ssize_t> shape) {
  auto owner = std::make_unique<Vec>(std::move(values));
  double* data = owner->data();
  const py::capsule base(owner.release(), [](void* vector) { delete static_cast<Vec*>(vector); });
  return py::array_t<double>(std::move(shape), data, base);
}

std::string shape_text(std::span<const py::ssize_t> shape) {
  std::string text = "(";
  for (std::size_t k = 0; k < shape.size(); ++k) text += (k > 0 ? ", " : "") + std::to_string(shape[k]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string shape_of(const py::array& array) {
  return shape_text({array.shape(), static_cast<std::size_t>(array.ndim())});
}

void refuse_shape(const char* name, const py::array& array, const std::string& expected) {
  throw Error({.code = ErrorCode::usage,
               .element = name,
               .value = shape_of(array),
               .problem = "has the shape " + shape_of(array),
               .remedy = "expected " + expected});
}

Vec vector_from(const Array& array, Eigen::Index size, const char* name) {
  if (array.ndim() != 1 || array.size() != size) refuse_shape(name, array, "(" + std::to_string(size) + ",)");
  return Eigen::Map<const Vec>(array.data(), size);
}

Vec points_from(const Array& array, Eigen::Index count, const char* name) {
  const bool rows = array.ndim() == 2 && array.shape(1) == 3, flat = array.ndim() == 1 && array.size() % 3 == 0;
  if ((!rows && !flat) || (count >= 0 && array.size() != 3 * count))
    refuse_shape(name, array, count < 0 ? "(n, 3)" : "(" + std::to_string(count) + ", 3)");
  return Eigen::Map<const Vec>(array.data(), array.size());
}

void require_indices(std::span<const int> indices, int limit, const char* name) {
  for (const int index : indices)
    if (index < 0 || index >= limit)
      throw Error({.code = ErrorCode::usage,
                   .element = name,
                   .value = std::to_string(index),
                   .problem = "names " + std::to_string(index) + ", which is not there",
                   .remedy = "there are " + std::to_string(limit) + ", counted from 0"});
}

template <std::size_t columns>
std::vector<std::array<int, columns>> rows_from(const Integers& array, int limit, const char* name) {
  if (array.ndim() != 2 || array.shape(1) != columns) refuse_shape(name, array, "(n, " + std::to_string(columns) + ")");
  if (limit >= 0) require_indices({array.data(), static_cast<std::size_t>(array.size())}, limit, name);
  std::vector<std::array<int, columns>> rows(static_cast<std::size_t>(array.shape(0)));
  std::copy_n(array.data(), array.size(), reinterpret_cast<int*>(rows.data()));
  return rows;
}
template std::vector<std::array<int, 3>> rows_from<3>(const Integers&, int, const char*);
template std::vector<std::array<int, 4>> rows_from<4>(const Integers&, int, const char*);

py::array_t<double> array_from(Vec values) {
  const py::ssize_t size = values.size();
  return adopt(std::move(values), {size});
}

py::array_t<double> points_array(Vec points) {
  const py::ssize_t count = points.size() / 3;
  return adopt(std::move(points), {count, 3});
}

py::array_t<double> matrix_array(const Mat& columns) {
  py::array_t<double> rows({columns.cols(), columns.rows()});
  std::copy_n(columns.data(), columns.size(), rows.mutable_data());
  return rows;
}

template <std::size_t columns>
py::array_t<int> rows_array(std::span<const std::array<int, columns>> rows) {
  py::array_t<int> array({static_cast<py::ssize_t>(rows.size()), static_cast<py::ssize_t>(columns)});
  std::copy_n(reinterpret_cast<const int*>(rows.data()), rows.size() * columns, array.mutable_data());
  return array;
}
template py::array_t<int> rows_array<3>(std::span<const std::array<int, 3>>);
template py::array_t<int> rows_array<4>(std::span<const std::array<int, 4>>);

double* writable(const py::object& out, std::span<const py::ssize_t> shape) {
  const auto refuse = [&](const std::string& problem) {
    throw Error({.code = ErrorCode::usage,
                 .element = "out",
                 .problem = problem,
                 .remedy = "expected a writable float64 array in C order of the shape " + shape_text(shape)});
  };
  if (!py::isinstance<py::array>(out)) refuse("is no array");
  auto array = py::reinterpret_borrow<py::array>(out);
  if (!py::isinstance<py::array_t<double>>(out)) refuse("is of another type");
  if ((array.flags() & py::array::c_style) == 0) refuse("is not in C order");
  if (!array.writeable()) refuse("is read-only");
  if (!std::equal(shape.begin(), shape.end(), array.shape(), array.shape() + array.ndim()))
    refuse("has the shape " + shape_of(array));
  return static_cast<double*>(array.mutable_data());
}

}  // namespace rigspace::python
