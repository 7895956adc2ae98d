#include "rigspace/io/point_motion.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace rigspace {
namespace {

std::string ending_of(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

}  // namespace

bool is_point_motion_file(const std::filesystem::path& path) {
  const std::string ending = ending_of(path);
  return ending == ".mdd" || ending == ".pc2" || ending == ".obj" || ending == ".csv";
}

PointMotion read_point_motion(const std::filesystem::path& path, double fps) {
  const std::string ending = ending_of(path);
  PointMotion motion = ending == ".mdd"   ? read_mdd(path)
                       : ending == ".pc2" ? read_pc2(path, fps)
                       : ending == ".obj" ? read_obj_sequence(path, fps)
                       : ending == ".csv" ? read_landmarks(path)
                                          : throw Error({.code = ErrorCode::usage,
                                                         .file = path.string(),
                                                         .element = "motion",
                                                         .problem = "is no table or cache of points",
                                                         .remedy = "expected .mdd, .pc2, .obj or .csv"});
  motion.file = path.string();
  if (motion.name.empty()) motion.name = path.stem().string();
  for (Eigen::Index k = 0; k < motion.X.cols(); ++k)
    for (Eigen::Index i = 0; i < motion.X.rows(); ++i)
      if (!std::isfinite(motion.X(i, k)))
        throw Error({.file = motion.file,
                     .element = motion.names.empty()
                                    ? "point " + std::to_string(i / 3)
                                    : "landmark \"" + motion.names[static_cast<std::size_t>(i / 3)] + "\"",
                     .value = std::to_string(motion.X(i, k)),
                     .problem = "is not finite in frame " + std::to_string(k),
                     .remedy = "mend or cut that frame"});
  for (std::size_t k = 1; k < motion.times.size(); ++k)
    if (!(motion.times[k] > motion.times[k - 1]))
      throw Error({.file = motion.file,
                   .element = "frame " + std::to_string(k),
                   .value = std::to_string(motion.times[k]),
                   .problem = "is not later than the frame before",
                   .remedy = "times must ascend"});
  if (motion.times.empty() || motion.X.rows() == 0)
    throw Error({.file = motion.file,
                 .element = "motion",
                 .problem = "has no frames or no points",
                 .remedy = "export it again"});
  // Clips begin at 0.
  const double start = motion.times.front();
  for (double& time : motion.times) time -= start;
  return motion;
}

}  // namespace rigspace
