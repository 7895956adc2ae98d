#include "rigspace/jobs/character_source.h"

#include "rigspace/base/error.h"
#include "rigspace/io/blend_file.h"
#include "rigspace/io/fbx_file.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/process_rig.h"

namespace rigspace {

Character CharacterSource::load(const JobEvents& events) const {
  const auto refuse = [](const char* problem, const char* remedy) {
    throw Error({.code = ErrorCode::usage, .element = "FILE", .problem = problem, .remedy = remedy});
  };
  if (file.empty() && command.empty()) refuse("is missing", "name a character's file, or give --rig-process");
  if (!file.empty() && !command.empty()) refuse("and --rig-process are both given", "give one of them");
  if (command.empty()) {
    if (!object.empty() && !is_blend())
      throw Error({.code = ErrorCode::usage,
                   .file = file,
                   .element = "--object",
                   .problem = "is for .blend files",
                   .remedy = "leave it out"});
    Character character = is_blend()          ? load_blend({.file = file,
                                                            .object = object,
                                                            .processes = processes,
                                                            .answer_seconds = timeout,
                                                            .skin = skin,
                                                            .progress = events.progress})
                          : is_fbx_file(file) ? load_fbx(file, events.progress)
                                              : load_character(file);
    events.print_warnings(file, character.warnings);
    return character;
  }
  return start_character({.command = command,
                          .processes = processes,
                          .handshake_seconds = timeout,
                          .answer_seconds = timeout,
                          .cache_rest_poses = true,
                          .progress = events.progress});
}

bool CharacterSource::is_blend() const { return command.empty() && is_blend_file(file); }

}  // namespace rigspace
