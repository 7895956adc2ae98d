#include "rigspace/base/mapped_file.h"

#include "rigspace/base/error.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

namespace rigspace {

MappedFile::MappedFile(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& problem) {
    throw Error({.file = path.string(), .problem = problem, .remedy = "check the name and that it may be read"});
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse(std::string("cannot be opened: ") + std::strerror(errno));
  struct stat facts = {};
  const bool plain = ::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);
  const auto size = static_cast<std::size_t>(plain ? facts.st_size : 0);
  void* memory = size > 0 ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : nullptr;
  const int why = errno;
  ::close(file);
  if (!plain) refuse("is no file");
  if (memory == MAP_FAILED) refuse(std::string("cannot be read: ") + std::strerror(why));
  const auto* data = static_cast<const std::byte*>(memory);
  owner_ = {data, [size](const std::byte* at) {
              if (at != nullptr) ::munmap(const_cast<std::byte*>(at), size);
            }};
  bytes_ = {data, size};
}

}  // namespace rigspace
