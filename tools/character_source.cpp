#include "character_source.h"

#include "rigspace/io/blend_file.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/process_rig.h"

namespace rigspace::tools {

void CharacterSource::add_to(CLI::App& app) {
  app.add_option("FILE", file, "a character: " + character_endings("or"));
  app.add_option("--object", object, "of a .blend: the mesh; the largest that is rigged by default")->type_name("NAME");
  add_process_to(app);
}

void CharacterSource::add_process_to(CLI::App& app) {
  app.add_option("--rig-process", command,
                 "instead of FILE: a command that is the rig, asked on its standard streams (docs/process-rigs.md)")
      ->type_name("'CMD'");
  app.add_option("--rig-processes", processes,
                 "how many of that command to run, to share out batches; as many as cores, as they pay, by default")
      ->check(CLI::Range(1, 256))
      ->type_name("N");
  app.add_option("--rig-timeout", timeout, "longest silence of that command before it is started again, in seconds")
      ->check(above_zero())
      ->type_name("S");
}

Character CharacterSource::load(const Context& context) const {
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
    Character character = is_blend() ? load_blend({.file = file,
                                                   .object = object,
                                                   .processes = processes,
                                                   .answer_seconds = timeout,
                                                   .progress = [](const Progress&) { return !interrupted(); }})
                                     : load_character(file);
    print_warnings(context, file, character.warnings);
    return character;
  }
  return start_character({.command = command,
                          .processes = processes,
                          .handshake_seconds = timeout,
                          .answer_seconds = timeout,
                          .keep_at_rest = true,
                          .progress = [](const Progress&) { return !interrupted(); }});
}

bool CharacterSource::is_blend() const { return command.empty() && is_blend_file(file); }

void CharacterSource::print_incidents(const Context& context, const Character& character) const {
  print_warnings(context, "rigspace", character.rig->incidents());  // they name the command themselves
}

}  // namespace rigspace::tools
