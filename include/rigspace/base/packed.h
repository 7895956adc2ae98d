#pragma once
// Numbers, texts and lists as bytes and back, for files that other builds of the library read: little-endian, sizes
// before contents, the same bytes on every machine. Packer and Unpacker are called alike, `archive(a, b)`, so that one
// function describes a struct both ways:
//
//   template <class Archive, Like<Thing> T>
//   void fields(Archive& archive, T& thing) { archive(thing.name, thing.values); }

#include "rigspace/base/error.h"
#include "rigspace/base/types.h"

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rigspace {

static_assert(std::endian::native == std::endian::little, "packed bytes are written as they lie in memory");

template <class T, class Of>
concept Like = std::same_as<std::remove_const_t<T>, Of>;

namespace packed {

/// Numbers as they lie in memory: those that may be copied in bulk.
template <class T>
inline constexpr bool is_number = std::same_as<T, double> || std::same_as<T, float> || std::same_as<T, std::int32_t> ||
                                  std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t>;
template <class T>
inline constexpr bool is_byte = std::same_as<T, bool> || std::same_as<T, char>;
template <class T>
inline constexpr bool is_eigen = std::is_base_of_v<Eigen::EigenBase<T>, T>;

template <class T>
struct List : std::false_type {};
template <class T>
struct List<std::vector<T>> : std::true_type {};
template <class T>
struct Fixed : std::false_type {};
template <class T, std::size_t n>
struct Fixed<std::array<T, n>> : std::true_type {};

}  // namespace packed

class Packer {
 public:
  template <class... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  void raw(std::span<const std::byte> bytes) { append(bytes.data(), bytes.size()); }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (packed::is_number<T>) {
      append(&value, sizeof value);
    } else if constexpr (packed::is_byte<T>) {
      const auto byte = static_cast<unsigned char>(value);
      append(&byte, 1);
    } else if constexpr (std::is_enum_v<T>) {
      put(static_cast<std::int32_t>(value));
    } else if constexpr (std::same_as<T, std::string>) {
      put(static_cast<std::uint32_t>(value.size())), append(value.data(), value.size());
    } else if constexpr (packed::is_eigen<T>) {
      if constexpr (T::SizeAtCompileTime == Eigen::Dynamic)
        put(static_cast<std::uint32_t>(value.rows())), put(static_cast<std::uint32_t>(value.cols()));
      append(value.data(), sizeof(double) * static_cast<std::size_t>(value.size()));
    } else if constexpr (std::same_as<T, Quat>) {
      append(value.coeffs().data(), 4 * sizeof(double));
    } else if constexpr (packed::List<T>::value) {
      put(static_cast<std::uint32_t>(value.size()));
      for (const auto& each : value) put(each);
    } else if constexpr (packed::Fixed<T>::value) {
      for (const auto& each : value) put(each);
    } else {
      fields(*this, value);
    }
  }
  void append(const void* data, std::size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  std::vector<std::byte> bytes_;
};

/// Throws Error with this name for file where the bytes end too early; never takes more memory than a small multiple of
/// them.
class Unpacker {
 public:
  Unpacker(std::span<const std::byte> bytes, std::string name) : rest_(bytes), name_(std::move(name)) {}

  template <class... Values>
  void operator()(Values&... values) {
    (take(values), ...);
  }
  template <class T>
  T next() {
    T value{};
    take(value);
    return value;
  }
  std::span<const std::byte> rest() const { return rest_; }
  const std::string& name() const { return name_; }
  /// Throws Error naming the thing that is not as it must be.
  void require(bool holds, const char* thing) const {
    if (!holds) refuse(thing);
  }
  [[noreturn]] void refuse(const char* thing) const {
    throw Error(
        {.file = name_, .element = thing, .problem = "does not hold together", .remedy = "write the file again"});
  }

 private:
  template <class T>
  void take(T& value) {
    if constexpr (packed::is_number<T>) {
      copy(&value, sizeof value);
    } else if constexpr (packed::is_byte<T>) {
      unsigned char byte = 0;
      copy(&byte, 1);
      value = static_cast<T>(byte);
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(next<std::int32_t>());
    } else if constexpr (std::same_as<T, std::string>) {
      value.resize(count(1));
      copy(value.data(), value.size());
    } else if constexpr (packed::is_eigen<T>) {
      if constexpr (T::SizeAtCompileTime == Eigen::Dynamic) {
        const std::uint64_t rows = next<std::uint32_t>(), columns = next<std::uint32_t>();
        const bool fits =
            rows * columns <= rest_.size() / sizeof(double) &&
            (T::RowsAtCompileTime == Eigen::Dynamic || rows == static_cast<std::uint64_t>(T::RowsAtCompileTime)) &&
            (T::ColsAtCompileTime == Eigen::Dynamic || columns == static_cast<std::uint64_t>(T::ColsAtCompileTime));
        require(fits, "a matrix");
        value.resize(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
      }
      copy(value.data(), sizeof(double) * static_cast<std::size_t>(value.size()));
    } else if constexpr (std::same_as<T, Quat>) {
      copy(value.coeffs().data(), 4 * sizeof(double));
    } else if constexpr (packed::List<T>::value) {
      value.resize(count(1));
      for (auto& each : value) take(each);
    } else if constexpr (packed::Fixed<T>::value) {
      for (auto& each : value) take(each);
    } else {
      fields(*this, value);
    }
  }
  /// A count of things of at least so many bytes each, which must still be there.
  std::size_t count(std::size_t least) {
    const std::size_t announced = next<std::uint32_t>();
    require(announced <= rest_.size() / least, "a list");
    return announced;
  }
  void copy(void* to, std::size_t size) {
    require(size <= rest_.size(), "its end");
    if (size > 0) std::memcpy(to, rest_.data(), size);
    rest_ = rest_.subspan(size);
  }
  std::span<const std::byte> rest_;
  std::string name_;
};

}  // namespace rigspace
