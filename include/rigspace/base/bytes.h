#pragma once
// Numbers to bytes and back, for checkpoints and caches: the same program reads what it wrote.

#include "rigspace/base/error.h"
#include "rigspace/base/types.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace rigspace {

class ByteWriter {
 public:
  void number(double value) { append(&value, sizeof value); }
  void values(In values) {
    number(static_cast<double>(values.size()));
    append(values.data(), sizeof(double) * static_cast<std::size_t>(values.size()));
  }
  void integers(std::span<const int> list) {
    number(static_cast<double>(list.size()));
    append(list.data(), sizeof(int) * list.size());
  }
  void matrix(const Mat& M) {
    number(static_cast<double>(M.rows()));
    values(M.reshaped());
  }
  void raw(std::span<const std::byte> bytes) { append(bytes.data(), bytes.size()); }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void append(const void* data, std::size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  std::vector<std::byte> bytes_;
};

/// Throws Error where the bytes end too early.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  double number() {
    double value = 0;
    take(&value, 1);
    return value;
  }
  int integer() { return static_cast<int>(number()); }
  Vec values() {
    const double size = number();
    if (!(size >= 0 && size <= static_cast<double>(rest_.size() / sizeof(double)))) refuse();
    Vec result(static_cast<Eigen::Index>(size));
    take(result.data(), static_cast<std::size_t>(result.size()));
    return result;
  }
  std::vector<int> integers() {
    const double size = number();
    if (!(size >= 0 && size <= static_cast<double>(rest_.size() / sizeof(int)))) refuse();
    std::vector<int> result(static_cast<std::size_t>(size));
    if (!result.empty()) std::memcpy(result.data(), rest_.data(), sizeof(int) * result.size());
    rest_ = rest_.subspan(sizeof(int) * result.size());
    return result;
  }
  /// Valid as long as the bytes that this reads.
  std::span<const std::byte> raw(std::size_t size) {
    if (rest_.size() < size) refuse();
    const std::span<const std::byte> bytes = rest_.first(size);
    rest_ = rest_.subspan(size);
    return bytes;
  }
  Mat matrix() {
    const auto rows = static_cast<Eigen::Index>(number());
    const Vec all = values();
    if (rows <= 0 || all.size() % rows != 0) return Mat(0, 0);
    return all.reshaped(rows, all.size() / rows);
  }

 private:
  [[noreturn]] static void refuse() {
    throw Error({.element = "saved state", .problem = "is cut short", .remedy = "remove it and run again"});
  }
  void take(double* to, std::size_t count) {
    if (rest_.size() < count * sizeof(double)) refuse();
    if (count > 0) std::memcpy(to, rest_.data(), count * sizeof(double));  // `to` is null where count is 0
    rest_ = rest_.subspan(count * sizeof(double));
  }
  std::span<const std::byte> rest_;
};

}  // namespace rigspace
