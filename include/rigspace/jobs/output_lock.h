#pragma once
// One run at a time on one output: two would overwrite each other's partial results.

#include <filesystem>

namespace rigspace {

/// Holds OUT.lock, with the number of this process in it, from construction to destruction. The lock is the kernel's
/// (flock), so that what a killed run left is taken over without a question. Throws Error, naming the process, if
/// another run holds it. Where the file system has no locks there is none.
class OutputLock {
 public:
  explicit OutputLock(const std::filesystem::path& output);
  ~OutputLock();
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

}  // namespace rigspace
