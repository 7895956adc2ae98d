#include "rigspace/jobs/output_lock.h"

#include "rigspace/base/error.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace rigspace {
namespace {

/// The number of the process that wrote the file; empty if it is unreadable.
std::string process_in(int descriptor) {
  char text[32] = {};
  const ssize_t count = ::pread(descriptor, text, sizeof text - 1, 0);
  std::string number;
  for (ssize_t k = 0; k < count && text[k] >= '0' && text[k] <= '9'; ++k) number.push_back(text[k]);
  return number;
}

/// Whether the open file is still the one of that name: whoever held it before may have removed it.
bool is_at(const std::filesystem::path& file, int descriptor) {
  struct stat open = {}, named = {};
  return ::fstat(descriptor, &open) == 0 && ::stat(file.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

}  // namespace

OutputLock::OutputLock(const std::filesystem::path& output) : file_(output.string() + ".lock") {
  for (int attempt = 0; attempt < 100; ++attempt) {
    descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0) return;  // a folder that cannot be written is reported where the result is written
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const bool taken = errno == EWOULDBLOCK;
      const std::string process = process_in(descriptor_);
      ::close(descriptor_), descriptor_ = -1;
      if (!taken) return;
      throw Error({.code = ErrorCode::usage,
                   .file = output.string(),
                   .value = process,
                   .problem = "is being made by another run" + (process.empty() ? "" : ", process " + process),
                   .remedy = "wait for it, or choose another -o"});
    }
    if (is_at(file_, descriptor_)) break;
    ::close(descriptor_), descriptor_ = -1;
  }
  if (descriptor_ < 0) return;
  const std::string number = std::to_string(::getpid()) + "\n";
  if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, number.data(), number.size(), 0) < 0) return;
}

OutputLock::~OutputLock() {
  if (descriptor_ < 0) return;
  ::unlink(file_.c_str());  // before it is let go: who opened it meanwhile sees that it is gone
  ::close(descriptor_);
}

}  // namespace rigspace
