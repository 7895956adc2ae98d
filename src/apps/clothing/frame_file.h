#pragma once
// Private to clothing: frames of one clip in a file, kept as soon as they are made.

#include "rigspace/base/types.h"

#include <filesystem>
#include <string>

namespace rigspace {

/// A key of 32 letters that says of what, then time, points and velocities of each frame. A frame that was cut short is
/// no frame; a file of another key is started anew.
class FrameFile {
 public:
  /// `size`: numbers of a frame's points. Throws Error if the file cannot be written.
  FrameFile(std::filesystem::path path, const std::string& key, Eigen::Index size);

  int frames() const { return frames_; }
  void append(double time, In x, In v);
  void read(int frame, double& time, Vec& x, Vec& v) const;

 private:
  std::filesystem::path path_;
  Eigen::Index size_;
  std::size_t record_, head_ = 0;
  int frames_ = 0;
};

}  // namespace rigspace
