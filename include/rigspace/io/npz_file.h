#pragma once
// Arrays for research, as NumPy reads them: .npz, a zip of .npy files that are not compressed.

#include "rigspace/base/types.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rigspace {

/// Names are kept in the order given; each may be used once.
class NpzFile {
 public:
  /// float64, shape (rows, columns), C order.
  void add(std::string name, const Mat& values);
  /// float64, shape (n).
  void add_vector(std::string name, In values);
  /// float64, shape (n, 3): flattened points.
  void add_points(std::string name, In points);
  /// int32, shape (n / columns, columns), C order; (n) where columns is 0.
  void add_integers(std::string name, std::span<const int> values, int columns = 0);
  /// Text, shape (n): NumPy's <U, as wide as the longest. UTF-8 in.
  void add_names(std::string name, std::span<const std::string> values);

  /// The whole file. Throws Error if it is larger than a plain zip can be, 4 GiB.
  std::vector<std::byte> bytes() const;
  void write(const std::filesystem::path& path) const;

 private:
  void add_array(std::string name, std::string_view type, std::span<const std::size_t> shape,
                 std::span<const std::byte> data);

  std::vector<std::pair<std::string, std::vector<std::byte>>> arrays_;  // name, .npy
};

}  // namespace rigspace
