#include "rigspace/base/cache.h"

#include "rigspace/base/algorithm_version.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/base/files.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;
constexpr std::size_t kHashDigits = 32;

fs::path entry(std::string_view kind, std::span<const std::byte> content) {
  const fs::path folder = cache_folder();
  if (folder.empty()) return {};
  return folder / (std::string(kind) + "-" + std::to_string(kAlgorithmVersion) + "-" + content_hash(content));
}

void drop_oldest(const fs::path& folder) {
  struct Entry {
    fs::file_time_type time;
    std::uintmax_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uintmax_t total = 0;
  for (const auto& each : fs::directory_iterator(folder))
    if (each.is_regular_file()) {
      entries.push_back({each.last_write_time(), each.file_size(), each.path()});
      total += entries.back().size;
    }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
  for (const Entry& each : entries) {
    if (total <= kMostBytes) return;
    fs::remove(each.path);
    total -= each.size;
  }
}

}  // namespace

fs::path cache_folder() {
  if (const char* chosen = std::getenv("RIGSPACE_CACHE")) return std::string_view(chosen) == "off" ? "" : chosen;
  if (const char* home = std::getenv("XDG_CACHE_HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / "rigspace";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".cache" / "rigspace";
  return {};
}

std::string program_stamp() {
  std::error_code failed;
  const fs::path program = own_file();
  const auto size = fs::file_size(program, failed);
  const auto time = fs::last_write_time(program, failed);
  if (failed) return "unknown";  // as of a program that was replaced while it ran
  return std::to_string(size) + "-" + std::to_string(time.time_since_epoch().count());
}

std::optional<std::vector<std::byte>> from_cache(std::string_view kind, std::span<const std::byte> content) try {
  const fs::path path = entry(kind, content);
  if (path.empty() || !fs::exists(path)) return std::nullopt;
  std::vector<std::byte> bytes = read_file(path);
  if (bytes.size() < kHashDigits) return std::nullopt;
  const std::string checksum(reinterpret_cast<const char*>(bytes.data()), kHashDigits);
  bytes.erase(bytes.begin(), bytes.begin() + kHashDigits);
  if (content_hash(bytes) != checksum) return std::nullopt;
  return bytes;
} catch (const std::exception&) {
  return std::nullopt;
}

void to_cache(std::string_view kind, std::span<const std::byte> content, std::span<const std::byte> result) try {
  const fs::path path = entry(kind, content);
  if (path.empty()) return;
  fs::create_directories(path.parent_path());
  std::vector<std::byte> bytes(kHashDigits);
  std::memcpy(bytes.data(), content_hash(result).data(), kHashDigits);
  bytes.insert(bytes.end(), result.begin(), result.end());
  write_file(path, bytes);
  drop_oldest(path.parent_path());
} catch (const std::exception&) {
  return;
}

}  // namespace rigspace
