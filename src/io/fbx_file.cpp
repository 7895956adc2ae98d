#include "rigspace/io/fbx_file.h"

#include "blender_host.h"
#include "process_handshake.h"
#include "rigspace/base/cache.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/base/process.h"
#include "rigspace/io/gltf.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kScript = "rigspace_fbx.py";
constexpr double kLongestConversion = 1800;  // seconds: Blender prints nothing until it is done
constexpr std::string_view kBinaryFbx = "Kaydara FBX Binary  ";

/// A folder that is gone afterwards.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "rigspace_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Error({.file = fs::temp_directory_path().string(),
                   .problem = "cannot be written",
                   .remedy = "set TMPDIR to a folder that can"});
    path = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  fs::path path;
};

void require_binary_fbx(const fs::path& path, std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 4096));
  if (text.starts_with(kBinaryFbx)) return;
  const bool ascii = text.find("FBXHeaderExtension") != text.npos || text.starts_with("; FBX");
  throw Error({.file = path.string(),
               .problem = ascii ? "is FBX as text, which Blender does not read" : "is no FBX file",
               .remedy = "save it again as binary FBX"});
}

/// Runs the script with `what`, "read" or "write"; `file` is the .fbx, in messages. Returns what it prints.
std::vector<std::string> convert(const fs::path& file, const std::string& what, const fs::path& from,
                                 const fs::path& to, const ProgressCallback& progress) {
  const std::string arguments =
      " " + what + " " + shell_word(fs::absolute(from).string()) + " " + shell_word(fs::absolute(to).string());
  const std::string program = shell_word(blender_program(file));
  Process blender("exec " + program + " -b --factory-startup -Y" + with_script(host_script(file, kScript), arguments));
  const Patience patience{kLongestConversion, progress,
                          (what == "read" ? "reading " : "writing ") + file.filename().string() + " with Blender"};
  std::string line;
  const Process::Outcome outcome = blender.read_line(line, kLongestHandshake, patience);
  if (outcome == Process::Outcome::cancelled) throw Cancelled();
  const auto fail = [&](const std::string& problem) {
    throw Error({.code = ErrorCode::external_process,
                 .file = file.string(),
                 .value = blender.command(),
                 .problem = "could not be " + std::string(what == "read" ? "read" : "written") + ": Blender " +
                            problem + " (its last words: " + blender.last_words() + ")",
                 .remedy = "open the file in Blender itself, which may say more"});
  };
  if (outcome != Process::Outcome::done)
    fail(outcome == Process::Outcome::silent ? "fell silent" : blender.wait(5).describe());
  try {
    std::vector<std::string> notes = parse_notes(line, file.string());
    if (!fs::exists(to)) fail("wrote nothing");
    return notes;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_input) throw;
    throw error.in_file(file.string());
  }
}

/// In the cache: the warnings as a line of JSON, and the bytes.
std::vector<std::byte> packed(const FbxAsGltf& read) {
  const std::string head = nlohmann::json(read.warnings).dump() + "\n";
  std::vector<std::byte> bytes(head.size() + read.glb.size());
  std::memcpy(bytes.data(), head.data(), head.size());
  std::copy(read.glb.begin(), read.glb.end(), bytes.begin() + static_cast<std::ptrdiff_t>(head.size()));
  return bytes;
}

FbxAsGltf unpacked(std::span<const std::byte> bytes) {
  const auto newline = std::find(bytes.begin(), bytes.end(), std::byte{'\n'});
  const std::string head(reinterpret_cast<const char*>(bytes.data()),
                         static_cast<std::size_t>(newline - bytes.begin()));
  return {.glb = {newline + 1, bytes.end()}, .warnings = nlohmann::json::parse(head).get<std::vector<std::string>>()};
}

/// What the result depends on besides this program: the file, and the script.
std::vector<std::byte> cache_key(std::span<const std::byte> file, const fs::path& script) {
  std::vector<std::byte> key = read_file(script);
  key.insert(key.end(), file.begin(), file.end());
  return key;
}

}  // namespace

bool is_fbx_file(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension == ".fbx";
}

FbxAsGltf read_fbx(const fs::path& path, const ProgressCallback& progress) {
  const std::vector<std::byte> bytes = read_file(path);
  require_binary_fbx(path, bytes);
  const std::vector<std::byte> key = cache_key(bytes, host_script(path, kScript));
  if (const auto kept = from_cache("fbx", key)) return unpacked(*kept);
  const ScratchFolder folder;
  const fs::path glb = folder.path / "read.glb";
  FbxAsGltf read{.glb = {}, .warnings = convert(path, "read", path, glb, progress)};
  read.glb = read_file(glb);
  to_cache("fbx", key, packed(read));
  return read;
}

Character load_fbx(const fs::path& path, const ProgressCallback& progress) {
  const FbxAsGltf read = read_fbx(path, progress);
  Character character = load_gltf(read.glb, path.string());
  character.warnings.insert(character.warnings.end(), read.warnings.begin(), read.warnings.end());
  return character;
}

void write_fbx(std::span<const std::byte> glb, const fs::path& output, const ProgressCallback& progress) {
  const ScratchFolder folder;
  const fs::path from = folder.path / "write.glb", to = folder.path / "write.fbx";
  write_file(from, glb);
  convert(output, "write", from, to, progress);
  write_file(output, read_file(to));
}

}  // namespace rigspace
