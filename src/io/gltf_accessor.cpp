// Typed numbers out of buffers: views, strides, normalised integers, sparse replacements.
#include "gltf_document.h"

#include <cmath>
#include <cstring>
#include <type_traits>

namespace rigspace {
namespace {

constexpr std::int64_t kLargestAccessor = std::int64_t{1} << 40;

int component_size(int type) {
  switch (type) {
    case 5120:
    case 5121: return 1;
    case 5122:
    case 5123: return 2;
    case 5125:
    case 5126: return 4;
    default: return 0;
  }
}

int component_count(const std::string& type) {
  if (type == "SCALAR") return 1;
  if (type == "VEC2") return 2;
  if (type == "VEC3") return 3;
  if (type == "VEC4" || type == "MAT2") return 4;
  if (type == "MAT3") return 9;
  if (type == "MAT4") return 16;
  return 0;
}

/// Normalised integers (glTF 2.0, 3.11): c / (2^b - 1), or max(c / (2^(b-1) - 1), -1) where signed.
template <class Stored>
double normalised(Stored c) {
  const double value = static_cast<double>(c) / static_cast<double>(std::numeric_limits<Stored>::max());
  return value < -1 ? -1 : value;
}

template <class Stored, class Number>
std::int64_t convert_as(const std::byte* data, std::size_t stride, std::int64_t count, int components, bool normalize,
                        Number* to) {
  for (std::int64_t i = 0; i < count; ++i, data += stride)
    for (int k = 0; k < components; ++k) {
      Stored stored;
      std::memcpy(&stored, data + static_cast<std::size_t>(k) * sizeof(Stored), sizeof(Stored));
      if constexpr (std::is_floating_point_v<Stored>) {
        if (!(std::abs(stored) <= kLargestNumber)) return i;
        *to++ = static_cast<Number>(stored);
      } else if constexpr (std::is_floating_point_v<Number>) {
        *to++ = normalize ? normalised(stored) : static_cast<Number>(stored);
      } else {
        *to++ = static_cast<Number>(stored);
      }
    }
  return -1;
}

}  // namespace

std::span<const std::byte> GltfDocument::view_bytes(int view) const {
  const Json& json_view = item("bufferViews", view);
  const std::string element = "bufferView " + std::to_string(view);
  const int buffer = index(json_view, "buffer", element, "buffers");
  if (buffer < 0) fail(element, "names no buffer", "export the file again");
  const std::int64_t offset = integer(json_view, "byteOffset", element, kLargestAccessor).value_or(0);
  const std::int64_t length = integer(json_view, "byteLength", element, kLargestAccessor).value_or(0);
  const std::int64_t size = static_cast<std::int64_t>(buffers[buffer].size());
  if (offset > size || length > size - offset)
    fail(element, "covers bytes " + std::to_string(offset) + " to " + std::to_string(offset + length),
         label("buffers", buffer) + " has only " + std::to_string(size), std::to_string(offset + length));
  return std::span(buffers[buffer]).subspan(offset, length);
}

GltfDocument::Strided GltfDocument::locate(const Json& owner, std::int64_t count, int components, int component_type,
                                           const std::string& element) const {
  const int view = index(owner, "bufferView", element, "bufferViews");
  if (view < 0) return {};
  const auto bytes = view_bytes(view);
  const int unit = component_size(component_type);
  const std::int64_t element_size = std::int64_t{unit} * components;
  const std::int64_t offset = integer(owner, "byteOffset", element, kLargestAccessor).value_or(0);
  const std::int64_t stride = integer(item("bufferViews", view), "byteStride", element, 252).value_or(element_size);
  const std::int64_t view_offset = integer(item("bufferViews", view), "byteOffset", element, kLargestAccessor).value_or(0);
  if (stride < element_size || stride % unit != 0)
    fail(element, "has elements of " + std::to_string(element_size) + " bytes every " + std::to_string(stride),
         "byteStride must hold an element and be a multiple of its numbers' size", std::to_string(stride));
  if ((view_offset + offset) % unit != 0)
    fail(element, "begins at byte " + std::to_string(view_offset + offset),
         "a multiple of " + std::to_string(unit) + " is required", std::to_string(view_offset + offset));
  const std::int64_t size = static_cast<std::int64_t>(bytes.size());
  // Divided, not multiplied: a count may be anything.
  const bool fits =
      count == 0 || (offset + element_size <= size && count - 1 <= (size - offset - element_size) / stride);
  if (!fits)
    fail(element, "needs " + std::to_string(count) + " elements of " + std::to_string(element_size) + " bytes",
         "bufferView " + std::to_string(view) + " has only " + std::to_string(size) + " bytes", std::to_string(count));
  return {count == 0 ? nullptr : bytes.data() + offset, static_cast<std::size_t>(stride)};
}

AccessorShape GltfDocument::accessor_shape(int accessor) const {
  const Json& owner = item("accessors", accessor);
  const std::string element = "accessor " + std::to_string(accessor);
  AccessorShape shape;
  const auto count = integer(owner, "count", element, kLargestAccessor);
  if (!count) fail(element, "has no count", "export the file again");
  shape.count = *count;
  const std::string type = text(owner, "type", element);
  shape.components = component_count(type);
  if (shape.components == 0)
    fail(element, "has type \"" + type + "\"", "SCALAR, VEC2, VEC3, VEC4, MAT2, MAT3 or MAT4 is expected", type);
  shape.component_type = static_cast<int>(integer(owner, "componentType", element, 100'000).value_or(0));
  if (component_size(shape.component_type) == 0)
    fail(element, "has componentType " + std::to_string(shape.component_type),
         "5120, 5121, 5122, 5123, 5125 or 5126 is expected", std::to_string(shape.component_type));
  shape.normalized = flag(owner, "normalized", element);
  return shape;
}

template <class Number>
void GltfDocument::convert(Strided from, std::int64_t count, const AccessorShape& shape, Number* to,
                           const std::string& element) const {
  if (!from.data) return;
  std::int64_t bad = -1;
  const auto run = [&]<class Stored>(Stored) {
    bad = convert_as<Stored>(from.data, from.stride, count, shape.components, shape.normalized, to);
  };
  switch (shape.component_type) {
    case 5120: run(std::int8_t{}); break;
    case 5121: run(std::uint8_t{}); break;
    case 5122: run(std::int16_t{}); break;
    case 5123: run(std::uint16_t{}); break;
    case 5125: run(std::uint32_t{}); break;
    default: run(float{}); break;
  }
  if (bad >= 0)
    fail(element, "has a number at element " + std::to_string(bad) + " that is not finite or beyond 1e18",
         "repair it where the file was made", std::to_string(bad));
}

template <class Number>
void GltfDocument::apply_sparse(const Json& sparse, const AccessorShape& shape, std::vector<Number>& values,
                                const std::string& element) const {
  const std::int64_t count = integer(sparse, "count", element + " sparse", shape.count).value_or(0);
  const Json& indices = object(sparse, "indices", element + " sparse");
  const std::string indices_element = element + " sparse indices";
  const int type = static_cast<int>(integer(indices, "componentType", indices_element, 100'000).value_or(0));
  if (type != 5121 && type != 5123 && type != 5125)
    fail(indices_element, "has componentType " + std::to_string(type), "5121, 5123 or 5125 is expected",
         std::to_string(type));
  const Strided at = locate(indices, count, 1, type, indices_element);
  const Json& replacements = object(sparse, "values", element + " sparse");
  const Strided from = locate(replacements, count, shape.components, shape.component_type, element + " sparse values");
  if (count > 0 && (!at.data || !from.data))
    fail(element + " sparse", "lacks a bufferView for its indices or values", "export the file again");
  std::vector<std::uint32_t> where(count);
  convert(at, count, {.count = count, .components = 1, .component_type = type}, where.data(), indices_element);
  std::vector<Number> what(static_cast<std::size_t>(count) * shape.components);
  convert(from, count, shape, what.data(), element + " sparse values");
  for (std::int64_t i = 0; i < count; ++i) {
    if (where[i] >= shape.count || (i > 0 && where[i] <= where[i - 1]))
      fail(indices_element, "has " + std::to_string(where[i]) + " at " + std::to_string(i),
           "they must increase and stay below the accessor's count of " + std::to_string(shape.count),
           std::to_string(where[i]));
    std::copy_n(&what[i * shape.components], shape.components, &values[std::size_t{where[i]} * shape.components]);
  }
}

template <class Number>
std::vector<Number> GltfDocument::read(int accessor, const char* type) const {
  const AccessorShape shape = accessor_shape(accessor);
  const Json& owner = item("accessors", accessor);
  const std::string element = "accessor " + std::to_string(accessor);
  if (const std::string actual = text(owner, "type", element); actual != type)
    fail(element, "has type " + actual + " where " + type + " is needed", "export the file again", actual);
  const Strided from = locate(owner, shape.count, shape.components, shape.component_type, element);
  // An accessor without a view is all zeros and backed by nothing; the memory of one that is, is transient. Both are
  // counted at an eighth, which also bounds the time that repeated reads of one accessor can take.
  const std::uint64_t numbers = static_cast<std::uint64_t>(shape.count) * shape.components;
  spend(from.data ? numbers : numbers * sizeof(Number), element);
  std::vector<Number> values(numbers);
  if (!from.data) spent_ -= numbers * (sizeof(Number) - 1);
  convert(from, shape.count, shape, values.data(), element);
  if (const Json* sparse = find(owner, "sparse")) apply_sparse(*sparse, shape, values, element);
  return values;
}

std::vector<double> GltfDocument::read_numbers(int accessor, const char* type) const {
  return read<double>(accessor, type);
}

std::vector<std::uint32_t> GltfDocument::read_integers(int accessor, const char* type) const {
  const AccessorShape shape = accessor_shape(accessor);
  const int t = shape.component_type;
  if ((t != 5121 && t != 5123 && t != 5125) || shape.normalized)
    fail("accessor " + std::to_string(accessor), "does not hold plain unsigned integers",
         "indices and joints need componentType 5121, 5123 or 5125", std::to_string(t));
  return read<std::uint32_t>(accessor, type);
}

}  // namespace rigspace
