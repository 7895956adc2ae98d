#include "rigspace/base/files.h"

#include "rigspace/base/error.h"

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, std::string problem, std::string remedy) {
  throw Error({.file = path.string(), .problem = std::move(problem), .remedy = std::move(remedy)});
}

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Closer>;

template <class Bytes>
Bytes read_all(const fs::path& path, std::size_t max_bytes) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) fail(path, "does not exist", "check the path");
  if (fs::is_directory(status)) fail(path, "is a folder", "name a file in it");
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) fail(path, std::string("cannot be read (") + std::strerror(errno) + ")", "check its permissions");
  Bytes bytes;
  // Read in pieces, not by the size in the file system: pipes have none, and files may grow.
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::size_t used = 0;
  for (;;) {
    bytes.resize(used + kPiece);
    const std::size_t got = std::fread(bytes.data() + used, 1, kPiece, file.get());
    used += got;
    if (used > max_bytes)
      fail(path, "is larger than " + std::to_string(max_bytes) + " bytes", "split it, or remove what is not needed");
    if (got < kPiece) break;
  }
  if (std::ferror(file.get())) fail(path, "cannot be read to its end", "check the disk");
  bytes.resize(used);
  return bytes;
}

}  // namespace

std::vector<std::byte> read_file(const fs::path& path, std::size_t max_bytes) {
  return read_all<std::vector<std::byte>>(path, max_bytes);
}

std::string read_text(const fs::path& path, std::size_t max_bytes) { return read_all<std::string>(path, max_bytes); }

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  if (!path.parent_path().empty() && !fs::is_directory(path.parent_path()))
    fail(path, "cannot be written: its folder does not exist", "create " + path.parent_path().string());
  if (fs::is_directory(path)) fail(path, "is a folder", "name a file in it");
  const fs::path beside = path.string() + ".part" + std::to_string(::getpid());
  const auto give_up = [&](const char* what) {
    const std::string why = std::strerror(errno);
    std::error_code ignored;
    fs::remove(beside, ignored);
    fail(path, std::string(what) + " (" + why + ")", "check permissions and free space");
  };
  std::FILE* file = std::fopen(beside.c_str(), "wb");
  if (!file) give_up("cannot be written");
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) give_up("cannot be written to its end");
  if (std::rename(beside.c_str(), path.c_str()) != 0) give_up("cannot be put in place");
}

void write_file(const fs::path& path, std::string_view text) {
  write_file(path, std::as_bytes(std::span(text.data(), text.size())));
}

std::filesystem::path own_file() {
  std::ifstream maps("/proc/self/maps");  // lines of: from-to rights offset device inode path
  const auto here = reinterpret_cast<std::uintptr_t>(&own_file);
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t from = 0, to = 0;
    const std::size_t path = line.find('/');
    if (std::sscanf(line.c_str(), "%zx-%zx", &from, &to) == 2 && from <= here && here < to && path != line.npos)
      return line.substr(path);
  }
  return {};
}

}  // namespace rigspace
