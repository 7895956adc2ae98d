#pragma once
// Places over time without a rig: point caches of other programs, sequences of meshes, tables of landmarks.

#include "rigspace/base/types.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rigspace {

struct PointMotion {
  std::string name;                ///< of the file, without folder and ending
  std::string file;                ///< for messages
  std::vector<std::string> names;  ///< of landmarks; empty where points are only counted
  std::vector<double> times;       ///< seconds, ascending, from 0
  Mat X;                           ///< column k: all points at times[k], flattened, as the file has them

  int count() const { return static_cast<int>(X.rows() / 3); }
};

/// By ending: .mdd and .pc2 (point caches), .obj (a sequence: one name with a * for the number, or the first of files that
/// are numbered), .csv (landmarks: columns `time`, then `name.x`, `name.y`, `name.z` of each; or one line a landmark:
/// `time,name,x,y,z`). `fps`: of formats that count frames (.pc2, .obj). Throws Error that names file and line or frame:
/// for a file that is none or cut short, numbers of points that differ, and anything that is not finite.
PointMotion read_point_motion(const std::filesystem::path& path, double fps = 30);

/// Whether the name ends like one of these.
bool is_point_motion_file(const std::filesystem::path& path);

/// One of each format.
PointMotion read_mdd(const std::filesystem::path& path);
PointMotion read_pc2(const std::filesystem::path& path, double fps);
PointMotion read_obj_sequence(const std::filesystem::path& path, double fps);
PointMotion read_landmarks(const std::filesystem::path& path);

}  // namespace rigspace
