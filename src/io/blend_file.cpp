#include "rigspace/io/blend_file.h"

#include "blend_translation.h"
#include "process_handshake.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/base/process.h"
#include "rigspace/base/require.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/process_rig.h"

#include <unistd.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

namespace rigspace {
namespace {

namespace fs = std::filesystem;
using SortedJson = nlohmann::json;

constexpr double kTimeToStart = 120;  // seconds: a production file takes its time

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// For /bin/sh.
std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

bool is_program(const fs::path& path) { return fs::is_regular_file(path) && access(path.c_str(), X_OK) == 0; }

std::string blender_program(const fs::path& file) {
  const std::string told = variable("RIGSPACE_BLENDER"), path = variable("PATH");
  if (!told.empty()) {
    if (is_program(told)) return told;
    throw Error({.code = ErrorCode::external_process,
                 .file = file.string(),
                 .element = "RIGSPACE_BLENDER",
                 .value = told,
                 .problem = "is \"" + told + "\", which is no program",
                 .remedy = "set it to Blender's own path"});
  }
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t colon = std::min(path.find(':', from), path.size());
    if (const fs::path each = fs::path(path.substr(from, colon - from)) / "blender"; is_program(each)) return each;
    from = colon + 1;
  }
  throw Error({.code = ErrorCode::external_process,
               .file = file.string(),
               .problem = "needs Blender, which is not installed",
               .remedy = "install it (Debian: apt-get install blender), or set RIGSPACE_BLENDER to its path"});
}

/// The script that is the rig inside Blender: beside this program or module, or where it was built from.
fs::path host_script(const fs::path& file) {
  const fs::path inside = fs::path("blender") / "host" / "rigspace_host.py";
  if (const std::string told = variable("RIGSPACE_BLENDER_HOST"); !told.empty()) return told;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  for (const fs::path& folder : {own_file().parent_path(), program.parent_path().parent_path() / "share" / "rigspace",
                                 fs::path(RIGSPACE_DATA_DIR), fs::path(RIGSPACE_SOURCE_DIR)})
    if (fs::exists(folder / inside, ignored)) return folder / inside;
  throw Error({.code = ErrorCode::external_process,
               .file = file.string(),
               .element = inside.filename().string(),
               .problem = "is not installed beside this program",
               .remedy = "set RIGSPACE_BLENDER_HOST to its path"});
}

/// Uncompressed, or by gzip (before Blender 3.0) or Zstandard.
void require_blend(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  char head[7] = {};
  stream.read(head, sizeof head);
  const std::string_view bytes(head, static_cast<std::size_t>(stream.gcount()));
  if (!fs::exists(file)) throw Error({.file = file.string(), .problem = "does not exist", .remedy = "check the path"});
  if (bytes == "BLENDER" || bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd")) return;
  throw Error({.file = file.string(), .problem = "is no .blend file", .remedy = "save it again in Blender"});
}

/// Blender prints to standard output what it likes: the host talks on stream 3, which is ours. One thread: there is a
/// process a core.
std::string command_for(const BlendOptions& options, const std::string& more) {
  options.validate();
  require_blend(options.file);
  const bool trusted = variable("RIGSPACE_BLENDER_TRUST") == "1";
  std::string command = "exec " + shell_word(blender_program(options.file)) + " -b -t 1 --factory-startup " +
                        (trusted ? "-y" : "-Y") + " " + shell_word(fs::absolute(options.file).string()) +
                        " --python-exit-code 3 --python " + shell_word(host_script(options.file).string()) + " --" +
                        more;
  if (!options.object.empty()) command += " --object " + shell_word(options.object);
  return command + " 3>&1 1>&2";
}

std::string name_for(const BlendOptions& options) { return "Blender with " + options.file.string(); }

/// What the host says of the file is about the file, not about Blender.
template <class Action>
auto about_file(const fs::path& file, Action action) {
  try {
    return action();
  } catch (const Error& error) {
    if (error.info().problem.starts_with("exited with status 1 "))  // the host's own failures have status 3
      throw Error({.file = file.string(),
                   .problem = "cannot be read by Blender",
                   .remedy = "was it cut off, or saved by a newer one?"});
    if (error.code() != ErrorCode::bad_input) throw;
    throw error.in_file(file.string());
  }
}

/// What the host is told of a layer: docs/curves.md, and the clip that it belongs to.
SortedJson layer_json(const BlendLayer& layer) {
  CurveFile file{.clips = {layer.deviation}};
  SortedJson told = SortedJson::parse(to_curves_json(file))["clips"][0];
  told["base"] = layer.base;
  return told;
}

}  // namespace

void BlendOptions::validate() const {
  require_option(answer_seconds > 0 && std::isfinite(answer_seconds), "Blender's time to answer", answer_seconds,
                 "expected seconds above 0");
}

bool is_blend_file(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension == ".blend";
}

Character load_blend(const BlendOptions& options) {
  const bool translates = variable("RIGSPACE_BLENDER_TRANSLATE") != "0";
  const ProcessRigOptions process{.command = command_for(options, translates ? " --plain" : ""),
                                  .processes = options.processes,
                                  .name = name_for(options),
                                  .handshake_seconds = std::max(options.answer_seconds, kTimeToStart),
                                  .answer_seconds = options.answer_seconds,
                                  .keep_at_rest = true,
                                  .progress = options.progress};
  return about_file(options.file, [&] {
    Character character = start_character(process);
    translate(character, name_for(options));
    return character;
  });
}

std::vector<std::string> write_blend(const BlendOptions& options, const fs::path& output,
                                     std::span<const BlendLayer> layers) {
  SortedJson told = SortedJson::array();
  for (const BlendLayer& layer : layers) told.push_back(layer_json(layer));
  const fs::path beside = output.string() + ".writing.blend";
  const std::string text = SortedJson{{"output", fs::absolute(beside).string()}, {"layers", told}}.dump() + "\n";
  Process blender(command_for(options, " --write"));
  const Patience patience{std::max(options.answer_seconds, kTimeToStart), options.progress, "writing the .blend"};
  Exchange sent{.process = &blender, .send_body = std::as_bytes(std::span(text))};
  Exchange::run({&sent, 1}, patience);
  std::string line;
  const Process::Outcome outcome = blender.read_line(line, kLongestHandshake, patience);
  if (outcome == Process::Outcome::cancelled) throw Cancelled();
  if (outcome != Process::Outcome::done || sent.outcome != Process::Outcome::done)
    throw Error({.code = ErrorCode::external_process,
                 .file = name_for(options),
                 .value = blender.command(),
                 .problem = "could not be written back: Blender " +
                            (outcome == Process::Outcome::silent ? "fell silent" : blender.wait(1).describe()) +
                            " (its last words: " + blender.last_words() + ")",
                 .remedy = "the curves are there: try again with `rigspace rerun`"});
  const std::vector<std::string> notes = about_file(options.file, [&] { return parse_notes(line, name_for(options)); });
  blender.end();
  fs::rename(beside, output);
  return notes;
}

}  // namespace rigspace
