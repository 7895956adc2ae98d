#pragma once
// A file as memory: read by the page as it is touched, shared between programs that open it.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace rigspace {

class MappedFile {
 public:
  /// Throws Error naming the file if it is missing, a folder or unreadable.
  explicit MappedFile(const std::filesystem::path& path);

  /// Stays the same if the file is replaced by another (write_file); shrinking it in place is not allowed.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::shared_ptr<const std::byte> owner_;
  std::span<const std::byte> bytes_;
};

}  // namespace rigspace
