#include "frame_file.h"

#include "rigspace/base/bytes.h"
#include "rigspace/base/error.h"

#include <fstream>
#include <span>
#include <vector>

namespace rigspace {

FrameFile::FrameFile(std::filesystem::path path, const std::string& key, Eigen::Index size)
    : path_(std::move(path)), size_(size), record_(sizeof(double) * static_cast<std::size_t>(1 + 2 * size)) {
  std::string known(key.size(), ' ');
  std::ifstream in(path_, std::ios::binary);
  if (!in.read(known.data(), std::ssize(known)) || known != key) {  // none, or of something else
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << key;
    known = key;
  }
  head_ = key.size();
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path_, error);
  if (error || bytes < head_)
    throw Error({.file = path_.string(), .problem = "cannot be written", .remedy = "check the folder and the disk"});
  frames_ = static_cast<int>((bytes - head_) / record_);
  std::filesystem::resize_file(path_, head_ + record_ * static_cast<std::size_t>(frames_));
}

void FrameFile::append(double time, In x, In v) {
  ByteWriter bytes;
  bytes.number(time);
  for (const In part : {x, v}) bytes.raw(std::as_bytes(std::span(part.data(), static_cast<std::size_t>(part.size()))));
  std::ofstream out(path_, std::ios::binary | std::ios::app);
  out.write(reinterpret_cast<const char*>(bytes.bytes().data()), std::ssize(bytes.bytes()));
  out.flush();
  if (!out)
    throw Error({.file = path_.string(), .problem = "cannot be written", .remedy = "check that the disk is not full"});
  ++frames_;
}

void FrameFile::read(int frame, double& time, Vec& x, Vec& v) const {
  std::vector<double> record(record_ / sizeof(double));
  std::ifstream in(path_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(head_ + record_ * static_cast<std::size_t>(frame)));
  if (!in.read(reinterpret_cast<char*>(record.data()), static_cast<std::streamsize>(record_)))
    throw Error({.file = path_.string(), .problem = "is cut short", .remedy = "remove it and train again"});
  time = record[0];
  x = Eigen::Map<const Vec>(record.data() + 1, size_);
  v = Eigen::Map<const Vec>(record.data() + 1 + size_, size_);
}

}  // namespace rigspace
