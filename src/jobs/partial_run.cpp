#include "rigspace/jobs/partial_run.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKeyFile = "rigspace.key";

/// What stands before the bytes of a checkpoint.
struct Header {
  std::uint64_t clip, solve;
  double fraction;
};

std::optional<Header> header_of(std::span<const std::byte> bytes) {
  Header header;
  if (bytes.size() < sizeof header) return {};
  std::memcpy(&header, bytes.data(), sizeof header);
  return header;
}

/// The bytes of a file, or none: what cannot be read is made again.
std::vector<std::byte> read_if_there(const fs::path& path) {
  if (!fs::exists(path)) return {};
  return read_file(path);
}

}  // namespace

PartialRun::PartialRun(fs::path folder, std::string key) : folder_(std::move(folder)) {
  const fs::path key_file = folder_ / kKeyFile;
  if (fs::exists(folder_)) {
    if (fs::exists(key_file) && read_text(key_file) == key) return;
    const bool ours = fs::is_directory(folder_) && (fs::exists(key_file) || fs::is_empty(folder_));
    if (!ours)
      throw Error({.file = folder_.string(),
                   .problem = "is in the way: unfinished work is kept there, and it was not left by a run",
                   .remedy = "move it, or choose another output"});
    fs::remove_all(folder_);
  }
  std::error_code error;
  if (!fs::create_directory(folder_, error))
    throw Error({.file = folder_.string(),
                 .problem = "cannot be created (" + error.message() + ")",
                 .remedy = "unfinished work is kept there; choose another output"});
  write_file(key_file, key);
}

PartialRun::~PartialRun() {
  std::error_code ignored;
  const bool kept =
      std::any_of(fs::directory_iterator(folder_, ignored), fs::directory_iterator(), [](const auto& entry) {
        const std::string name = entry.path().filename().string();
        return name.starts_with("clip_") || name.starts_with("checkpoint_");
      });
  if (!kept) fs::remove_all(folder_, ignored);
}

void PartialRun::discard() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::size_t PartialRun::finished_in(const fs::path& folder) {
  std::error_code none;
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.path().filename().string().starts_with("clip_")) ++count;
  return count;
}

fs::path PartialRun::clip_file(std::size_t clip) const { return folder_ / fmt::format("clip_{:04}.json", clip); }

std::optional<std::string> PartialRun::finished(std::size_t clip) const {
  if (!fs::exists(clip_file(clip))) return {};
  return read_text(clip_file(clip));
}

void PartialRun::keep_finished(std::size_t clip, const std::string& text) {
  write_file(clip_file(clip), text);
  std::error_code ignored;
  fs::remove(checkpoint_file(clip), ignored);
}

fs::path PartialRun::checkpoint_file(std::size_t clip) const { return folder_ / fmt::format("checkpoint_{:04}", clip); }

std::vector<std::byte> PartialRun::checkpoint(RunPosition at) const {
  const std::vector<std::byte> bytes = read_if_there(checkpoint_file(at.clip));
  const auto header = header_of(bytes);
  if (!header || !(RunPosition{header->clip, header->solve} == at)) return {};
  return {bytes.begin() + sizeof(Header), bytes.end()};
}

void PartialRun::keep_checkpoint(RunPosition at, double fraction, std::span<const std::byte> bytes) {
  const Header header{at.clip, at.solve, fraction};
  std::vector<std::byte> all(sizeof header + bytes.size());
  std::memcpy(all.data(), &header, sizeof header);
  std::copy(bytes.begin(), bytes.end(), all.begin() + sizeof header);
  write_file(checkpoint_file(at.clip), all);
}

std::optional<PartialRun::Mark> PartialRun::mark(std::size_t clip) const {
  const auto header = header_of(read_if_there(checkpoint_file(clip)));
  if (!header) return {};
  return Mark{{header->clip, header->solve}, header->fraction};
}

}  // namespace rigspace
