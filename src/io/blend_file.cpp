#include "rigspace/io/blend_file.h"

#include "blend_translation.h"
#include "blender_host.h"
#include "process_handshake.h"
#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/base/process.h"
#include "rigspace/base/require.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/process_rig.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace rigspace {
namespace {

namespace fs = std::filesystem;
using SortedJson = nlohmann::json;

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

/// One thread: there is a process a core.
std::string command_for(const BlendOptions& options, const std::string& more) {
  options.validate();
  require_blend(options.file);
  const bool trusted = environment_variable("RIGSPACE_BLENDER_TRUST") == "1";
  const std::string variable = environment_variable("RIGSPACE_BLENDER_HOST");
  const fs::path script = variable.empty() ? host_script(options.file, "rigspace_host.py") : fs::path(variable);
  return "exec " + shell_word(blender_program(options.file)) + " -b -t 1 --factory-startup " + (trusted ? "-y" : "-Y") +
         " " + shell_word(fs::absolute(options.file).string()) +
         with_script(script, more + (options.object.empty() ? "" : " --object " + shell_word(options.object)));
}

std::string name_for(const BlendOptions& options) { return "Blender with " + options.file.string(); }

/// Errors of the host name the file, not Blender.
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

/// What the host receives of a layer: docs/curves.md, and the clip that it belongs to.
SortedJson layer_json(const BlendLayer& layer) {
  CurveFile file{.clips = {layer.deviation}};
  SortedJson json = SortedJson::parse(to_curves_json(file))["clips"][0];
  json["base"] = layer.base;
  return json;
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
  const bool translates = environment_variable("RIGSPACE_BLENDER_TRANSLATE") != "0";
  const std::string more =
      std::string(translates ? " --plain" : "") + (options.joints ? " --joints" : "") + (options.skin ? " --skin" : "");
  const ProcessRigOptions process{.command = command_for(options, more),
                                  .processes = options.processes,
                                  .name = name_for(options),
                                  .handshake_seconds = std::max(options.answer_seconds, kTimeToStart),
                                  .answer_seconds = options.answer_seconds,
                                  .cache_rest_poses = true,
                                  .progress = options.progress};
  return about_file(options.file, [&] {
    Character character = start_character(process);
    translate(character, name_for(options));
    return character;
  });
}

std::vector<std::string> write_blend(const BlendOptions& options, const fs::path& output,
                                     std::span<const BlendLayer> layers) {
  SortedJson list = SortedJson::array();
  for (const BlendLayer& layer : layers) list.push_back(layer_json(layer));
  const fs::path beside = output.string() + ".writing.blend";
  const std::string text = SortedJson{{"output", fs::absolute(beside).string()}, {"layers", list}}.dump() + "\n";
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
