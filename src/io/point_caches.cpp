// Lightwave's MDD and 3ds Max's PC2.

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/point_motion.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace rigspace {
namespace {

std::uint32_t word_at(const std::vector<std::byte>& bytes, std::size_t at, bool big_endian) {
  std::uint32_t word = 0;
  for (std::size_t k = 0; k < 4; ++k)
    word |= static_cast<std::uint32_t>(bytes[at + k]) << (8 * (big_endian ? 3 - k : k));
  return word;
}

float float_at(const std::vector<std::byte>& bytes, std::size_t at, bool big_endian) {
  return std::bit_cast<float>(word_at(bytes, at, big_endian));
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& problem) {
  throw Error({.file = path.string(), .element = "point cache", .problem = problem, .remedy = "export it again"});
}

/// Frames by points, from `at` on.
Mat places(const std::vector<std::byte>& bytes, std::size_t at, std::size_t frames, std::size_t points,
           bool big_endian) {
  Mat X(static_cast<Eigen::Index>(3 * points), static_cast<Eigen::Index>(frames));
  for (Eigen::Index i = 0; i < X.size(); ++i)
    X.data()[i] = float_at(bytes, at + 4 * static_cast<std::size_t>(i), big_endian);
  return X;
}

void check_size(const std::filesystem::path& path, std::size_t size, double needed, std::uint32_t frames,
                std::uint32_t points) {
  if (static_cast<double>(size) < needed)
    refuse(path, "is cut short: " + std::to_string(frames) + " frames of " + std::to_string(points) + " points need " +
                     std::to_string(static_cast<long long>(needed)) + " bytes, the file has " + std::to_string(size));
}

}  // namespace

// Big endian: frames, points, a time (seconds) for each frame, then x y z of each point of each frame.
PointMotion read_mdd(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  if (bytes.size() < 8) refuse(path, "is no MDD file");
  const std::uint32_t frames = word_at(bytes, 0, true), points = word_at(bytes, 4, true);
  check_size(path, bytes.size(), 8 + 4.0 * frames + 12.0 * frames * points, frames, points);
  PointMotion motion;
  for (std::size_t k = 0; k < frames; ++k) motion.times.push_back(float_at(bytes, 8 + 4 * k, true));
  motion.X = places(bytes, 8 + 4 * std::size_t{frames}, frames, points, true);
  return motion;
}

// Little endian: POINTCACHE2 and a zero, version 1, points, first frame and frames between samples (float), samples.
PointMotion read_pc2(const std::filesystem::path& path, double fps) {
  const std::vector<std::byte> bytes = read_file(path);
  if (bytes.size() < 32 || std::memcmp(bytes.data(), "POINTCACHE2", 12) != 0) refuse(path, "is no PC2 file");
  const std::uint32_t points = word_at(bytes, 16, false), frames = word_at(bytes, 28, false);
  check_size(path, bytes.size(), 32 + 12.0 * frames * points, frames, points);
  const double first = float_at(bytes, 20, false), step = float_at(bytes, 24, false);
  PointMotion motion;
  for (std::size_t k = 0; k < frames; ++k) motion.times.push_back((first + step * static_cast<double>(k)) / fps);
  motion.X = places(bytes, 32, frames, points, false);
  return motion;
}

}  // namespace rigspace
