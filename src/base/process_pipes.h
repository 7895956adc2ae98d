#pragma once
// The parent's side of a Process.

#include "rigspace/base/process.h"

#include <poll.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>

namespace rigspace::detail {

/// An open file descriptor, closed with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    reset(std::exchange(other.fd_, -1));
    return *this;
  }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void close() { reset(-1); }
  void reset(int fd) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

/// What one attempt to move bytes came to, without waiting.
struct Moved {
  std::size_t bytes = 0;
  bool closed = false;  ///< the other side is gone
};

struct ProcessPipes {
  pid_t child = -1;
  Descriptor input, output, errors;  ///< ends of this program; never block
  ProcessEnd ended;
  std::string pending;  ///< read behind a line, not yet returned
  std::string words;    ///< the end of standard error

  Moved write(std::span<const std::byte> bytes);
  Moved read(std::span<std::byte> bytes);
  void take_errors();
};

}  // namespace rigspace::detail
